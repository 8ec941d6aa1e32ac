/**
 * A process that commits to the database at the path in its argument until a thread copies the log.
 * Then it has nothing left to do, and closes nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { checkpointsOn } from '../src/connection/sqlite/checkpoints.ts';

const [path = ''] = process.argv.slice(2);
const database = new Database(path);
const checkpoints = checkpointsOn(database, { betweenReads: (work) => work() });
const insert = database.prepare('insert into lines (text) values (?)');
const commitsCopyFrom = () => database.pragma('wal_autocheckpoint', { simple: true });
for (const without_thread = commitsCopyFrom(); commitsCopyFrom() === without_thread; ) {
  insert.run('x');
  checkpoints.noteCommit();
  await nextTurn();
}
