import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Operation, shares_pass } from '@tallystick/operations';
import * as z from 'zod';
import { createTypes } from './declarations.ts';
import { declareMethods } from './methods.ts';

const card = z.object({ id: z.string() }).meta({ id: 'Card' });
const create_card = z.object({ data: z.object({ amount: z.int() }), show: z.boolean().optional() });
const filter = z.object({ last4: z.string() }).partial();
const names = { company: ['Company', 'A company'], 'company.cards': ['Cards', 'Its cards'] } as const;

/** The declaration of an operation's method, without the space in it. */
function methodOf(described: Partial<Operation>): string {
  const types = createTypes(z.registry());
  types.add('CreateCard', create_card.shape.data, 'input');
  types.add('CardFilter', filter, 'filter');
  const operation = { method: 'company.cards.name', summary: 'Do it', answer: null, ...described } as Operation;
  const declared = declareMethods([operation], names, types).replaceAll(/\s+/g, ' ');
  return /interface Cards \{ (.*) \}/.exec(declared)![1]!;
}

describe('a method', () => {
  for (const [rule, operation, declared] of [
    ['has no result without an answer', {}, 'name(options?: TransactionOptions): Promise<void>;'],
    ['returns a resource', { answer: card }, 'name(options?: TransactionOptions): Promise<Card>;'],
    ['returns all of some', { answer: z.array(card) }, 'name(options?: TransactionOptions): Promise<readonly Card[]>;'],
    [
      'returns a list of pages, with filters',
      { answer: z.array(card), query: { paged: true, filter } },
      'name(options?: TransactionOptions & PageOptions & FilterOptions<CardFilter>): List<Card>;',
    ],
    [
      'returns a file in pieces',
      { answers_file: 'text/csv' },
      'name(options?: TransactionOptions): AsyncIterable<string>;',
    ],
    [
      'takes its parameters in their order, ids as numbers or digits',
      { parameters: ['id', 'delivery_id', 'number', 'consent_id', 'user_id'] },
      'name(id: Id, delivery_id: Id, number: string, consent_id: string, user_id: string, options?: TransactionOptions): Promise<void>;',
    ],
    [
      'takes a resource, and what stands beside it as an option',
      { parameters: ['id'], documented_body: create_card },
      'name(id: Id, data: CreateCard, options?: TransactionOptions & { readonly show?: boolean | undefined; }): Promise<void>;',
    ],
    [
      'takes a resource that may be absent',
      { body: create_card.pick({ data: true }), data_is_optional: true },
      'name(data?: CreateCard, options?: TransactionOptions): Promise<void>;',
    ],
    [
      'takes flags and texts as options',
      { query: { flags: { all: 'True: all' }, texts: z.object({ format: z.string().optional() }) } },
      'name(options?: TransactionOptions & { /** True: all. */ readonly all?: boolean | undefined; readonly format?: string | undefined; }): Promise<void>;',
    ],
    [
      'needs its options when one is required',
      { query: { filter: z.object({ account: z.string() }) } },
      'name(options: TransactionOptions & { readonly filter: { readonly account: string; }; }): Promise<void>;',
    ],
  ] as const) {
    it(rule, () => assert.equal(methodOf(operation as Partial<Operation>), `/** Do it. */ ${declared}`));
  }

  it('says why it takes no transaction', () => {
    assert.equal(
      methodOf({ description: 'In full', runs_alone: shares_pass }),
      `/** Do it. In full. Takes no \`tx\`, because ${shares_pass}. */ name(options?: CallOptions): Promise<void>;`,
    );
  });

  it('takes a file, and may answer early', () => {
    const receive = () => Promise.resolve();
    assert.match(
      methodOf({ receive, runs_alone: shares_pass, answers_early: true } as Partial<Operation>),
      /name\(file: FileContent, options\?: CallOptions & \{ \/\*\* .* \*\/ readonly respond_async\?: boolean/,
    );
  });
});

describe('groups of methods', () => {
  it('are interfaces within each other', () => {
    const operation = { method: 'company.cards.issue', summary: 'Issue', answer: null } as Operation;
    assert.equal(
      declareMethods([operation], names, createTypes(z.registry())).replaceAll(/\s+/g, ' '),
      '/** A company. */ export interface Company { readonly cards: Cards; } ' +
        '/** Its cards. */ export interface Cards { /** Issue. */ issue(options?: TransactionOptions): Promise<void>; } ',
    );
  });

  it('need a name', () => {
    const operation = { method: 'bank.users.read', summary: 'Read', answer: null } as Operation;
    assert.throws(
      () => declareMethods([operation], names, createTypes(z.registry())),
      /group of methods bank.* has no name/,
    );
  });
});
