/**
 * A process that takes the write lock of a SQLite database, prints `held`, and ends the lock when
 * its standard input ends: `node lock-holder.ts <file>`.
 */
import Database from 'better-sqlite3';

const database = new Database(process.argv[2]);
database.exec('begin exclusive');
console.log('held');
process.stdin.resume();
process.stdin.once('end', () => {
  database.exec('rollback');
  database.close();
});
