import type { Metrics } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** What a newer version did to the database while this process runs. */
export interface SchemaWatch {
  readonly job: Job;
  /** The migrations of a newer version, as of the last look. */
  newerMigrations(): readonly string[];
}

/**
 * Looks for migrations that a newer version has applied: one warning for each set of them, and a
 * metric. The process continues to work (docs/adr/0029-expand-and-contract.md).
 */
export function createSchemaWatch(
  persistence: Pick<Persistence, 'findNewerMigrations'>,
  metrics: Pick<Metrics, 'watchNewerMigrations'>,
  logger: Pick<Logger, 'warn'>,
): SchemaWatch {
  let newer: readonly string[] = [];
  metrics.watchNewerMigrations(() => newer.length);
  return {
    newerMigrations: () => newer,
    job: {
      name: 'schema watch',
      every_ms: 5_000,
      async run() {
        const found = await persistence.findNewerMigrations();
        const is_new = found.some((name) => !newer.includes(name));
        newer = found;
        if (is_new) logger.warn({ migrations: found }, 'a newer version migrated the database: upgrade this process');
      },
    },
  };
}
