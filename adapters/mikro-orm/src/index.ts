export { mikroOrmPersistence, type Persistence, type PersistenceOptions, type Tx } from './persistence.ts';
