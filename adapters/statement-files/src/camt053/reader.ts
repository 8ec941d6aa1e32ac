import {
  type FileItem,
  FileProblem,
  type ItemBatch,
  noteRecords,
  type RecordPlace,
  record_bytes_max,
  type StatedProblem,
} from '@tallystick/imports';
import { isDay } from '@tallystick/kernel';
import { oneLine, problemText } from '../stated-text.ts';
import { type Attributes, BoundedXml } from './bounded-xml.ts';
import {
  Collected,
  type CollectedEntry,
  dayOf,
  details_max,
  EntryProblem,
  type ReadLine,
  readAmount,
  readLines,
  statusOf,
} from './entry.ts';
import { account_paths, balance_type_paths, CollectedStatement, type ReadHead } from './statement.ts';
import { compareSummary, EntryTotals } from './summary.ts';

const message = 'BkToCstmrStmt';
const group = `${message}/GrpHdr`;
const statement = `${message}/Stmt`;
const balance = `${statement}/Bal`;
const summary = `${statement}/TxsSummry`;
const entry = `${statement}/Ntry`;
const detail = `${entry}/NtryDtls/TxDtls`;

/** The messages of a bank to a customer about an account, by their elements in any version. */
const message_names = /^(BkToCstmrStmt|BkToCstmrAcctRpt|BkToCstmrDbtCdtNtfctn)(?:V\d\d)?$/;

const other_messages: Readonly<Record<string, string>> = {
  BkToCstmrAcctRpt: 'camt.052, an account report of the entries so far',
  BkToCstmrDbtCdtNtfctn: 'camt.054, a notification of single debits and credits',
};

interface OpenStatement {
  readonly collected: CollectedStatement;
  readonly summary: Collected;
  readonly offset: number;
  /** Once it was reported: with its first entry, or at its end. */
  reported: ReadHead | null;
  readonly all: EntryTotals;
  readonly booked: EntryTotals;
  entries: number;
  lines: number;
  /** What was found after it was reported. */
  problem: EntryProblem | null;
  has_bad: boolean;
  last_booking_date: string;
}

interface OpenEntry extends CollectedEntry {
  readonly offset: number;
  details: Collected[];
  details_count: number;
}

/**
 * Reads a camt.053 message of any version, whatever is around it: a state machine on its elements.
 *
 * - GrpHdr is the header of the file; the message must have it before the statements
 * - Stmt is collected with its first Ntry, and then reported; balances come before entries
 * - Ntry is collected whole, with at most `details_max` transactions, and then becomes lines
 *
 * What is wrong with a statement or an entry is reported with it, and the others go on.
 */
export class Camt053Reader {
  readonly #xml: BoundedXml;
  #items: FileItem[] = [];
  #header = new Collected();
  /** The date of the header; empty before it. */
  #group_day = '';
  #records = 0;
  #statements = 0;
  #entries = 0;
  #statement: OpenStatement | null = null;
  #balance: Collected | null = null;
  #entry: OpenEntry | null = null;
  #detail: Collected | null = null;

