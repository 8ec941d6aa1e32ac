import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementFile } from '@tallystick/harness';
import { continueImports } from '../../src/index.ts';
import { newWorld } from '../world.ts';
import { openLater, recordedOf } from './statement-world.ts';

test('all statements that wait are applied, also those of the first import of a database', async () => {
  const world = newWorld();
  const number = 'openedlater1';
  for (const [opening, as_of] of ['2026-05-18', '2026-05-19', '2026-05-20'].entries()) {
    await world.import(statementFile({ number }, [{ as_of, opening, lines: [1] }]));
  }
  const account = await openLater(world, number);
  assert.equal(await continueImports(world.ports(), world.call), 3);
  const { ends, amounts } = await recordedOf(world, account);
  assert.deepEqual([ends[1], amounts], [{ as_of: '2026-05-20', balance: 3 }, [1, 1, 1]]);
});
