import { afterTime, type Page, timedCursor } from '@tallystick/kernel';
import {
  type DueRange,
  type Item,
  type ItemFilter,
  type ItemPageRequest,
  item_statuses,
  type StatementKeySetting,
  statementKeyOf,
} from '@tallystick/reconciliation';
import { lookedUp } from '../../schema/look-ups.ts';
import { acquirer_key_sql } from '../../schema/tables/accounts.ts';
import { indexed_amounts } from '../../schema/tables/reconciliation.ts';
import { type ItemRow, itemOf } from './item-rows.ts';
import { accountIdOf } from './line-list.ts';
import {
  type Condition,
  equal,
  type Few,
  fewWhere,
  firstOf,
  joined,
  listedRows,
  union,
  within,
} from './listed-rows.ts';
import { distinctTexts, type Queries } from './query.ts';

const items = { name: 'tallystick_reconciliation_items', at: 'opened_at_ms' } as const;

/** The items that fit the filter, newest or oldest first: see `ReconciliationStore.list`. */
export async function listItems(
  queries: Queries,
  setting: StatementKeySetting,
  company_id: number,
  filter: ItemFilter,
  page: ItemPageRequest,
): Promise<Page<Item>> {
  const { oldest_first = false } = page;
  const list_name = oldest_first ? 'reconciliation-items-oldest' : 'reconciliation-items';
  const place = afterTime(list_name, page);
  const account_id = await accountIdOf(queries, company_id, filter.account_id);
  if (account_id === null) return { items: [], next: null };
  const conditions: Conditions = {
    account_id: equal('account_id', account_id),
    vcn_id: equal('vcn_id', filter.vcn_id),
    kind: equal('kind', filter.kind),
    class: equal('class', filter.class),
    status: equal('status', filter.status),
    merchant_name: equal('merchant_name', filter.merchant_name),
    assignee: filter.assignee === null ? [unassigned] : equal('assignee', filter.assignee),
    currency: equal('currency', filter.currency),
    settlement_date: within('settlement_date', filter.settlement_date),
    due_date: withinDueDates(filter.due_date),
    booking_date: within('booking_date', filter.booking_date),
    amount: withAmount(filter),
  };
  const company = equal('company_id', company_id);
  const without = (...names: readonly string[]) =>
    Object.entries(conditions).flatMap(([name, found]) => (names.includes(name) ? [] : found));
  const lead = leadOf(filter);
  // The index of an account has its items by status, as that of the company has.
  const by_account = filter.account_id !== undefined && (lead === 'all' || lead === 'status');
  const scope = by_account ? conditions.account_id : company;
  const ranges =
    lead === 'all'
      ? item_statuses.map((one) => joined([...scope, ...equal('status', one)]))
      : [joined([...scope, ...conditions[lead], ...(lead === 'class' ? indexed_class : [])])];
  const few: Few[] = [];
  const keys = filter.reference === undefined ? [] : await keysOf(queries, setting, company_id, filter.reference);
  const referenced = filter.reference === undefined ? [] : [withReference(queries, company_id, keys, filter.reference)];
  if (filter.reference !== undefined) {
    few.push(fewOfReference(queries, setting, company_id, keys, filter.reference, without()));
  }
  // Dates of settlement by the index of periods: an item with a clearing has its period by it.
  for (const [name, column] of [
    ['booking_date', 'booking_date'],
    ['settlement_date', 'period_date'],
  ] as const) {
    const dates = within(column, filter[name]);
    const others = name === column ? without(name) : without();
    if (dates.length > 0) few.push(fewWhere(items, [...company, ...dates], [...others, ...referenced]));
  }
  if (filter.amount !== undefined) {
    few.push(fewOfAmount(company, filter, conditions.status, [...without('amount', 'status'), ...referenced]));
  }
  for (const name of ['vcn_id', 'merchant_name', 'account_id', 'assignee', 'kind'] as const) {
    if (conditions[name].length > 0 && conditions[name][0] !== unassigned && name !== lead) {
      few.push(fewWhere(items, [...company, ...conditions[name]], [...without(name), ...referenced]));
    }
  }
  const { rows, next } = await listedRows<ItemRow>(
    queries,
    { ...items, is_rising: oldest_first },
    {
      ranges,
      others: [...without(lead, by_account ? 'account_id' : ''), ...referenced],
      few,
      ...(filter.reference === undefined ? {} : { compared_max: referenced_max }),
    },
    place === null ? null : { at: place.at_ms, id: place.id },
    page,
  );
  return {
    items: rows.map(itemOf),
    next: next === null ? null : timedCursor(list_name, { at_ms: Number(next.at), id: next.id }),
  };
}

/** Each comparison of a reference reads the records of an item. */
const referenced_max = 200;

type Conditions = Readonly<Record<Exclude<keyof ItemFilter, 'reference'>, readonly Condition[]>>;

/** Has no index: few items of a company are assigned to somebody, but for breaks. */
const unassigned: Condition = { text: 'assignee is null', values: [] };

/** The index of the most frequent class does not exist: it would have almost every item. */
const indexed_class: readonly Condition[] = [{ text: "class <> 'exact'", values: [] }];

/** The filter whose index has the order of the list and leads: the usually rarest. */
function leadOf(filter: ItemFilter): 'vcn_id' | 'assignee' | 'kind' | 'class' | 'status' | 'merchant_name' | 'all' {
  if (filter.vcn_id !== undefined) return 'vcn_id';
  if (typeof filter.assignee === 'string') return 'assignee';
  if (filter.kind !== undefined) return 'kind';
  if (filter.class !== undefined && filter.class !== 'exact') return 'class';
  if (filter.status !== undefined && filter.status !== 'matched') return 'status';
  if (filter.merchant_name !== undefined) return 'merchant_name';
  return filter.status === undefined ? 'all' : 'status';
}

