import { EntityCaseNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { adaptToDialect } from '../schema/adapt-to-dialect.ts';
import type { SchemaMigration } from '../schema/migrations/index.ts';
import { entities } from '../schema/schema.ts';

/** The options of MikroORM that both databases share. */
export const ormOptions = (
  migrations: readonly SchemaMigration[],
  { schema = null, table_prefix = '' }: { readonly schema?: string | null; readonly table_prefix?: string },
) => ({
  entities,
  // Of the table of applied migrations.
  ...(schema === null ? {} : { schema }),
  namingStrategy: EntityCaseNamingStrategy,
  discovery: { afterDiscovered: adaptToDialect },
  extensions: [Migrator],
  migrations: {
    migrationsList: [...migrations],
    tableName: `${table_prefix}migrations`,
    snapshot: false,
    silent: true,
    // Both would need rights on Postgres that the service does not need otherwise.
    disableForeignKeys: false,
  },
});
