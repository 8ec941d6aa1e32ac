import type { Page } from '@tallystick/kernel';
import {
  bucketOf,
  type CountAndSum,
  type Item,
  listItems,
  type ReconciliationTx,
  type Summary,
} from '@tallystick/reconciliation';
import type { CardOf, ExpectedClearing, ExpectedItem, ExpectedSummary, SampleSet } from '@tallystick/samples';
import { type Row, readRows, type ScratchDatabase } from '@tallystick/test-support';

/** The most differences that are collected. */
const differences_max = 20;

interface AuthorizationRow extends Row {
  readonly id: number;
  readonly card_id: number;
  readonly trace_id: string;
  readonly status: string;
  readonly held: number;
  readonly cleared: number;
  readonly uses: number;
}

interface ClearingRow extends Row {
  readonly id: number;
  readonly card_id: number;
  readonly transaction_id: string;
  readonly acquirer_reference_data: string | null;
  readonly settlement_date: string;
  readonly clearing_type: string;
  readonly cycle: string;
  readonly match_rule: number;
  readonly class: string;
  readonly review: number | boolean;
  readonly authorization_id: number | null;
  readonly clearing_id: number | null;
}

/**
 * Compares a database with the answer sheet of a set that arrived in it completely: every
 * authorization, clearing, card and quarantined record, and nothing else. Returns what differs, in
 * words; empty if nothing does.
 */
export async function differencesFrom(
  database: ScratchDatabase,
  set: SampleSet,
  cardOf: CardOf,
  { by_message_only = false }: { readonly by_message_only?: boolean } = {},
): Promise<readonly string[]> {
  const differences: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown): void => {
    const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
    if (is !== should && differences.length < differences_max) differences.push(`${what}: ${is}, not ${should}`);
  };

  const authorizations = await readRows<AuthorizationRow>(
    database,
    'select id, card_id, trace_id, status, held, cleared, uses from tallystick_authorizations where id = root_id',
  );
  const trace_ids = new Map(authorizations.map(({ id, trace_id }) => [id, trace_id]));
  const by_trace = new Map(authorizations.map((row) => [`${row.card_id} ${row.trace_id}`, row]));
  let count = 0;
  for (const { card, trace_id, scenario, status, held, cleared, uses } of set.expectedAuthorizations()) {
    count += 1;
    const row = by_trace.get(`${cardOf(card).vcn_id} ${trace_id}`);
    const found = row && { status: row.status, held: row.held, cleared: row.cleared, uses: row.uses };
    compare(`authorization ${trace_id} of ${scenario}`, found, { status, held, cleared, uses });
  }
  compare('authorizations', authorizations.length, count);

  const clearings = await readRows<ClearingRow>(
    database,
    `select id, card_id, network_financial_transaction_id as transaction_id, acquirer_reference_data,
       settlement_date, clearing_type, cycle, match_rule, "class", review, authorization_id, clearing_id from tallystick_clearings`,
  );
  const by_key = new Map(clearings.map((row) => [keyOf(row.card_id, row), row]));
  const keys = new Map<string, string>();
  const quarantined = new Map<string, number>();
  const applied = new Set<string>();
  for (const { expected, message } of set.records(cardOf)) {
    if (expected.quarantine !== null) {
      if (message === null && by_message_only) continue;
      quarantined.set(expected.quarantine, (quarantined.get(expected.quarantine) ?? 0) + 1);
      continue;
    }
    const key = keyOf(cardOf(expected.card!).vcn_id, expected);
    applied.add(key);
    keys.set(expected.transaction_id, key);
    if (expected.duplicate_of !== null) continue;
    const row = by_key.get(key);
    const found = row && {
      rule: row.match_rule,
      class: row.class,
      review: Boolean(row.review),
      authorization: row.authorization_id === null ? null : trace_ids.get(row.authorization_id),
      earlier: row.clearing_id,
    };
    const { rule, class: its_class, review, authorization, earlier } = expected;
    const earlier_key = earlier === null ? null : keys.get(earlier);
    const earlier_id = earlier_key === null || earlier_key === undefined ? null : (by_key.get(earlier_key)?.id ?? null);
    compare(`clearing ${expected.transaction_id} of ${expected.scenario}`, found, {
      rule,
      class: its_class,
      review,
      authorization,
      earlier: earlier_id,
    });
  }
  compare('clearings', clearings.length, applied.size);

  const reasons = await readRows<{ reason: string; count: number }>(
    database,
    `select reason, count(*) as count from tallystick_quarantine where status = 'quarantined' group by reason`,
  );
  compare(
    'quarantined records',
    Object.fromEntries(reasons.map(({ reason, count: times }) => [reason, times]).sort()),
    Object.fromEntries([...quarantined].sort()),
  );

  const rows = await readRows<{ id: number; held: number; cleared: number; uses: number }>(
    database,
    'select id, held, cleared, uses from tallystick_virtual_cards',
  );
  const cards = new Map(rows.map((row) => [row.id, row]));
  for (const { card, held, cleared, uses } of set.expectedCards()) {
    const row = cards.get(cardOf(card).vcn_id);
    const found = row && { held: row.held, cleared: row.cleared, uses: row.uses };
    compare(`card ${card}`, found, { held, cleared, uses });
  }
  return differences;
}

