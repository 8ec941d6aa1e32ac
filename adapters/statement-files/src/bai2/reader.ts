import { showAccountNumber } from '@tallystick/accounts';
import {
  type FileItem,
  FileProblem,
  type ItemBatch,
  noteRecords,
  type RecordPlace,
  type StatedProblem,
} from '@tallystick/imports';
import { readAccount, type StatedGroup } from './account.ts';
import { readDetail } from './detail.ts';
import { dayOf } from './fields.ts';
import { codeOf, LogicalRecord, problemOf, refuse } from './logical-record.ts';
import { type PhysicalRecord, PhysicalRecordReader } from './physical-records.ts';

const codes_expected = '01, 02, 03, 16, 49, 98, 99 or 88';

interface FileHead {
  readonly file_id: string | null;
  readonly created_on: string;
}

/** What a trailer must state of the records before it. */
class Totals {
  sum = 0n;
  parts = 0;
  records = 0;
}

/** An account whose records are being read. */
interface OpenAccount {
  readonly place: RecordPlace;
  readonly number: string;
  readonly as_of: string;
  readonly totals: Totals;
  /** Whether all of its amounts can be read. */
  is_summed: boolean;
  lines: number;
  /**
   * Its statement, and texts after it, which become items with its first line: without lines and
   * balances there is no statement. Null: they are items.
   */
  waiting: FileItem[] | null;
}

/** The most texts of an account without lines that are kept. */
const waiting_max = 100;

/**
 * Reads a BAI2 file (version 2, and 3 of its successor BTRS), record by record:
 *
 * - outside of groups: 01, then 02 or 99
 * - in a group: 03 or 98
 * - in an account: 16 or 49
 * - after 99: nothing, or 01, because systems that collect files write one after another
 *
 * A record with its continuations (88) is complete when the next one begins. Each trailer states
 * the sum of all amounts and the number of physical records, which must be those of the file. An
 * account with an amount that cannot be read counts with the sum that its trailer states: its
 * statement is held.
 */
export class Bai2Reader {
  readonly #records = new PhysicalRecordReader();
  #items: FileItem[] = [];
  #pending: LogicalRecord | null = null;
  #header: FileHead | null = null;
  #is_header_reported = false;
  /** Of the file that is being read, and of those before it. */
  #file = new Totals();
  readonly #whole = new Totals();
  #group: { readonly stated: StatedGroup; readonly totals: Totals } | null = null;
  #account: OpenAccount | null = null;
  #statements = 0;
  #end: FileItem | null = null;
  #bytes = 0;
  #mode: 'production' | 'test' = 'production';

  /** The items of the file. Throws `FileProblem` for a file that cannot be accepted. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#read(chunks), () => this.#whole.records + this.#file.records);
  }

  async *#read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      for (const record of this.#records.push(chunk)) this.#take(record);
      if (this.#items.length === 0) continue;
      const items = this.#items;
      this.#items = [];
      yield { items, bytes: this.#bytes };
    }
    for (const record of this.#records.finish()) this.#takeLast(record);
    this.#complete();
    if (this.#end === null) throw this.#truncated();
    yield { items: [...this.#items, this.#end], bytes: this.#bytes };
  }

  /** A last record that no line break ends may be a part of one. Its end may be left off. */
  #takeLast(record: PhysicalRecord & { readonly is_cut: boolean }): void {
    const is_begun = '01,'.startsWith(record.text.slice(0, 3)) || (this.#pending ?? { code: '99' }).code !== '99';
    const trailer = /^99,[^,]*,[^,]*,\s*0*(\d+)(\/?)$/.exec(record.text);
    const is_whole = trailer?.[2] === '/' || Number(trailer?.[1]) === this.#file.records + 1;
    if (record.is_cut && is_begun && !is_whole) {
      this.#file.records += 1;
      throw this.#truncated();
    }
    this.#take(record);
  }

