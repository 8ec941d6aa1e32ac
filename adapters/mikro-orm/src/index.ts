export { UnusableHandle } from './connection/host-handle.ts';
export { NewerSchema, OlderSchema } from './connection/migrate.ts';
export { type DatabaseToMigrate, migrateDatabase, printMissingMigrations } from './connection/migrate-database.ts';
export { type PrintOptions, printMigrations } from './connection/print-migrations.ts';
export { UnusableSchema } from './connection/schema-name.ts';
export { mikroOrmPersistence, type Persistence, type PersistencePorts, type Tx } from './persistence.ts';
export { type MigrationKind, migration, migrations, type SchemaMigration } from './schema/migrations/index.ts';
export { OtherStatementKey } from './stores/installation.ts';
