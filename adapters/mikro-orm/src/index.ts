export { mikroOrmPersistence, type Persistence, type PersistencePorts, type Tx } from './persistence.ts';
