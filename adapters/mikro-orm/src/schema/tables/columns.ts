import { BigIntType, BooleanType, p, TextType } from '@mikro-orm/core';
import { assert, type Money } from '@tallystick/kernel';

/**
 * The columns of all tables. Properties have the names of columns, and of the domain record's
 * fields where it has them. Times are epoch milliseconds, dates YYYY-MM-DD, amounts minor units.
 * JSON is stored as the text that `JSON.stringify` wrote: no query reads inside it, and the bytes
 * are returned unchanged.
 *
 * The README of the package states the purpose and cost of each index.
 */

export const id = () => p.bigint('number').primary().autoincrement();
/** A primary key that is the id of another row. */
export const givenId = () => p.bigint('number').primary().autoincrement(false);
export const int = () => p.bigint('number');
export const money = () => p.bigint('number').$type<Money>();

class JsonText extends TextType {}
export const json = () => p.type(JsonText);

/** How a column is written and read: its kind of JSON value. A text of JSON is `json`. */
export type ColumnKind = 'integer' | 'text' | 'boolean' | 'json';

interface Described<Name extends string> {
  readonly properties: Readonly<Record<Name, unknown>>;
  readonly meta: { readonly properties: object };
}

/** The columns of a table and their kinds, in its order, but for `without`. None of bytes. */
export function columnsOf<Name extends string, Without extends Name = never>(
  { meta }: Described<Name>,
  ...without: readonly Without[]
): Readonly<Record<Exclude<Name, Without>, ColumnKind>> {
  const written = Object.entries(meta.properties).filter(([name]) => !without.includes(name as Without));
  const columns = written.map(([name, { type }]) => [name, kindOf(type)] as const);
  return Object.fromEntries(columns) as Record<Exclude<Name, Without>, ColumnKind>;
}

function kindOf(type: unknown): ColumnKind {
  if (type instanceof BigIntType) return 'integer';
  if (type === BooleanType) return 'boolean';
  if (type === JsonText) return 'json';
  assert(type === TextType, 'only integers, booleans and texts have a kind in JSON');
  return 'text';
}
