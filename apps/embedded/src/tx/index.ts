export { type HostResult, type HostStatement, type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
export { type BetterSqlite3Database, type BetterSqlite3Statement, fromBetterSqlite3 } from './from-better-sqlite3.ts';
export { type DrizzleTransaction, fromDrizzle } from './from-drizzle.ts';
export { fromKysely, type KyselyTransaction } from './from-kysely.ts';
export { fromMikroOrm, type MikroOrmEntityManager } from './from-mikro-orm.ts';
export { fromPg, type PgClient } from './from-pg.ts';
export type { NativeTransaction } from './native-transaction.ts';
export { transaction } from './transaction.ts';
