import assert from 'node:assert/strict';
import { statementFile } from '@tallystick/harness';
import { checkOnStorages } from '@tallystick/test-support';
import { ImportWorld } from '../world.ts';
import { endOf, makeAccount } from './statement-world.ts';

checkOnStorages('the lines of a file of statements', [
  {
    rule: 'are recorded by transactions of at most 200, because decisions on SQLite wait for each',
    async check(open) {
      const world = new ImportWorld(await open());
      const account = await makeAccount(world);
      const recorded: number[] = [];
      const { unitOfWork } = world.storage;
      const counting: typeof unitOfWork = {
        ...unitOfWork,
        run: (work) =>
          unitOfWork.run((tx) => {
            const accounts: typeof tx.accounts = {
              ...tx.accounts,
              recordLines(lines) {
                recorded.push(lines.length);
                return tx.accounts.recordLines(lines);
              },
            };
            return work({ ...tx, accounts });
          }),
      };
      const statement = { as_of: '2026-05-18', opening: 1_000, lines: Array<number>(450).fill(-1) };
      const ports = { unitOfWork: counting, batch_records_max: 1_000 };
      const ended = await world.imported(statementFile(account, [statement]), { ports });
      assert.deepEqual(endOf(ended), ['completed', null, 450, 0]);
      assert.ok(Math.max(...recorded) <= 200, `${recorded}`);
    },
  },
]);
