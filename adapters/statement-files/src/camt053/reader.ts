import { type FileItem, type ItemBatch, noteRecords } from '@tallystick/imports';
import { isDay } from '@tallystick/kernel';
import { oneLine } from '../stated-text.ts';
import { type Attributes, BoundedXml } from './bounded-xml.ts';
import {
  Collected,
  type CollectedEntry,
  dayOfChoice,
  details_max,
  EntryProblem,
  readEntryAmount,
  readLines,
} from './entry.ts';
import { CollectedStatement } from './statement.ts';
import { compareSummary, EntryTotals } from './summary.ts';

const root = 'Document';
const message = 'Document/BkToCstmrStmt';
const group = `${message}/GrpHdr`;
const statement = `${message}/Stmt`;
const balance = `${statement}/Bal`;
const summary = `${statement}/TxsSummry`;
const entry = `${statement}/Ntry`;
const detail = `${entry}/NtryDtls/TxDtls`;

/** The names under which a file may state the message: any version. */
const namespace = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.\d\d$/;

interface OpenStatement {
  readonly collected: CollectedStatement;
  readonly summary: Collected;
  readonly offset: number;
  /** Its currency and date, once it was reported: with its first entry, or at its end. */
  reported: { readonly currency: string; readonly as_of: string } | null;
  readonly all: EntryTotals;
  readonly booked: EntryTotals;
  lines: number;
}

interface OpenEntry {
  readonly own: Collected;
  readonly offset: number;
  details: Collected[];
  details_count: number;
}

/**
 * Reads a camt.053 message of any version: a state machine on the elements of the document.
 *
 * - GrpHdr is the header of the file; the document must have it before the statements
 * - Stmt is collected up to its first Ntry, and then reported; balances come before entries
 * - Ntry is collected whole, with at most `details_max` transactions, and then becomes lines
 *
 * An entry that cannot be read refuses the file: without it the statement would not add up.
 */
export class Camt053Reader {
  readonly #xml: BoundedXml;
  #items: FileItem[] = [];
  #header = new Collected();
  #has_header = false;
  #records = 0;
  #statements = 0;
  #entries = 0;
  #statement: OpenStatement | null = null;
  #balance: Collected | null = null;
  #entry: OpenEntry | null = null;
  #detail: Collected | null = null;

