import { Uint8ArrayType } from '@mikro-orm/core';
import { entities } from './schema.ts';

/** The names of the columns that hold bytes. No text column has one of these names. */
export const byte_columns: ReadonlySet<string> = new Set(
  entities.flatMap(({ meta }) =>
    Object.entries(meta.properties)
      .filter(([, { type }]) => [type, Object(type).constructor].includes(Uint8ArrayType))
      .map(([name]) => name),
  ),
);
