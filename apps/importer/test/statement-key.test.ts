import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scratchDatabase, serverEnvironment, startServer } from '@tallystick/test-support';
import { runHere, runPeople, runReconcile } from './run-command.ts';

const whole = { STATEMENT_KEY: 'whole' };

describe('the statement key', () => {
  it('is fixed when the database is made: another one is refused in one sentence', async () => {
    const database = await scratchDatabase('sqlite');
    try {
      await (await startServer(database)).stop();
      const [made, other] = [serverEnvironment(database), { ...serverEnvironment(database), ...whole }];
      const sentence =
        /database sqlite:\S+ was made with STATEMENT_KEY=bin\+sequence, which cannot be changed to whole: set STATEMENT_KEY=bin\+sequence again\.\n/;
      const refused = [
        await runReconcile(['report'], other),
        await runReconcile(['rebuild'], other),
        await runPeople(['list'], other),
        await runHere([import.meta.filename], other),
      ];
      for (const { status, err } of refused) {
        assert.equal(status, 1, err);
        assert.match(err, sentence);
      }
      await assert.rejects(startServer({ ...database, env: whole }), sentence);
      assert.equal((await runReconcile(['report'], made)).status, 0);
    } finally {
      await database.dispose();
    }
  });

  it('is refused when there is no such setting', async () => {
    const { status, err } = await runReconcile(['report'], { STATEMENT_KEY: 'bin' });
    assert.deepEqual([status, err.includes('STATEMENT_KEY: is "bin"; it must be bin+sequence or whole\n')], [2, true]);
  });
});
