/**
 * A process that purges the events of the database in its first argument into the archive in its
 * second, until it is killed. Prints a line before and after each step.
 */
import { dayAt, purgeRows } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { archiveFiles } from '../../src/background/archive-files.ts';
import { vault } from './retention-world.ts';

const [database_url = '', folder = '', before = ''] = process.argv.slice(2);
const before_ms = Number(before);
const clock = { nowMs: () => before_ms };
const { unitOfWork } = await mikroOrmPersistence({ database_url, clock, audit_mac: vault.audit_mac });
const files = archiveFiles(folder, () => dayAt(Date.now()));
await purgeRows(
  {
    unitOfWork,
    archive: {
      async write(kind, rows) {
        process.stdout.write('archive\n');
        await files.write(kind, rows);
        process.stdout.write('archived\n');
      },
    },
    random: vault.random,
    machineNow: () => Date.now(),
    async afterStep() {
      process.stdout.write('removed\n');
      return true;
    },
  },
  'events',
  { before_ms, now_ms: before_ms },
);
process.stdout.write('done\n');
process.exit();
