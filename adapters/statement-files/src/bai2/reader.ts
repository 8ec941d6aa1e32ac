import { type FileItem, FileProblem, type ItemBatch, noteRecords } from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { currencyOf, readAccount, type StatedGroup } from './account.ts';
import { readDetail } from './detail.ts';
import { dayOf } from './fields.ts';
import { codeOf, LogicalRecord, refuse } from './logical-record.ts';
import { type PhysicalRecord, PhysicalRecordReader } from './physical-records.ts';

interface FileHead {
  readonly file_id: string | null;
  readonly created_on: string;
}

interface Group extends StatedGroup {
  readonly is_test: boolean;
}

/** What a trailer must state of the records before it. */
class Totals {
  sum = 0n;
  parts = 0;
  records = 0;
}

/**
 * Reads a BAI2 file (version 2, and 3 of its successor BTRS), record by record:
 *
 * - outside of groups: 01 once, then 02 or 99
 * - in a group: 03 or 98
 * - in an account: 16 or 49
 * - after 99: nothing
 *
 * A record with its continuations (88) is complete when the next one begins. Each trailer states
 * the sum of all amounts and the number of physical records, which must be those of the file.
 */
export class Bai2Reader {
  readonly #records = new PhysicalRecordReader();
  #items: FileItem[] = [];
  #pending: LogicalRecord | null = null;
  #header: FileHead | null = null;
  #is_header_reported = false;
  #file = new Totals();
  #group: { readonly stated: Group; readonly totals: Totals } | null = null;
  #account: { readonly as_of: string; readonly totals: Totals; lines: number } | null = null;
  #statements = 0;
  #end: FileItem | null = null;
  #bytes = 0;
  #mode: 'production' | 'test' = 'production';