  constructor() {
    this.#xml = new BoundedXml(message_names, {
      open: (path, name, attributes) => this.#open(path, name, attributes),
      close: (path, name, text) => this.#close(path, name, text),
    });
  }

  /** The items of the file. Throws `FileProblem` for a file that cannot be accepted. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#read(chunks), () => this.#records);
  }

  async *#read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    for await (const chunk of chunks) {
      for (const bytes of this.#xml.push(chunk)) {
        if (this.#items.length === 0) continue;
        const items = this.#items;
        this.#items = [];
        yield { items, bytes };
      }
    }
    this.#xml.finish();
    if (this.#statements === 0) this.#refuseEmpty();
    const control_totals = { statements: String(this.#statements), entries: String(this.#entries) };
    yield { items: [{ kind: 'end', records: this.#records, control_totals }], bytes: this.#xml.received };
  }

  #open(path: string, name: string, attributes: Attributes): void {
    switch (path) {
      case statement:
        this.#beginStatement();
        return;
      case balance:
        this.#balance = new Collected();
        return;
      case entry:
        this.#entry = { own: new Collected(), offset: this.#xml.beginRaw(), details: [], details_count: 0 };
        return;
      case detail:
        this.#beginDetail();
        return;
    }
    if (Object.hasOwn(other_messages, path)) {
      const text = `the file is a ${other_messages[path]}: it states no final balances. Ask the bank for camt.053, the statement of each booked day`;
      this.#xml.refuse('message_unsupported', text);
    }
    if (name === 'Amt') this.#keep(`${path}@Ccy`, attributes.Ccy?.trim().toUpperCase() ?? '');
  }

  #close(path: string, name: string, text: string): void {
    switch (path) {
      case group:
        this.#reportHeader();
        return;
      case balance:
        this.#finishBalance(this.#balance!);
        this.#balance = null;
        return;
      case entry:
        this.#finishEntry(this.#entry!, this.#xml.endRaw());
        this.#entry = null;
        return;
      case detail:
        this.#detail = null;
        return;
      case statement:
        this.#finishStatement(this.#statement!);
        this.#statement = null;
        return;
    }
    if (text === '') return;
    if (this.#detail !== null) this.#keepOfDetail(path.slice(detail.length + 1), name, text);
    else this.#keep(path, text);
  }

  #keepOfDetail(path: string, name: string, text: string): void {
    const collected = this.#detail!;
    if (path.startsWith('RmtInf/')) collected.addRemittance(text);
    else if (path === 'Refs/Prtry/Tp' || path === 'Refs/Prtry/Ref') {
      collected.addReference(name === 'Tp' ? 'type' : 'value', text);
    } else if (read_of_detail.has(path)) collected.set(path, text);
  }

  /** Keeps a value with the element that it belongs to, if it is one that is read. */
  #keep(path: string, text: string): void {
    const within = (parent: string): string => path.slice(parent.length + 1);
    if (this.#detail !== null) this.#keepOfDetail(within(detail), '', text);
    else if (this.#entry !== null) {
      if (read_of_entry.has(within(entry))) this.#entry.own.set(within(entry), text);
    } else if (this.#balance !== null) {
      if (read_of_balance.has(within(balance))) this.#balance.set(within(balance), text);
    } else if (path.startsWith(`${summary}/`)) {
      if (read_of_summary.has(within(summary))) this.#statement!.summary.set(within(summary), text);
    } else if (this.#statement !== null) {
      if (read_of_statement.has(within(statement))) this.#statement.collected.own.set(within(statement), text);
    } else if (path === `${group}/MsgId` || path === `${group}/CreDtTm`) this.#header.set(within(group), text);
  }

  #reportHeader(): void {
    // An envelope may have several messages.
    if (this.#group_day !== '') return;
    const id = oneLine([this.#header.get('MsgId')]);
    if (id === '') this.#xml.refuse('header_malformed', 'GrpHdr must have a MsgId');
    const day = dayOf(this.#header.get('CreDtTm'));
    if (day === null || !isDay(day)) this.#xml.refuse('header_malformed', 'CreDtTm of GrpHdr must be a date and time');
    this.#group_day = day;
    this.#items.push({
      kind: 'header',
      ...this.#place(0),
      file_id: `${id}@${day}`,
      series: null,
      sequence: null,
      created_on: day,
      mode: null,
    });
  }

  #beginStatement(): void {
    if (this.#group_day === '') this.#xml.refuse('header_missing', 'GrpHdr must come before the statements');
    this.#statements += 1;
    this.#statement = {
      collected: new CollectedStatement(new Collected()),
      summary: new Collected(),
      offset: this.#xml.tagOffset(),
      reported: null,
      all: new EntryTotals(),
      booked: new EntryTotals(),
      entries: 0,
      lines: 0,
      problem: null,
      has_bad: false,
      last_booking_date: '',
    };
  }

  #finishBalance(read: Collected): void {
    const open = this.#statement!;
    if (open.reported === null) open.collected.addBalance(read);
    else open.problem ??= new EntryProblem('balance_misplaced', 'its balances must come before its entries');
  }

  /** The head of the statement, which is reported if it was not yet. */
  #report(open: OpenStatement, entry_currency: string): ReadHead {
    if (open.reported !== null) return open.reported;
    const { problem, ...head } = open.collected.head(entry_currency, this.#group_day);
    open.reported = head;
    const number = this.#statements;
    const stated = problem === undefined ? {} : { problem: shown(problem) };
    this.#items.push({ kind: 'statement', ...this.#place(open.offset), number, ...head, ...stated });
    return head;
  }

  #finishStatement(open: OpenStatement): void {
    const { currency } = this.#report(open, '');
    // Of entries that cannot be read the amounts are not known.
    if (!open.has_bad) open.problem ??= compareSummary(open.summary, currency ?? '', open.all, open.booked);
    const as_of = open.collected.is_dated ? '' : open.last_booking_date;
    if (open.problem === null && as_of === '') return;
    const number = this.#statements;
    this.#items.push({
      kind: 'statement_end',
      ...this.#place(open.offset),
      statement_number: number,
      closing_balance: null,
      ...(as_of === '' ? {} : { as_of }),
      ...(open.problem === null ? {} : { problem: shown(open.problem) }),
    });
  }

  #beginDetail(): void {
    const { details } = this.#entry!;
    this.#entry!.details_count += 1;
    this.#detail = new Collected();
    if (this.#entry!.details_count <= details_max) details.push(this.#detail);
    else if (details.length > 0) this.#entry!.details = [];
  }

  #finishEntry(entry: OpenEntry, raw: string): void {
    const open = this.#statement!;
    const { currency, as_of } = this.#report(open, entry.own.get('Amt@Ccy'));
    this.#entries += 1;
    open.entries += 1;
    const status = statusOf(entry.own);
    const is_booked = status === 'BOOK';
    const amount = readAmount(entry.own, 'the entry', currency ?? '');
    let lines: readonly ReadLine[] | EntryProblem;
    if (amount instanceof EntryProblem) lines = amount;
    else {
      lines = readLines(entry, amount, { currency: currency ?? '', as_of });
      open.all.add(amount.sign, amount.amount);
      if (is_booked) open.booked.add(amount.sign, amount.amount);
    }
    if (!is_booked) {
      const type = /^[A-Z]{4}$/.test(status) ? `Ntry/${status}` : 'Ntry';
      this.#items.push({ kind: 'other', ...this.#place(entry.offset), type });
    } else if (lines instanceof EntryProblem) this.#addBad(open, entry.offset, lines, raw);
    else this.#addLines(open, entry.offset, lines);
  }

  #addBad(open: OpenStatement, offset: number, problem: EntryProblem, raw: string): void {
    open.has_bad = true;
    open.lines += 1;
    const { code, message: reason } = shown(problem, `entry ${open.entries}: `);
    const bytes = new TextEncoder().encode(raw).subarray(0, record_bytes_max);
    this.#items.push({ kind: 'bad', ...this.#place(offset), code, reason, raw: bytes });
  }

  #addLines(open: OpenStatement, offset: number, lines: readonly ReadLine[]): void {
    for (const { line, unread } of lines) {
      open.lines += 1;
      if (line.booking_date > open.last_booking_date) open.last_booking_date = line.booking_date;
      this.#items.push({
        kind: 'line',
        ...this.#place(offset),
        statement_number: this.#statements,
        place: open.lines,
        line,
        ...(unread.length === 0 ? {} : { unread }),
      });
    }
  }

  #place(offset: number): RecordPlace {
    this.#records += 1;
    return { ordinal: this.#records, offset };
  }

  #refuseEmpty(): never {
    const { received } = this.#xml;
    if (this.#group_day === '') {
      const text = 'the file has no element BkToCstmrStmt with a GrpHdr: it is no camt.053';
      throw new FileProblem('refused', 'message_missing', text, received);
    }
    const text = 'the message has no statement (Stmt): ask the bank for a camt.053 with a statement of each account';
    throw new FileProblem('refused', 'statement_missing', text, received);
  }
}

