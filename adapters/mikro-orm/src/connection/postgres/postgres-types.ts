import { assert } from '@tallystick/kernel';
import pg from 'pg';

/**
 * The parsers of our own connections, one for each type that they read. Those of `pg.types` belong
 * to the whole process: the host may have replaced any of them.
 */
export const own_types = { getTypeParser };

type Parser = (text: string) => unknown;

function parseInt8(text: string): number {
  const value = Number(text);
  assert(Number.isSafeInteger(value), `the database holds ${text}, which a number cannot represent exactly`);
  return value;
}

const parseBoolean: Parser = (text) => text === 't';
const parseBytes: Parser = (text) => Buffer.from(text.slice(2), 'hex');
const parseText: Parser = (text) => text;
const parseJson: Parser = (text) => JSON.parse(text) as unknown;

/** As Postgres writes it with the default `DateStyle`: only MikroORM reads the time of a migration. */
const parseTime: Parser = (text) => new Date(text);

/** Its published type is that of another version. */
const { arrayParser } = pg.types as unknown as {
  readonly arrayParser: { create(text: string, parse: (item: string | null) => unknown): { parse(): unknown[] } };
};

function arrayOf(parse: Parser): Parser {
  return (text) => arrayParser.create(text, (item) => (item === null ? null : parse(item))).parse();
}

const parsers: ReadonlyMap<number, Parser> = new Map([
  [16, parseBoolean],
  [17, parseBytes],
  [20, parseInt8],
  [21, Number],
  [23, Number],
  [26, Number],
  [114, parseJson],
  [700, Number],
  [701, Number],
  [1000, arrayOf(parseBoolean)],
  [1001, arrayOf(parseBytes)],
  [1005, arrayOf(Number)],
  [1007, arrayOf(Number)],
  [1009, arrayOf(parseText)],
  [1015, arrayOf(parseText)],
  [1016, arrayOf(parseInt8)],
  [1082, parseTime],
  [1114, parseTime],
  [1184, parseTime],
  [3802, parseJson],
]);

/** By the number of a type in `pg_type`. Every other type is read as Postgres writes it. */
function getTypeParser(type: number): Parser {
  return parsers.get(type) ?? parseText;
}
