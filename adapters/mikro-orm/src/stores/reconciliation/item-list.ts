import { afterTime, type Page, type PageRequest, timedCursor } from '@tallystick/kernel';
import { type DateRange, type DueRange, type Item, type ItemFilter, item_statuses } from '@tallystick/reconciliation';
import { type ItemRow, itemOf } from './item-rows.ts';
import type { Queries } from './query.ts';

const list_name = 'reconciliation-items';

/**
 * How many items a page with several filters looks at. Few at first: they may fill it. A page for
 * which they do not suffice is shorter than its limit, and the next one continues behind them.
 */
const looked_at: readonly number[] = [1_000, 20_000];

/** A condition with its parameters. */
interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

const columns = 'i.*';
const newest_first = 'order by opened_at_ms desc, id desc';

/** The items that fit the filter, newest first: see `ReconciliationStore.list`. */
export async function listItems(
  queries: Queries,
  company_id: number,
  filter: ItemFilter,
  page: PageRequest,
): Promise<Page<Item>> {
  const { limit } = page;
  const after = afterTime(list_name, page);
  const offset = page.offset ?? 0;
  const { ranges, others } = await planOf(queries, company_id, filter);
  const before: readonly Condition[] =
    after === null ? [] : [{ text: '(opened_at_ms, id) < (?, ?)', values: [after.at_ms, after.id] }];
  const wanted = offset + limit + 1;
  let rows: readonly ItemRow[] = [];
  for (const examined of others.length === 0 ? [wanted] : looked_at) {
    const walked = rangesOf(ranges, before, Math.max(examined, wanted));
    const rest = joined(others);
    rows = await queries.all<ItemRow>(
      `select ${columns} from (${walked.text}) i ${rest.text === '' ? '' : `where ${rest.text}`} ${newest_first} limit ?`,
      ...walked.values,
      ...rest.values,
      wanted,
    );
    if (rows.length === wanted || others.length === 0) return pageOf(rows.slice(offset), limit);
    // The last item that was looked at, when there are more behind it.
    const [last] = await queries.all<ItemRow>(
      `select ${columns} from (${walked.text}) i ${newest_first} limit 1 offset ?`,
      ...walked.values,
      Math.max(examined, wanted) - 1,
    );
    if (last === undefined) return pageOf(rows.slice(offset), limit);
    if (examined === looked_at.at(-1)) {
      return { items: rows.slice(offset).map(itemOf), next: timedCursor(list_name, placeOf(last)) };
    }
  }
  return pageOf(rows.slice(offset), limit);
}

function pageOf(rows: readonly ItemRow[], limit: number): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(itemOf), next: last === undefined ? null : timedCursor(list_name, placeOf(last)) };
}

function placeOf({ opened_at_ms, id }: ItemRow) {
  return { at_ms: opened_at_ms, id };
}

/** The ranges of an index that have all items that may fit, and what else must hold of them. */
interface Plan {
  readonly ranges: readonly Condition[];
  readonly others: readonly Condition[];
}

async function planOf(queries: Queries, company_id: number, filter: ItemFilter): Promise<Plan> {
  const { status, kind, vcn_id } = filter;
  const of_company: Condition = { text: 'company_id = ?', values: [company_id] };
  const equal = (column: string, value: string | number | undefined): readonly Condition[] =>
    value === undefined ? [] : [{ text: `${column} = ?`, values: [value] }];
  const conditions = {
    vcn_id: equal('vcn_id', vcn_id),
    kind: equal('kind', kind),
    // The index of the most frequent class does not exist: it would have almost every item.
    class: equal('class', filter.class),
    status: equal('status', status),
    currency: equal('currency', filter.currency),
    settlement_date: withinDates('settlement_date', filter.settlement_date),
    due_date: withinDueDates(filter.due_date),
  };
  const lead = await leadOf(queries, company_id, filter);
  const others = Object.entries(conditions).flatMap(([name, found]) => (name === lead ? [] : found));
  if (lead === 'settlement_date') {
    // The same dates, by the index of periods: an item with a clearing has its period by it.
    const dates = withinDates('period_date', filter.settlement_date);
    return { ranges: [joined([of_company, ...dates])], others: [...others, ...conditions.settlement_date] };
  }
  if (lead === 'class') {
    const indexed: Condition = { text: "class <> 'exact'", values: [] };
    return { ranges: [joined([of_company, ...conditions.class, indexed])], others };
  }
  if (lead !== 'all') return { ranges: [joined([of_company, ...conditions[lead]])], others };
  return { ranges: item_statuses.map((one) => joined([of_company, ...equal('status', one)])), others };
}

/** The most items of a range of settlement dates that are sorted for a page. */
const sorted_max = 20_000;

/** The filter whose index leads: the usually rarest. */
async function leadOf(queries: Queries, company_id: number, filter: ItemFilter) {
  const { vcn_id, kind, status, settlement_date } = filter;
  if (vcn_id !== undefined) return 'vcn_id';
  if (kind !== undefined) return 'kind';
  if (filter.class !== undefined && filter.class !== 'exact') return 'class';
  if (status !== undefined && status !== 'matched') return 'status';
  if (settlement_date !== undefined) {
    const dates = joined([
      { text: 'company_id = ?', values: [company_id] },
      ...withinDates('period_date', settlement_date),
    ]);
    const [counted] = await queries.all<{ count: number }>(
      `select count(*) as count from (select 1 from tallystick_reconciliation_items where ${dates.text} limit ?) d`,
      ...dates.values,
      sorted_max + 1,
    );
    if (counted!.count <= sorted_max) return 'settlement_date';
  }
  return status === undefined ? 'all' : 'status';
}

function withinDates(column: string, range: DateRange | undefined): readonly Condition[] {
  if (range === undefined) return [];
  const { from, to } = range;
  return [
    { text: `${column} is not null`, values: [] },
    ...(from === undefined ? [] : [{ text: `${column} >= ?`, values: [from] }]),
    ...(to === undefined ? [] : [{ text: `${column} <= ?`, values: [to] }]),
  ];
}

function withinDueDates(range: DueRange | undefined): readonly Condition[] {
  if (range?.with_later_breaks !== true || range.to === undefined) return withinDates('due_date', range);
  const { from, to } = range;
  return [
    ...withinDates('due_date', from === undefined ? {} : { from }),
    { text: "(due_date <= ? or status = 'break')", values: [to] },
  ];
}

function joined(conditions: readonly Condition[]): Condition {
  return {
    text: conditions.map(({ text }) => text).join(' and '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** The newest items of all ranges. Each range has an index in this order, or is sorted. */
function rangesOf(ranges: readonly Condition[], before: readonly Condition[], limit: number): Condition {
  const parts = ranges.map((range): Condition => {
    const { text, values } = joined([range, ...before]);
    return {
      text: `select * from (select * from tallystick_reconciliation_items where ${text} ${newest_first} limit ?) r`,
      values: [...values, limit],
    };
  });
  if (parts.length === 1) return parts[0]!;
  return {
    text: `${parts.map(({ text }) => text).join(' union all ')} ${newest_first} limit ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}
