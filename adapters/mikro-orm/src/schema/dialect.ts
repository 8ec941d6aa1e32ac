import type { Platform } from '@mikro-orm/core';
import { PostgreSqlPlatform } from '@mikro-orm/postgresql';

export type Dialect = 'sqlite' | 'postgres';

/** Not by the name of the class, which a bundler may change. */
export function dialectOf(platform: Platform): Dialect {
  return platform instanceof PostgreSqlPlatform ? 'postgres' : 'sqlite';
}