/**
 * What identifies a clearing on its card in a set, whichever way it came. A format without acquirer
 * reference data has the transaction ids of the network.
 */
export function keyOf(
  vcn_id: number,
  clearing: Pick<ExpectedClearing, 'settlement_date' | 'acquirer_reference_data'> & {
    readonly transaction_id: string;
    readonly clearing_type: string;
    readonly cycle: string;
  },
): string {
  const { acquirer_reference_data, transaction_id, settlement_date, clearing_type, cycle } = clearing;
  return `${vcn_id} ${acquirer_reference_data ?? transaction_id} ${settlement_date} ${clearing_type} ${cycle}`;
}

interface ItemsReader {
  read<Result>(work: (tx: Pick<ReconciliationTx, 'reconciliation'>) => Promise<Result>): Promise<Result>;
}

/** What identifies the records of items on every database: the set knows nothing of their ids. */
interface RecordNames {
  readonly authorizations: ReadonlyMap<number, string>;
  readonly clearings: ReadonlyMap<number, string>;
  readonly lines: ReadonlyMap<number, string>;
}

/**
 * Compares all items of a company with those that a set expects at the end of a day, and nothing
 * else. Returns what differs, in words; empty if nothing does.
 */
export async function itemDifferencesFrom(
  { database, company_id }: { readonly database: ScratchDatabase; readonly company_id: number },
  unitOfWork: ItemsReader,
  set: SampleSet,
  cardOf: CardOf,
  at: { readonly today: string; readonly now_ms: number },
): Promise<readonly string[]> {
  const names = await namesIn(database);
  const found = new Map<string, string>();
  const differences: string[] = [];
  const add = (difference: string): void => {
    if (differences.length < differences_max) differences.push(difference);
  };
  for await (const item of allItems(unitOfWork, company_id)) {
    const { records, answer } = describeItem(item, names, at.now_ms);
    if (found.has(records)) add(`two items have the records ${records}`);
    found.set(records, JSON.stringify(answer));
  }
  const clearings = clearingNames(set, cardOf);
  for (const expected of set.expectedItems(at.today)) {
    const { records, answer } = describeExpected(expected, clearings, cardOf);
    const is = found.get(records);
    found.delete(records);
    const should = JSON.stringify(answer);
    if (is !== should) add(`${expected.scenario}, ${records}: ${is ?? 'no item'}, not ${should}`);
  }
  for (const [records, answer] of found) add(`not expected: ${records}: ${answer}`);
  return differences;
}

/** The totals of a summary that are not 0, as a set expects them. */
export function totalsOf({ by_status, by_kind, by_class, by_age }: Summary): Omit<ExpectedSummary, 'kind' | 'today'> {
  const counted = <Totals extends Readonly<Record<string, CountAndSum>>>(totals: Totals): Partial<Totals> =>
    Object.fromEntries(Object.entries(totals).filter(([, { count }]) => count > 0)) as Partial<Totals>;
  return {
    by_status: counted(by_status),
    by_kind: counted(by_kind),
    by_class: counted(by_class),
    by_age: counted(by_age),
  };
}