  constructor() {
    this.#xml = new BoundedXml({
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
    const control_totals = { statements: String(this.#statements), entries: String(this.#entries) };
    yield { items: [{ kind: 'end', records: this.#records, control_totals }], bytes: this.#xml.received };
  }

  #open(path: string, name: string, attributes: Attributes): void {
    switch (path) {
      case root:
        this.#checkNamespace(attributes);
        return;
      case statement:
        this.#beginStatement();
        return;
      case balance:
        if (this.#statement!.reported !== null)
          this.#refuse('balance_misplaced', 'a balance must come before the entries');
        this.#balance = new Collected();
        return;
      case entry:
        this.#reportStatement();
        this.#entry = { own: new Collected(), offset: this.#xml.tagOffset(), details: [], details_count: 0 };
        return;
      case detail:
        this.#beginDetail();
        return;
    }
    if (!path.includes('/') && path !== root) this.#refuse('root_unknown', 'the root element must be Document');
    if (name === 'Amt' || name === 'TtlNetNtryAmt') this.#keep(`${path}@Ccy`, attributes.Ccy?.trim() ?? '');
  }

  #close(path: string, name: string, text: string): void {
    switch (path) {
      case group:
        this.#reportHeader();
        return;
      case balance:
        this.#fail(this.#statement!.collected.addBalance(this.#balance!));
        this.#balance = null;
        return;
      case entry:
        this.#finishEntry(this.#entry!);
        this.#entry = null;
        return;
      case detail:
        this.#detail = null;
        return;
      case statement:
        this.#finishStatement();
        return;
      case message:
        if (!this.#has_header) this.#refuse('header_missing', 'the message must have a GrpHdr');
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

  #checkNamespace(attributes: Attributes): void {
    const names = Object.entries(attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
    if (names.some(([, value]) => namespace.test(value))) return;
    this.#refuse('version_unknown', 'the namespace of Document must be that of camt.053.001, in some version');
  }

  #reportHeader(): void {
    if (this.#has_header) this.#refuse('element_misplaced', 'GrpHdr must be there once');
    const id = oneLine([this.#header.get('MsgId')]);
    if (id === '') this.#refuse('header_malformed', 'GrpHdr must have a MsgId');
    const day = dayOfChoice('', this.#header.get('CreDtTm'));
    if (day === null || !isDay(day)) this.#refuse('header_malformed', 'CreDtTm of GrpHdr must be a date and time');
    this.#has_header = true;
    this.#records += 1;
    this.#items.push({
      kind: 'header',
      ordinal: this.#records,
      offset: 0,
      file_id: `${id}@${day}`,
      series: null,
      sequence: null,
      created_on: day,
      mode: null,
    });
  }

  #beginStatement(): void {
    if (!this.#has_header) this.#refuse('header_missing', 'GrpHdr must come before the statements');
    this.#statement = {
      collected: new CollectedStatement(new Collected()),
      summary: new Collected(),
      offset: this.#xml.tagOffset(),
      reported: null,
      all: new EntryTotals(),
      booked: new EntryTotals(),
      lines: 0,
    };
  }

  #reportStatement(): void {
    const open = this.#statement!;
    if (open.reported !== null) return;
    const head = open.collected.head();
    if (head instanceof EntryProblem) this.#failFor(head);
    open.reported = { currency: head.currency, as_of: head.as_of };
    this.#statements += 1;
    this.#records += 1;
    const place = { ordinal: this.#records, offset: open.offset };
    this.#items.push({ kind: 'statement', ...place, number: this.#statements, ...head });
  }

  #finishStatement(): void {
    this.#reportStatement();
    const { summary, reported, all, booked } = this.#statement!;
    this.#fail(compareSummary(summary, reported!.currency, all, booked));
    this.#statement = null;
  }

  #beginDetail(): void {
    const { details } = this.#entry!;
    this.#entry!.details_count += 1;
    this.#detail = new Collected();
    if (this.#entry!.details_count <= details_max) details.push(this.#detail);
    else if (details.length > 0) this.#entry!.details = [];
  }

  #finishEntry(open: OpenEntry): void {
    const { reported, all, booked } = this.#statement!;
    const amount = readEntryAmount(open.own, reported!.currency);
    if (amount instanceof EntryProblem) this.#failFor(amount, open.offset);
    this.#entries += 1;
    all.add(amount.sign, amount.amount);
    if (amount.status !== 'BOOK') {
      this.#records += 1;
      const type = /^[A-Z]{4}$/.test(amount.status) ? `Ntry/${amount.status}` : 'Ntry';
      this.#items.push({ kind: 'other', ordinal: this.#records, offset: open.offset, type });
      return;
    }
    booked.add(amount.sign, amount.amount);
    this.#addLines(open, amount);
  }

  #addLines(open: OpenEntry, amount: Parameters<typeof readLines>[1]): void {
    const collected: CollectedEntry = open;
    const lines = readLines(collected, amount, this.#statement!.reported!);
    if (lines instanceof EntryProblem) this.#failFor(lines, open.offset);
    for (const line of lines) {
      this.#records += 1;
      this.#statement!.lines += 1;
      this.#items.push({
        kind: 'line',
        ordinal: this.#records,
        offset: open.offset,
        statement_number: this.#statements,
        place: this.#statement!.lines,
        line,
      });
    }
  }

  #fail(problem: EntryProblem | null): void {
    if (problem !== null) this.#failFor(problem);
  }

  #failFor(problem: EntryProblem, offset?: number): never {
    const where =
      this.#entry === null
        ? `statement ${this.#statements + (this.#statement?.reported === null ? 1 : 0)}`
        : `entry ${this.#entries + 1}`;
    this.#xml.refuse(problem.code, `${where}: ${problem.message}`, offset);
  }

  #refuse(code: string, text: string): never {
    this.#xml.refuse(code, text);
  }
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
  ...['Amt', 'Amt@Ccy', 'CdtDbtInd', 'Dt/Dt', 'Dt/DtTm', 'Tp/CdOrPrtry/Cd', 'Tp/SubTp/Cd'],
]);

const read_of_statement: ReadonlySet<string> = new Set([
  ...['Id', 'CreDtTm', 'Acct/Id/IBAN', 'Acct/Id/Othr/Id', 'Acct/Ccy'],
]);

const read_of_summary: ReadonlySet<string> = new Set([
  ...['TtlNtries', 'TtlCdtNtries', 'TtlDbtNtries'].flatMap((name) => [`${name}/NbOfNtries`, `${name}/Sum`]),
  ...['TtlNtries/TtlNetNtryAmt', 'TtlNtries/CdtDbtInd', 'TtlNtries/TtlNetNtry/Amt', 'TtlNtries/TtlNetNtry/CdtDbtInd'],
]);
