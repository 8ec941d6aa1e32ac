export { type HostResult, type HostStatement, type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
export { type BetterSqlite3Database, type BetterSqlite3Statement, fromBetterSqlite3 } from './from-better-sqlite3.ts';
export { fromPg, type PgClient } from './from-pg.ts';