function withinDueDates(range: DueRange | undefined): readonly Condition[] {
  if (range?.with_later_breaks !== true || range.to === undefined) return within('due_date', range);
  const { from, to } = range;
  return [
    ...within('due_date', from === undefined ? {} : { from }),
    { text: "(due_date <= ? or status = 'break')", values: [to] },
  ];
}

function withAmount({ amount }: ItemFilter): readonly Condition[] {
  if (amount === undefined) return [];
  const any = Object.keys(indexed_amounts).map((column) => joined(within(column, amount)));
  return [
    { text: `(${any.map(({ text }) => `(${text})`).join(' or ')})`, values: any.flatMap(({ values }) => values) },
  ];
}

/** The indexes of amounts also have the status: a break with the amount of thousands is found in them. */
function fewOfAmount(
  company: readonly Condition[],
  { amount }: ItemFilter,
  status: readonly Condition[],
  others: readonly Condition[],
): Few {
  const columns = 'opened_at_ms, id, status';
  const parts = Object.entries(indexed_amounts).map(([column, indexed]) =>
    fewWhere(items, [...company, ...within(column, amount), { text: indexed, values: [] }], [], columns),
  );
  return {
    rows: (before, limit) =>
      union(
        items,
        parts.map((part) => part.rows(before, limit)),
        columns,
      ),
    covered: status,
    others,
  };
}

/** The keys of entries with this acquirer reference, in each currency of the company's items. */
async function keysOf(
  queries: Queries,
  setting: StatementKeySetting,
  company_id: number,
  reference: string,
): Promise<readonly string[]> {
  const key = statementKeyOf(reference, setting);
  if (key === null) return [];
  const currencies = await distinctTexts(queries, 'tallystick_reconciliation_cells', 'currency', company_id);
  return currencies.map((currency) => `${currency} ${key}`);
}

/**
 * A join that looks up the rows of a table for each row before it: Postgres would else read the whole
 * table. The condition gets the prefix of the table's columns.
 */
function joinedTo(is_postgres: boolean, table: string, alias: string, condition: (prefix: string) => string): string {
  return is_postgres
    ? `cross join lateral ${lookedUp(table, condition(''))} ${alias}`
    : `cross join ${table} ${alias} on ${condition(`${alias}.`)}`;
}

/** That a clearing or a line of the item has one of these keys, or a line the bank's reference. */
function withReference(
  { is_postgres, from_texts, list }: Queries,
  company_id: number,
  keys: readonly string[],
  reference: string,
): Condition {
  const idsIn = (column: string) =>
    is_postgres
      ? `(select v::bigint as value from json_array_elements_text(${column}::json) v) m`
      : `json_each(${column}) m`;
  const entry = (kind: string, column: string): Condition => {
    const found = joinedTo(
      is_postgres,
      'tallystick_reconciliation_entries',
      'e',
      (e) => `${e}company_id = ? and ${e}"key" = j.value and ${e}kind = '${kind}' and ${e}record_id = m.value`,
    );
    return {
      text: `exists (select 1 from ${idsIn(column)} cross join ${from_texts} ${found})`,
      values: [list(keys), company_id],
    };
  };
  const line = joinedTo(
    is_postgres,
    'tallystick_statement_lines',
    'l',
    (l) => `${l}id = m.value and ${l}bank_reference = ?`,
  );
  const any: readonly Condition[] = [
    { text: `exists (select 1 from ${idsIn('line_ids')} ${line})`, values: [reference] },
    ...(keys.length === 0 ? [] : [entry('clearing', 'clearing_ids'), entry('line', 'line_ids')]),
  ];
  return { text: `(${any.map(({ text }) => text).join(' or ')})`, values: any.flatMap(({ values }) => values) };
}

/**
 * Items by a reference. More than a few have it only when it is repeated without meaning, so that
 * the newest items have it, too.
 */
function fewOfReference(
  { is_postgres, from_texts, list }: Queries,
  setting: StatementKeySetting,
  company_id: number,
  keys: readonly string[],
  reference: string,
  others: readonly Condition[],
): Few {
  const key = setting === 'whole' ? 'l.acquirer_reference' : acquirer_key_sql.replaceAll('acquirer_', 'l.acquirer_');
  const look = (table: string, alias: string, condition: (prefix: string) => string) =>
    joinedTo(is_postgres, table, alias, condition);
  const item = look(items.name, 'i', (i) => `${i}id = e.item_id`);
  const by_key = `select i.opened_at_ms, i.id from ${from_texts}
    ${look('tallystick_reconciliation_entries', 'e', (e) => `${e}company_id = ? and ${e}"key" = j.value`)} ${item}`;
  const by_line = `select i.opened_at_ms, i.id from tallystick_accounts a
    ${look('tallystick_statement_lines', 'l', (l) => `${l}account_id = a.id and ${l}bank_reference = ?`)}
    ${look(
      'tallystick_reconciliation_entries',
      'e',
      (e) => `${e}company_id = a.company_id and ${e}kind = 'line' and ${e}record_id = l.id
        and ${e}"key" in (l.currency || ' ' || ${key}, l.currency || ' -' || l.booking_date)`,
    )} ${item} where a.company_id = ?`;
  return {
    rows: (before, limit) =>
      union(items, [
        firstOf(items, { text: by_key, values: [list(keys), company_id] }, before, limit),
        firstOf(items, { text: by_line, values: [reference, company_id] }, before, limit),
      ]),
    others,
    sorted_max: referenced_max,
  };
}