  #take(record: PhysicalRecord): void {
    const code = codeOf(record);
    if (code === '88' || (code === null && this.#pending?.isOpenText())) {
      if (this.#pending === null) refuse(record, 'record_misplaced', 'continues no record');
      if (code !== null) this.#file.records += 1;
      this.#pending.continue(record);
      return;
    }
    if (code === null) refuse(record, 'record_unknown', `must begin with ${codes_expected} and a comma`);
    this.#complete();
    if (code !== '01' && this.#end !== null) refuse(record, 'bytes_after_end', 'follows the trailer of the file (99)');
    if (code !== '01' && this.#header === null) refuse(record, 'header_missing', 'must be the header of the file (01)');
    this.#file.records += 1;
    this.#pending = new LogicalRecord(code, record);
  }

  /** Reads the record that has all of its continuations. */
  #complete(): void {
    const record = this.#pending;
    if (record === null) return;
    this.#pending = null;
    if (this.#account !== null) this.#account.totals.records += record.records;
    if (this.#group !== null) this.#group.totals.records += record.records;
    switch (record.code) {
      case '01':
        this.#begin(record);
        return;
      case '02':
        this.#beginGroup(record);
        return;
      case '03':
        this.#beginAccount(record);
        return;
      case '16':
        this.#addDetail(record);
        return;
      case '49':
        this.#endAccount(record);
        return;
      case '98':
        this.#endGroup(record);
        return;
      case '99':
        this.#finish(record);
    }
  }

  #begin(record: LogicalRecord): void {
    if (this.#header !== null && this.#end === null) refuse(record, 'record_misplaced', 'is a second header (01)');
    const [sender = '', , date = '', , id = '', , , version = ''] = record.fields();
    const created_on = dayOf(date);
    if (created_on === null)
      refuse(record, 'date_malformed', `must state the date of the file as YYMMDD, not "${date}"`);
    if (!/^0*[23]?$/.test(version)) {
      refuse(record, 'version_unknown', `must state version 2 or 3 of the format as its ninth field, not "${version}"`);
    }
    this.#end = null;
    this.#header = { file_id: id === '' ? null : `${sender}-${created_on}-${id}`, created_on };
  }

  #beginGroup(record: LogicalRecord): void {
    if (this.#group !== null) refuse(record, 'record_misplaced', 'begins a group within a group');
    const [, , status = '', date = '', , currency = '', modifier = ''] = record.fields();
    this.#reportHeader(status === '4');
    const problem = problemOfGroup({ status, date, modifier }, this.#mode);
    const totals = new Totals();
    totals.records = record.records;
    this.#group = { stated: { as_of: dayOf(date) ?? this.#header!.created_on, currency, problem }, totals };
    this.#file.parts += 1;
  }

  /** The group says whether the file is a test, so the header is reported with the first one. */
  #reportHeader(is_test: boolean): void {
    if (this.#is_header_reported) return;
    this.#is_header_reported = true;
    this.#mode = is_test ? 'test' : 'production';
    this.#items.push({
      ...{ kind: 'header', ordinal: 1, offset: 0, series: null, sequence: null },
      ...this.#header!,
      mode: this.#mode,
    });
  }

  #beginAccount(record: LogicalRecord): void {
    if (this.#group === null || this.#account !== null) {
      refuse(record, 'record_misplaced', 'begins an account where none can be: after 02 or 49 only');
    }
    const { head, sum } = readAccount(record, this.#group.stated);
    const totals = new Totals();
    totals.records = record.records;
    const { account_number: number, as_of } = head;
    this.#account = { place: placeOf(record), number, as_of, totals, is_summed: true, lines: 0, waiting: [] };
    this.#sum(sum);
    this.#group.totals.parts += 1;
    this.#add({ kind: 'statement', ...placeOf(record), number: this.#statements + 1, ...head });
    if (head.problem !== undefined || (head.opening_balance ?? head.closing_balance) !== null) this.#addWaiting();
  }

  #addDetail(record: LogicalRecord): void {
    const account = this.#account;
    if (account === null) refuse(record, 'record_misplaced', 'is a detail outside of an account');
    const detail = readDetail(record, account.as_of);
    this.#sum(detail.sum);
    if (detail.kind === 'other') {
      this.#add({ kind: 'other', ...placeOf(record), type: detail.type });
      if (account.waiting !== null && account.waiting.length > waiting_max) this.#addWaiting();
      return;
    }
    this.#addWaiting();
    account.lines += 1;
    if (detail.kind === 'bad') {
      const { code, message } = problemOf(record, detail.code, detail.reason);
      this.#items.push({ kind: 'bad', ...placeOf(record), code, reason: message, raw: record.raw });
      return;
    }
    const { line, unread } = detail;
    const place = { statement_number: this.#statements, place: account.lines };
    this.#items.push({
      ...{ kind: 'line', ...placeOf(record), ...place, line },
      ...(unread.length === 0 ? {} : { unread }),
    });
  }

  #sum(amount: bigint | null): void {
    const account = this.#account!;
    if (amount === null) account.is_summed = false;
    else account.totals.sum += amount;
  }

  #add(item: FileItem): void {
    (this.#account?.waiting ?? this.#items).push(item);
  }

