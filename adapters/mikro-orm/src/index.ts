export type { BackfillProgress, Backfills } from './backfill/backfills.ts';
export { mikroOrmPersistence, type Persistence, type PersistencePorts, type Tx } from './persistence.ts';
