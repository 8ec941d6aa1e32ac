import type { Dialect } from '../dialect.ts';

export function bankData(_dialect: Dialect): readonly string[] {
  return [];
}
