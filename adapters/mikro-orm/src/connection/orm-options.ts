import { described_entities } from '../schema/entities.ts';
import type { SchemaMigration } from '../schema/migrations/index.ts';
import { ForgettingMigrator } from './migrations/migrator.ts';

export const ormOptions = (migrations: readonly SchemaMigration[], schema?: string) => ({
  ...described_entities,
  // Of the table of applied migrations.
  ...(schema === undefined ? {} : { schema }),
  extensions: [ForgettingMigrator],
  migrations: {
    migrationsList: [...migrations],
    tableName: 'tallystick_migrations',
    snapshot: false,
    silent: true,
    // Both would need rights on Postgres that the service does not need otherwise.
    disableForeignKeys: false,
  },
});