/** A problem as messages show it. `where`: in which part of its statement. */
function shown({ code, message }: StatedProblem, where = ''): StatedProblem {
  return { code, message: problemText(where + message) };
}

const code_paths = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd', 'Prtry/Cd', 'Prtry/Issr'].map(
  (path) => `BkTxCd/${path}`,
);

const read_of_entry: ReadonlySet<string> = new Set([
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'Sts', 'Sts/Cd', 'Sts/Prtry', 'AcctSvcrRef', 'AddtlNtryInf'],
  ...['BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm'],
  ...code_paths,
]);

const read_of_detail: ReadonlySet<string> = new Set([
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'AmtDtls/TxAmt/Amt', 'AmtDtls/TxAmt/Amt@Ccy', 'Refs/AcctSvcrRef', 'AddtlTxInf'],
  ...code_paths,
]);

const read_of_balance: ReadonlySet<string> = new Set([
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'Dt/Dt', 'Dt/DtTm', 'Tp/SubTp/Cd', ...balance_type_paths],
]);

const read_of_statement: ReadonlySet<string> = new Set([
  ...['Id', 'CreDtTm', 'FrToDt/ToDtTm', 'Acct/Ccy', ...account_paths],
]);

const read_of_summary: ReadonlySet<string> = new Set([
  ...['TtlNtries', 'TtlCdtNtries', 'TtlDbtNtries'].flatMap((name) => [`${name}/NbOfNtries`, `${name}/Sum`]),
  ...['TtlNtries/TtlNetNtryAmt', 'TtlNtries/CdtDbtInd', 'TtlNtries/TtlNetNtry/Amt', 'TtlNtries/TtlNetNtry/CdtDbtInd'],
]);