  /** The items of the file. Throws `FileProblem` for a file that cannot be accepted. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#read(chunks), () => this.#file.records);
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

  /** A last record that no line break ends may be a part of one. */
  #takeLast(record: PhysicalRecord & { readonly is_cut: boolean }): void {
    const is_begun = this.#pending !== null || '01,'.startsWith(record.text.slice(0, 3));
    const is_whole = record.text.startsWith('99,') && record.text.endsWith('/');
    if (record.is_cut && is_begun && !is_whole && this.#pending?.code !== '99') {
      this.#file.records += 1;
      throw this.#truncated();
    }
    this.#take(record);
  }

  #take(record: PhysicalRecord): void {
    const code = codeOf(record);
    if (code === '88') {
      if (this.#pending === null) refuse(record, 'record_misplaced', 'continues no record');
      this.#file.records += 1;
      this.#pending.continue(record);
      return;
    }
    this.#complete();
    if (this.#end !== null) refuse(record, 'bytes_after_end', 'follows the trailer of the file (99)');
    if (this.#header === null && code !== '01') refuse(record, 'header_missing', 'must be the header of the file (01)');
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
    if (this.#header !== null) refuse(record, 'record_misplaced', 'is a second header of the file (01)');
    const [sender = '', , date = '', , id = '', , , version = ''] = record.fields();
    const created_on = dayOf(date);
    if (created_on === null) refuse(record, 'date_malformed', 'must state the date of the file as YYMMDD');
    if (version !== '2' && version !== '3') {
      refuse(record, 'version_unknown', 'must state version 2 or 3 of the format as its ninth field');
    }
    this.#header = { file_id: id === '' ? null : `${sender}-${created_on}-${id}`, created_on };
  }

  #beginGroup(record: LogicalRecord): void {
    if (this.#group !== null) refuse(record, 'record_misplaced', 'begins a group within a group');
    const [, , status = '', date = '', , currency = '', modifier = ''] = record.fields();
    if (status !== '1' && status !== '4') {
      refuse(
        record,
        'group_status_unsupported',
        'must have the group status 1, an update: others change what was sent',
      );
    }
    const as_of = dayOf(date);
    if (as_of === null) refuse(record, 'date_malformed', 'must state the as-of date of the group as YYMMDD');
    if (modifier === '1' || modifier === '3') {
      refuse(
        record,
        'statement_interim',
        `has the as-of date modifier ${modifier}: only final data (2 or 4) are booked`,
      );
    }
    if (!['', '2', '4'].includes(modifier)) {
      refuse(record, 'modifier_unknown', 'must have the as-of date modifier 2 or 4, or none');
    }
    const stated = { as_of, currency: currencyOf(currency, record), is_test: status === '4' };
    this.#reportHeader(stated.is_test, record);
    const totals = new Totals();
    totals.records = record.records;
    this.#group = { stated, totals };
    this.#file.parts += 1;
  }

  /** The group says whether the file is a test, so the header is reported with the first one. */
  #reportHeader(is_test: boolean, record: LogicalRecord): void {
    const mode = is_test ? 'test' : 'production';
    if (this.#is_header_reported) {
      if (mode !== this.#mode)
        refuse(record, 'group_status_unsupported', 'must be a test (status 4) like the first one');
      return;
    }
    this.#is_header_reported = true;
    this.#mode = mode;
    const { file_id, created_on } = this.#header!;
    this.#items.push({
      kind: 'header',
      ordinal: 1,
      offset: 0,
      file_id,
      series: null,
      sequence: null,
      created_on,
      mode,
    });
  }

  #beginAccount(record: LogicalRecord): void {
    if (this.#group === null || this.#account !== null) {
      refuse(record, 'record_misplaced', 'begins an account where none can be: after 02 or 49 only');
    }
    const { head, sum } = readAccount(record, this.#group.stated);
    const totals = new Totals();
    totals.records = record.records;
    totals.sum = sum;
    this.#account = { as_of: head.as_of, totals, lines: 0 };
    this.#group.totals.parts += 1;
    this.#statements += 1;
    const { number: ordinal, offset } = record;
    this.#items.push({ kind: 'statement', ordinal, offset, number: this.#statements, ...head });
  }

  #addDetail(record: LogicalRecord): void {
    const account = this.#account;
    if (account === null) refuse(record, 'record_misplaced', 'is a detail outside of an account');
    const { line, sum } = readDetail(record, account.as_of);
    account.totals.sum += sum;
    const { number: ordinal, offset } = record;
    if (line === null) {
      this.#items.push({ kind: 'other', ordinal, offset, type: '16/890' });
      return;
    }
    account.lines += 1;
    this.#items.push({
      kind: 'line',
      ordinal,
      offset,
      statement_number: this.#statements,
      place: account.lines,
      line,
    });
  }

  #endAccount(record: LogicalRecord): void {
    const account = this.#account;
    if (account === null) refuse(record, 'record_misplaced', 'ends no account');
    const [sum = '', records = ''] = record.fields();
    compareTotals(record, { sum, records }, account.totals);
    this.#group!.totals.sum += account.totals.sum;
    this.#account = null;
  }

  #endGroup(record: LogicalRecord): void {
    const group = this.#group;
    if (group === null || this.#account !== null) refuse(record, 'record_misplaced', 'ends no group');
    const [sum = '', parts = '', records = ''] = record.fields();
    compareTotals(record, { sum, parts, records }, group.totals);
    this.#file.sum += group.totals.sum;
    this.#group = null;
  }

  #finish(record: LogicalRecord): void {
    if (this.#group !== null) refuse(record, 'record_misplaced', 'ends the file within a group');
    const [sum = '', parts = '', records = ''] = record.fields();
    compareTotals(record, { sum, parts, records }, this.#file);
    this.#reportHeader(this.#mode === 'test', record);
    const control_totals = {
      file_control_total: String(this.#file.sum),
      number_of_groups: String(this.#file.parts),
      number_of_records: String(this.#file.records),
    };
    this.#end = { kind: 'end', records: this.#file.records, control_totals };
  }

  #truncated(): FileProblem {
    const at = this.#bytes;
    return new FileProblem('truncated', 'file_truncated', `the file ends at offset ${at}, before its trailer (99)`, at);
  }
}

function compareTotals(
  record: LogicalRecord,
  stated: { readonly sum: string; readonly parts?: string; readonly records: string },
  counted: Totals,
): void {
  if (!/^[+-]?\d{1,30}$/.test(stated.sum))
    refuse(record, 'trailer_malformed', 'must state its control total as digits');
  const counts = { parts: stated.parts ?? '0', records: stated.records };
  for (const [name, text] of Object.entries(counts)) {
    if (!/^\d{1,15}$/.test(text)) refuse(record, 'trailer_malformed', `must state the number of ${name} as digits`);
  }
  if (stated.parts !== undefined && Number(stated.parts) !== counted.parts) {
    const what = record.code === '98' ? 'accounts' : 'groups';
    refuse(record, 'count_differs', `counts ${Number(stated.parts)} ${what}, but there are ${counted.parts}`);
  }
  if (Number(stated.records) !== counted.records) {
    refuse(record, 'count_differs', `counts ${Number(stated.records)} records, but there are ${counted.records}`);
  }
  const sum = BigInt(stated.sum.replace('+', ''));
  if (sum !== counted.sum) {
    refuse(record, 'sum_differs', `sums ${maskCardNumbers(String(sum))}, but the amounts make ${counted.sum}`);
  }
}
