import type { Platform } from '@mikro-orm/core';

export type Dialect = 'sqlite' | 'postgres';

export function dialectOf(platform: Platform): Dialect {
  return platform.constructor.name.startsWith('Sqlite') ? 'sqlite' : 'postgres';
}
