/** Runs the backtests that wait on the database of the first argument, until none is left. */
import { runBacktests } from '@tallystick/cards';
import { repeatableRandom, testAuditMac } from '@tallystick/test-support';
import { mikroOrmPersistence } from '../src/index.ts';
import { tickingClock } from './ticking-clock.ts';

const [database_url = '', seed = '1'] = process.argv.slice(2);
const clock = { nowMs: () => 0 };
const { unitOfWork, giveWay, close } = await mikroOrmPersistence({ database_url, clock, audit_mac: testAuditMac });
try {
  await runBacktests({ unitOfWork, giveWay, clock, machine_clock: tickingClock(), random: repeatableRandom(+seed) });
} finally {
  await close();
}