async function* allItems(unitOfWork: ItemsReader, company_id: number): AsyncGenerator<Item> {
  let after: string | undefined;
  do {
    const request = after === undefined ? { limit: 100 } : { limit: 100, after };
    const page: Page<Item> = await unitOfWork.read((tx) => listItems(tx, { company_id }, {}, request));
    yield* page.items;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

async function namesIn(database: ScratchDatabase): Promise<RecordNames> {
  const authorizations = await readRows<{ id: number; card_id: number; trace_id: string }>(
    database,
    'select id, card_id, trace_id from tallystick_authorizations where id = root_id',
  );
  const clearings = await readRows<ClearingRow>(
    database,
    `select id, card_id, network_financial_transaction_id as transaction_id, acquirer_reference_data,
       settlement_date, clearing_type, cycle from tallystick_clearings`,
  );
  const lines = await readRows<{ id: number; bank_reference: string }>(
    database,
    'select id, bank_reference from tallystick_statement_lines',
  );
  return {
    authorizations: new Map(authorizations.map(({ id, card_id, trace_id }) => [id, `${card_id} ${trace_id}`])),
    clearings: new Map(clearings.map((row) => [row.id, keyOf(row.card_id, row)])),
    lines: new Map(lines.map(({ id, bank_reference }) => [id, bank_reference])),
  };
}

interface ClearingRow extends Row {
  readonly id: number;
  readonly card_id: number;
  readonly transaction_id: string;
  readonly acquirer_reference_data: string | null;
  readonly settlement_date: string;
  readonly clearing_type: string;
  readonly cycle: string;
}

/** The keys of the clearings of a set, by their transaction ids. */
function clearingNames(set: SampleSet, cardOf: CardOf): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { expected } of set.records(cardOf)) {
    if (expected.quarantine !== null) continue;
    names.set(expected.transaction_id, keyOf(cardOf(expected.card!).vcn_id, expected));
  }
  return names;
}

interface Described {
  readonly records: string;
  readonly answer: object;
}

function describeItem(item: Item, names: RecordNames, now_ms: number): Described {
  const pairs = item.matches
    .filter(({ side }) => side === 'statement')
    .flatMap(({ line_ids, clearing_ids }) =>
      line_ids.flatMap((line) =>
        clearing_ids.map((clearing) => [names.lines.get(line), names.clearings.get(clearing)]),
      ),
    );
  return {
    records: [
      ...item.authorization_ids.map((id) => names.authorizations.get(id)),
      ...item.clearing_ids.map((id) => names.clearings.get(id)),
      ...item.line_ids.map((id) => names.lines.get(id)),
    ]
      .toSorted()
      .join(' | '),
    answer: {
      pairs: pairs.map((pair) => pair.join(' ')).toSorted(),
      status: item.status,
      break_kind: item.kind,
      class: item.class,
      rule: item.rule,
      authorized: item.authorized,
      cleared: item.cleared,
      stated: item.stated,
      fees: item.fees,
      difference: item.difference,
      settlement_date: item.settlement_date,
      due_date: item.due_date,
      age: item.status === 'break' && item.due_date !== null ? bucketOf(item.due_date, now_ms) : null,
      offers: item.alternatives.filter(({ rule }) => rule === 'covering_set').length,
    },
  };
}

function describeExpected(expected: ExpectedItem, clearings: ReadonlyMap<string, string>, cardOf: CardOf): Described {
  const { kind: _, scenario: __, card, authorizations, clearings: of_item, lines, pairs, ...answer } = expected;
  const vcn_id = card === null ? 0 : cardOf(card).vcn_id;
  return {
    records: [
      ...authorizations.map((trace_id) => `${vcn_id} ${trace_id}`),
      ...of_item.map((transaction_id) => clearings.get(transaction_id)),
      ...lines,
    ]
      .toSorted()
      .join(' | '),
    answer: { pairs: pairs.map(({ line, clearing }) => `${line} ${clearings.get(clearing)}`).toSorted(), ...answer },
  };
}
