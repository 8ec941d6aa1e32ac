import { type Account, isCardLine } from '@tallystick/accounts';
import { type Call, Refusal } from '@tallystick/kernel';
import type { DateRange } from '../filters.ts';
import type { Item } from '../item.ts';
import type { ReconciliationTx } from '../ports.ts';
import {
  type Bridge,
  type BridgeLine,
  type BridgeOptions,
  type BridgeRange,
  buildBridge,
  firstOf,
  isIn,
} from './bridge.ts';
import type { BookedLine, BookPlace, ReportsTx } from './ports.ts';

/** The bridge of an account over some dates. */
export interface AccountBridge extends Bridge {
  readonly account: Account;
  readonly booking_date: DateRange;
}

/** The parts of a transaction that a bridge needs. */
export type BridgeTx = Pick<ReconciliationTx, 'reconciliation'> &
  ReportsTx & { readonly accounts: { findByNumber(number: string): Promise<Account | null> } };

/** The lines of one look at the database: one turn of the event loop on SQLite (ADR 0054). */
const batch_size = 200;

/**
 * Reads the bridge of an account of the company, named by its number. It keeps in memory a batch of
 * lines, and what it lists. The transaction must see one state of the database.
 * Refuses (`not_found`) an account that the company does not have.
 */
export async function readBridge(
  tx: BridgeTx,
  { company_id }: Pick<Call, 'company_id'>,
  account_number: string,
  booking_date: DateRange,
  options: BridgeOptions = {},
): Promise<AccountBridge> {
  const account = await tx.accounts.findByNumber(account_number);
  if (account === null || account.company_id !== company_id) {
    throw new Refusal('not_found', 'the company has no account with this id');
  }
  const range = { account_id: account.id, from: booking_date.from ?? null, to: booking_date.to ?? null };
  const before = range.from === null ? 0 : await tx.reconciliation_reports.sumBookedBefore(account.id, range.from);
  const builder = buildBridge(range, (account.first_statement?.balance ?? 0) + before, options);
  for await (const lines of batchesOf(tx, range)) {
    for (const line of lines) if (!isCardLine(line)) builder.addOther(line.amount);
    const card_lines = lines.filter(isCardLine);
    const read = await itemsAt(tx, company_id, range, card_lines);
    for (const line of card_lines) {
      const found = read.get(line.id);
      if (found === undefined) builder.addPending(line);
      else if (found !== 'elsewhere') builder.addItem(found.item, found.lines);
    }
  }
  return { ...builder.end(), account, booking_date };
}

async function* batchesOf(tx: BridgeTx, range: BridgeRange): AsyncGenerator<readonly BookedLine[]> {
  let after: BookPlace | null = null;
  for (;;) {
    const lines: readonly BookedLine[] = await tx.reconciliation_reports.bookedLines(range, after, batch_size);
    if (lines.length > 0) yield lines;
    if (lines.length < batch_size) return;
    after = lines.at(-1)!;
  }
}

interface ItemWithLines {
  readonly item: Item;
  readonly lines: readonly BridgeLine[];
}

/**
 * What each of these lines adds to the bridge: its item, or nothing when another line of the range
 * adds it. Lines without an item are left out.
 */
async function itemsAt(
  { reconciliation, reconciliation_reports }: BridgeTx,
  company_id: number,
  range: BridgeRange,
  lines: readonly BookedLine[],
): Promise<ReadonlyMap<number, ItemWithLines | 'elsewhere'>> {
  const places = await reconciliation_reports.itemsOfLines(company_id, lines);
  const ids = [...new Set(places.map(({ item_id }) => item_id))];
  const items = new Map((await reconciliation.items(company_id, ids)).map((item) => [item.id, item]));
  const known = new Map<number, BridgeLine>(lines.map((line) => [line.id, line]));
  const missing = [...items.values()].flatMap(({ line_ids }) => line_ids).filter((id) => !known.has(id));
  if (missing.length > 0) {
    for (const line of await reconciliation_reports.linesById(company_id, missing)) {
      if (line.standing !== 'differs') known.set(line.id, line);
    }
  }
  const read = new Map<number, ItemWithLines | 'elsewhere'>();
  for (const { line_id, item_id } of places) {
    const item = items.get(item_id);
    if (item === undefined) continue;
    const of_item = item.line_ids.flatMap((id) => known.get(id) ?? []);
    const is_first = firstOf(of_item.filter((line) => isIn(range, line))).id === line_id;
    read.set(line_id, is_first ? { item, lines: of_item } : 'elsewhere');
  }
  return read;
}
