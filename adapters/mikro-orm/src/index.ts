export {
  type DatabaseToMigrate,
  migrateDatabase,
  printMissingMigrations,
} from './connection/migrations/migrate-database.ts';
export { type PrintOptions, printMigrations } from './connection/migrations/print-migrations.ts';
export { UnusableSchema } from './connection/migrations/schema-name.ts';
export { NewerSchema, OlderSchema } from './connection/migrations/schema-version.ts';
export {
  type Connections,
  database_connections_max_default,
  database_connections_min,
} from './connection/postgres/connections.ts';
export { readPostgresTls } from './connection/postgres/postgres-tls.ts';
export { UnusableHandle } from './connection/unusable-handle.ts';
export { mikroOrmPersistence, type Persistence, type PersistencePorts, type Tx } from './persistence.ts';
export { type MigrationKind, migration, migrations, type SchemaMigration } from './schema/migrations/index.ts';
export { payloadOf } from './schema/records/stored-payload.ts';
export { OtherStatementKey } from './stores/installation/installation-facts.ts';
