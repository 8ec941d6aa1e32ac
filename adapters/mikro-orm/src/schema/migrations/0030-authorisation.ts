import type { Dialect } from '../dialect.ts';

export function authorisation(_dialect: Dialect): readonly string[] {
  return [];
}
