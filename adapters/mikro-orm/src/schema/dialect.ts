import type { Platform } from '@mikro-orm/core';

/** The databases that the tables support. */
export type Dialect = 'sqlite' | 'postgres';

/** The dialect of a MikroORM platform. */
export function dialectOf(platform: Platform): Dialect {
  return platform.constructor.name.startsWith('Sqlite') ? 'sqlite' : 'postgres';
}
