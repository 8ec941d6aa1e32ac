import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { createTypes, type Use, wrapComments } from './declarations.ts';
import { generatedFiles } from './operation-types.ts';

/** The declarations of schemas, without the space between them. */
function declared(
  schemas: Record<string, z.ZodType>,
  { use = 'input', names = z.registry() }: { use?: Use; names?: z.core.$ZodRegistry<{ id: string }> } = {},
): string {
  const types = createTypes(names);
  for (const [name, schema] of Object.entries(schemas)) types.add(name, schema, use);
  return [...types.declare().values()].join('').replaceAll(/\s+/g, ' ').trim();
}

describe('the type of a schema', () => {
  for (const [rule, schema, type] of [
    ['text', z.string().min(1).regex(/^x/), 'string'],
    ['a number', z.int().min(0), 'number'],
    ['true or false', z.boolean(), 'boolean'],
    ['null', z.string().nullable(), 'string | null'],
    ['any value', z.unknown(), 'unknown'],
    ['one value', z.literal('card'), '"card"'],
    ['words', z.enum(['open', "it's"]), '"open" | "it\'s"'],
    ['words of the document alone', z.string().meta({ enum: ['open', 'closed'] }), '"open" | "closed"'],
    ['ids of the document alone', z.int().meta({ enum: [1, 2] }), 'number'],
    ['either', z.union([z.int(), z.literal('never')]).nullable(), 'number | "never" | null'],
    ['a list', z.array(z.string()), 'readonly string[]'],
    ['a list of either', z.array(z.string().nullable()), 'readonly (string | null)[]'],
    ['a pair', z.tuple([z.string(), z.int().nullable()]), 'readonly [string, number | null]'],
    ['any names', z.record(z.string(), z.unknown()), 'Readonly<Record<string, unknown>>'],
    ['all of some names', z.record(z.enum(['a', 'b']), z.int()), 'Readonly<Record<"a" | "b", number>>'],
    ['some of some names', z.partialRecord(z.enum(['a']), z.int()), 'Readonly<Partial<Record<"a", number>>>'],
    ['what is sent of a changed value', z.union([z.int(), z.string()]).transform(Number), 'number | string'],
  ] as const) {
    it(`of ${rule}`, () => assert.equal(declared({ Type: schema }), `export type Type = ${type};`));
  }

  it('of an object has its members, which may be absent', () => {
    const schema = z.object({
      id: z.int(),
      note: z.string().nullish(),
      'payload.id': z.int(),
      any: z.unknown().optional(),
    });
    assert.equal(
      declared({ Type: schema }),
      'export interface Type { readonly id: number; readonly note?: string | null | undefined; ' +
        'readonly "payload.id": number; readonly any?: unknown; }',
    );
  });

  it('of an object has the names that begin alike', () => {
    const schema = z
      .object({})
      .meta({ patternProperties: { '^metadata\\..{1,255}$': { type: ['string', 'integer'] } } });
    assert.equal(
      declared({ Type: schema }),
      'export interface Type { readonly [name: `metadata.$' + '{string}`]: string | number | undefined; }',
    );
  });
});

describe('a filter', () => {
  it('of an id takes it as a number or as digits, and one of a range takes a pair', () => {
    const range = z.string().regex(/^\[.*\]$/);
    const schema = z.object({ vcn_id: z.int(), at: z.union([z.iso.date(), range]), last4: z.string() }).partial();
    assert.equal(
      declared({ Type: schema }, { use: 'filter' }),
      'export interface Type { readonly vcn_id?: Id | undefined; readonly at?: RangeFilter<string> | undefined; ' +
        'readonly last4?: string | undefined; }',
    );
  });
});

