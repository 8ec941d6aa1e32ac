import type { Dialect } from '../dialect.ts';

export function consents(_dialect: Dialect): readonly string[] {
  return [];
}
