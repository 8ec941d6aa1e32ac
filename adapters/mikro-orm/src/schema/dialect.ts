import type { Platform } from '@mikro-orm/core';

/** The databases that the tables are made for. */
export type Dialect = 'sqlite' | 'postgres';

/** The dialect that a MikroORM platform speaks. */
export function dialectOf(platform: Platform): Dialect {
  return platform.constructor.name.startsWith('Sqlite') ? 'sqlite' : 'postgres';
}
