import { isFeeLine } from '@tallystick/accounts';
import { afterDate, datedCursor, type Page, type PageRequest } from '@tallystick/kernel';
import {
  type LineFilter,
  type StatedLine,
  type StatementKeySetting,
  statement_key_default,
  statementKeyOf,
} from '@tallystick/reconciliation';
import { acquirer_key_sql } from '../../schema/tables/accounts.ts';
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
import { distinctTexts, inPieces, type Queries } from './query.ts';

const list_name = 'reconciliation-lines';

const lines = { name: 'tallystick_statement_lines', at: 'booking_date' } as const;

const stated_columns = `l.id, l.company_id, l.account_id, a.number as account_number, l.currency, l.statement_id, l.booking_date,
  l.value_date, l.amount, l.bai_code, l.text, l.bank_reference, l.acquirer_reference, l.balance_after, l.standing`;

/** The lines with these ids: see `ReconciliationReports.linesById`. */
export async function linesById(
  { all, each, from_ids, list }: Queries,
  company_id: number,
  ids: readonly number[],
): Promise<readonly StatedLine[]> {
  const text = each(
    from_ids,
    'l',
    stated_columns,
    `${lines.name} l cross join tallystick_accounts a`,
    'l.id = j.value and +l.company_id = ? and a.id = l.account_id',
  );
  return await inPieces(ids, async (piece) => {
    const rows = await all<Omit<StatedLine, 'is_fee'>>(text, list(piece), company_id);
    return rows.map((row) => ({ ...row, is_fee: isFeeLine(row) }));
  });
}

/** The lines that fit the filter, newest first: see `ReconciliationReports.listLines`. */
export async function listLines(
  queries: Queries,
  setting: StatementKeySetting,
  company_id: number,
  filter: LineFilter,
  page: PageRequest,
): Promise<Page<StatedLine>> {
  const place = afterDate(list_name, page);
  const account_id = await accountIdOf(queries, company_id, filter.account_id);
  if (account_id === null) return { items: [], next: null };
  const dates = within('booking_date', filter.booking_date);
  const company = equal('company_id', company_id);
  const conditions = {
    account_id: equal('account_id', account_id),
    bai_code: equal('bai_code', filter.bai_code),
    amount: within('amount', filter.amount),
    reference: hasReference(filter.reference, setting),
    text: hasText(queries, filter.text),
  };
  const others = Object.values(conditions).flat();
  const few: Few[] = [];
  if (filter.reference !== undefined) few.push(fewOfReference(filter.reference, company_id, [...others, ...dates]));
  const { bai_code, amount } = filter;
  if (bai_code !== undefined || amount !== undefined) {
    const codes =
      bai_code === undefined ? await distinctTexts(queries, lines.name, 'bai_code', company_id) : [bai_code];
    few.push(
      fewWhere(
        lines,
        [...company, ...conditions.amount, ...dates, isOneOf(queries, 'bai_code', codes)],
        [...conditions.account_id, ...conditions.reference, ...conditions.text],
      ),
    );
  }
  const in_order = account_id === undefined ? company : conditions.account_id;
  const { rows, next } = await listedRows<{ readonly id: number; readonly booking_date: string }>(
    queries,
    lines,
    {
      ranges: [joined([...in_order, ...dates])],
      others: others.filter((one) => !in_order.includes(one)),
      few,
    },
    place === null ? null : { at: place.date, id: place.id },
    page,
  );
  const ids = rows.map(({ id }) => id);
  const by_id = new Map((await linesById(queries, company_id, ids)).map((line) => [line.id, line]));
  return {
    items: ids.map((id) => by_id.get(id)!),
    next: next === null ? null : datedCursor(list_name, { date: String(next.at), id: next.id }),
  };
}

/** The id of the account with this number; null when the company has no such account. */
export async function accountIdOf(
  { all }: Queries,
  company_id: number,
  number: string | undefined,
): Promise<number | null | undefined> {
  if (number === undefined) return undefined;
  const [account] = await all<{ id: number }>(
    'select id from tallystick_accounts where number = ? and company_id = ?',
    number,
    company_id,
  );
  return account?.id ?? null;
}

function isOneOf({ from_texts, list, is_postgres }: Queries, column: string, texts: readonly string[]): Condition {
  return {
    text: is_postgres ? `${column} = any(?::text[])` : `${column} in (select j.value from ${from_texts})`,
    values: [list(texts)],
  };
}

/** No index has the parts of texts: they are compared with the bounded number of lines of a page. */
function hasText({ is_postgres }: Queries, text: string | undefined): readonly Condition[] {
  if (text === undefined) return [];
  const place = is_postgres ? 'strpos' : 'instr';
  const lowered = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return [{ text: `${place}(lower(text), ?) > 0`, values: [lowered] }];
}

function hasReference(reference: string | undefined, setting: StatementKeySetting): readonly Condition[] {
  if (reference === undefined) return [];
  const by_acquirer = byAcquirerReference(reference, setting);
  return [{ text: `(bank_reference = ? or (${by_acquirer.text}))`, values: [reference, ...by_acquirer.values] }];
}

/**
 * With the setting `whole` only the same text fits, which the index finds among those of its key.
 */
function byAcquirerReference(reference: string, setting: StatementKeySetting): Condition {
  const key = statementKeyOf(reference, statement_key_default) ?? reference;
  const conditions = [
    ...equal(acquirer_key_sql, key),
    { text: 'acquirer_reference is not null', values: [] },
    ...(setting === statement_key_default ? [] : equal('acquirer_reference', reference)),
  ];
  return joined(conditions);
}

/**
 * Lines by a reference. More than a few have it only when a bank repeats it without meaning, so
 * that the newest lines have it, too.
 */
function fewOfReference(reference: string, company_id: number, others: readonly Condition[]): Few {
  const key = statementKeyOf(reference, statement_key_default) ?? reference;
  const by_bank = `select l.booking_date, l.id from tallystick_accounts a cross join ${lines.name} l
    where a.company_id = ? and l.account_id = a.id and l.bank_reference = ?`;
  const by_acquirer = [
    ...equal('company_id', company_id),
    ...equal(acquirer_key_sql, key),
    { text: 'acquirer_reference is not null', values: [] },
  ];
  return {
    rows: (before, limit) =>
      union(lines, [
        firstOf(lines, { text: by_bank, values: [company_id, reference] }, before, limit),
        fewWhere(lines, by_acquirer, []).rows(before, limit),
      ]),
    others,
    sorted_max: 2_000,
  };
}