describe('a named schema', () => {
  it('is declared once, and used by its name, also with another description', () => {
    const names = z.registry<{ id: string }>();
    const status = z.enum(['on', 'off']).register(names, { id: 'Status' });
    const end = z.object({ at: z.int() }).meta({ id: 'End' });
    const schema = z.object({ status, old: status.nullable().describe('The last one'), ends: z.array(end) });
    assert.equal(
      declared({ Type: schema }, { names }),
      'export interface End { readonly at: number; } ' +
        'export type Status = "on" | "off"; ' +
        'export interface Type { readonly status: Status; /** The last one. */ readonly old: Status | null; ' +
        'readonly ends: readonly End[]; }',
    );
  });

  it('is one of several, which a property distinguishes', () => {
    const on = z.object({ is: z.literal('on') }).meta({ id: 'On' });
    const off = z.object({ is: z.literal('off') }).meta({ id: 'Off' });
    assert.equal(
      declared({ Type: z.discriminatedUnion('is', [on, off]) }),
      'export interface Off { readonly is: "off"; } export interface On { readonly is: "on"; } ' +
        'export type Type = On | Off;',
    );
  });

  it('has its name of the registry rather than that of the document', () => {
    const names = z.registry<{ id: string }>();
    const mail = z.object({}).meta({ id: 'Mail' }).register(names, { id: 'CardMail' });
    assert.equal(
      declared({ Mails: z.array(mail) }, { names }),
      'export interface CardMail { } export type Mails = readonly CardMail[];',
    );
  });

  it('extends the largest one whose members it has all', () => {
    const card = z.object({ a: z.int(), b: z.int(), c: z.int(), d: z.int(), e: z.int(), f: z.int().describe('Six') });
    const members =
      'readonly a: number; readonly b: number; readonly c: number; readonly d: number; readonly e: number;';
    assert.equal(
      declared({ Card: card, Larger: card.extend({ g: z.int() }), Other: card.extend({ f: z.int(), h: z.int() }) }),
      `export interface Card { ${members} /** Six. */ readonly f: number; } ` +
        'export interface Larger extends Card { readonly g: number; } ' +
        `export interface Other { ${members} readonly f: number; readonly h: number; }`,
    );
  });

  it('extends the members that many share, however few they are', () => {
    const card = z.object({ id: z.string(), a: z.int() });
    const types = createTypes(z.registry(), { Named: { description: 'An id', of: 'Card', members: ['id'] } });
    types.add('Card', card, 'output');
    assert.equal(
      [...types.declare().values()].join('').replaceAll(/\s+/g, ' ').trim(),
      'export interface Card extends Named { readonly a: number; } ' +
        '/** An id. */ export interface Named { readonly id: string; }',
    );
  });

  it('is refused when it is not sent as it is shown', () => {
    const id = z.string().transform(Number).pipe(z.int()).meta({ id: 'Changed' });
    const types = createTypes(z.registry());
    types.add('Sent', z.object({ id }), 'input');
    types.add('Shown', z.object({ id }), 'output');
    assert.throws(() => types.declare(), /Changed would be two types/);
  });
});

describe('a doc comment', () => {
  it('has the description as a sentence, and the form of dates and instants', () => {
    const schema = z.object({
      on: z.iso.date().nullish().describe('null: today'),
      at: z.iso.datetime(),
      by: z.iso.date().describe('Not YYYY-MM-DD!'),
    });
    assert.match(
      declared({ Type: schema.describe('A time') }),
      /^\/\*\* A time\. \*\/ .*\/\*\* Null: today\. YYYY-MM-DD\. \*\/ .*\/\*\* ISO 8601\. \*\/ .*\/\*\* Not YYYY-MM-DD! \*\//,
    );
  });

  it('is wrapped where it is longer than a line', () => {
    assert.equal(wrapComments('  /** one two */', 16), '  /** one two */');
    assert.equal(wrapComments('  /** one two three */', 16), '  /**\n   * one two\n   * three\n   */');
  });

  it('cannot end early', () => {
    assert.match(declared({ Type: z.string().describe('a */ b') }), /^\/\*\* A \*\\\/ b\. \*\/ export/);
  });
});

it('the generated types are those of the shapes', () => {
  for (const { url, text } of generatedFiles()) {
    assert.equal(readFileSync(url, 'utf8'), text, `${url.pathname} is stale: run npm run generate`);
  }
});