  /** The account has a statement: what waits becomes items. */
  #addWaiting(): void {
    const { waiting } = this.#account!;
    if (waiting === null) return;
    this.#items.push(...waiting);
    this.#statements += 1;
    this.#account!.waiting = null;
  }

  #endAccount(record: LogicalRecord): void {
    const account = this.#account;
    if (account === null) refuse(record, 'record_misplaced', 'ends no account');
    const [sum = '', records = ''] = record.fields();
    if (!account.is_summed) account.totals.sum = sumOf(sum) ?? 0n;
    compareTotals(record, `of account ${showAccountNumber(account.number)} `, { sum, records }, account.totals);
    if (account.waiting !== null)
      this.#items.push({ ...account.place, kind: 'other', type: '03' }, ...account.waiting.slice(1));
    this.#group!.totals.sum += account.totals.sum;
    this.#account = null;
  }

  #endGroup(record: LogicalRecord): void {
    const group = this.#group;
    if (group === null || this.#account !== null) refuse(record, 'record_misplaced', 'ends no group');
    // Some banks do not count the accounts.
    const [sum = '', ...counts] = record.fields();
    const [records = '', parts] = counts.filter((count) => count !== '').toReversed();
    compareTotals(record, '', { sum, parts, records }, group.totals);
    this.#file.sum += group.totals.sum;
    this.#group = null;
  }

  #finish(record: LogicalRecord): void {
    if (this.#group !== null) refuse(record, 'record_misplaced', 'ends the file within a group');
    const [sum = '', parts = '', records = ''] = record.fields();
    compareTotals(record, '', { sum, parts, records }, this.#file);
    this.#reportHeader(false);
    this.#whole.sum += this.#file.sum;
    this.#whole.parts += this.#file.parts;
    this.#whole.records += this.#file.records;
    this.#file = new Totals();
    const control_totals = {
      file_control_total: String(this.#whole.sum),
      number_of_groups: String(this.#whole.parts),
      number_of_records: String(this.#whole.records),
    };
    this.#end = { kind: 'end', records: this.#whole.records, control_totals };
  }

  #truncated(): FileProblem {
    const at = this.#bytes;
    return new FileProblem('truncated', 'file_truncated', `the file ends at offset ${at}, before its trailer (99)`, at);
  }
}

function placeOf({ number, offset }: LogicalRecord): RecordPlace {
  return { ordinal: number, offset };
}

/** Why no account of a group can be used. Those of other groups can. */
function problemOfGroup(
  { status, date, modifier }: Readonly<Record<'status' | 'date' | 'modifier', string>>,
  mode: 'production' | 'test',
): StatedProblem | null {
  if (!['', '1', '4'].includes(status)) {
    const what = status === '2' ? 'deletes' : status === '3' ? 'corrects' : 'changes';
    const message = `${what} what was sent before (group status ${status}). What is recorded is never changed: the bank has to correct it by lines of a later statement`;
    return { code: 'group_status_unsupported', message };
  }
  if ((status === '4') !== (mode === 'test')) {
    const message = `has the group status ${status}, but the file is ${mode === 'test' ? 'a test' : 'no test'} by its first group`;
    return { code: 'group_status_unsupported', message };
  }
  if (dayOf(date) === null) {
    return { code: 'date_malformed', message: `has the as-of date "${date}", which must be a day as YYMMDD` };
  }
  if (['', '2', '4'].includes(modifier)) return null;
  const message = `has the as-of date modifier ${modifier}: only final data (2 or 4) are booked. Ask the bank for the report of the whole day`;
  return { code: 'statement_interim', message };
}

/** An empty sum is 0. Null: it is no sum. */
function sumOf(text: string): bigint | null {
  return /^(?:[+-]?\d{1,30})?$/.test(text) ? BigInt(text.replace('+', '')) : null;
}

/** `of_what` names the account of the trailer. */
function compareTotals(
  record: LogicalRecord,
  of_what: string,
  stated: { readonly sum: string; readonly parts?: string | undefined; readonly records: string },
  counted: Totals,
): void {
  const wrong = (code: string, message: string): never => refuse(record, code, `${of_what}${message}`);
  const sum = sumOf(stated.sum);
  if (sum === null) wrong('trailer_malformed', `must state its control total as digits, not "${stated.sum}"`);
  const parts = record.code === '98' ? 'accounts' : 'groups';
  for (const [what, text, count] of [
    [parts, stated.parts, counted.parts],
    ['records', stated.records, counted.records],
  ] as const) {
    if (text === undefined) continue;
    if (!/^\d{1,15}$/.test(text))
      wrong('trailer_malformed', `must state the number of ${what} as digits, not "${text}"`);
    if (Number(text) !== count) wrong('count_differs', `counts ${Number(text)} ${what}, but there are ${count}`);
  }
  if (sum !== counted.sum) {
    wrong('sum_differs', `sums ${sum}, but the amounts make ${counted.sum}: a difference of ${counted.sum - sum!}`);
  }
}
