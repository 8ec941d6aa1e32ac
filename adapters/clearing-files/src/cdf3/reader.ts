import {
  type BadRecord,
  boundElement,
  countOther,
  escapeXml,
  type FileClearing,
  type FileItem,
  FileProblem,
  type ItemBatch,
  noteRecords,
  type OtherRecords,
  type RecordPlace,
  record_bytes_max,
  run_bytes_max,
  SourceText,
  type TagStart,
  type XmlPart,
  XmlTextReader,
  xml_bounds,
} from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { header_fields, header_name, PostedTotals, readHeader, trailer_fields, trailer_name } from './frame.ts';
import {
  addition_names,
  amount_names,
  postedOf,
  read_names,
  readTransaction,
  TransactionProblem,
  unreadable,
} from './transaction.ts';

const root_name = 'CDFTransmissionFile';
const entity_name = 'FinancialTransactionEntity';
const transaction_name = 'FinancialTransaction_5000';
const adjustment_name = 'FinancialAdjustmentRecord_5900';

const fields_of: ReadonlyMap<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>([
  [header_name, new Set(header_fields)],
  [trailer_name, new Set(trailer_fields)],
  ...Object.entries(read_names).map(([type, names]) => [type, new Set<string>(names)] as const),
]);

const no_fields: ReadonlySet<string> = new Set();
const amounts: ReadonlySet<string> = new Set(amount_names);

/** What is collected of the records of one clearing, or of one other record. */
interface Collected {
  readonly values: Map<string, string>;
  readonly attributes: Map<string, Readonly<Record<string, string>>>;
  readonly ordinal: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  transactions: number;
  problem: TransactionProblem | null;
}

/** An element that is open, with the number of open elements including it. */
interface Open {
  readonly name: string;
  readonly depth: number;
}

/**
 * Reads a CDF3 file: a state machine on the events of the XML parser.
 *
 * - outside of records: counts the records that begin; remembers the account
 * - in a record (`*_nnnn`): collects the elements directly in it that are read
 * - in a FinancialTransactionEntity: its 5000 and 5001 are collected into one clearing; the
 *   addenda are counted and skipped
 * - after the trailer: only the ends of elements may follow
 */
export class Cdf3Reader {
  readonly #custom_identifier: RegExp;
  readonly #parser = new SaxesParser({
    xmlns: false as const,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  readonly #bytes = new XmlTextReader();
  readonly #refuseHere = (code: string, message: string): never => this.#refuse(code, message);
  #items: FileItem[] = [];

  readonly #source = new SourceText();
  /** Where the last event was in the text of the whole file. */
  #event_at = 0;

  readonly #names: string[] = [];
  #is_closed = false;
  /** `tag`: the start of the element within which a bad record of the account is kept. */
  #account: (Open & { readonly number: string | null; readonly tag: string }) | null = null;
  #entity: (Open & { readonly transaction_id: string | null; readonly offset: number }) | null = null;
  #record: (Open & { readonly fields: ReadonlySet<string> }) | null = null;
  #collected: Collected | null = null;
  #field: string | null = null;
  #value = '';

  #records = 0;
  #part_records: OtherRecords = {};
  #has_header = false;
  #trailer: Collected | null = null;
  readonly #totals = new PostedTotals();

  constructor(custom_identifier: RegExp) {
    this.#custom_identifier = new RegExp(custom_identifier.source, custom_identifier.flags.replace(/[gy]/g, ''));
    // An eighth handler would make the parser five times slower: its properties would no longer be
    // kept in the way that the engine compiles. Errors and the declaration need none.
    const parser = this.#parser;
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('text', (text) => this.#addText(text));
    parser.on('cdata', (text) => this.#addText(text));
    parser.on('closetag', () => this.#close());
    parser.on('doctype', () => this.#refuse('doctype_present', 'a document type declaration is not accepted'));
  }

  /** The items of the file. Throws `FileProblem` for a file that cannot be accepted. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#read(chunks), () => this.#records);
  }

  async *#read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    for await (const chunk of chunks) {
      for (const part of this.#bytes.push(chunk)) {
        this.#parse(part);
        if (this.#items.length === 0) continue;
        const items = this.#items;
        this.#items = [];
        yield { items, bytes: part.end };
      }
    }
    const { received } = this.#bytes;
    if (!this.#is_closed) {
      const message = `the file ends at offset ${received}, within the document`;
      throw new FileProblem('truncated', 'file_truncated', message, received);
    }
    if (!this.#bytes.finish()) {
      const message = `bytes follow the document, which ends before offset ${this.#source.end}`;
      throw new FileProblem('refused', 'bytes_after_end', message, this.#source.end);
    }
    yield { items: [this.#end()], bytes: received };
  }

  /**
   * Reads the `raw` of a bad record again. Throws `FileProblem` when it is not one record in its
   * account.
   */
  readRecord(raw: Uint8Array, { ordinal, offset }: RecordPlace): FileClearing | BadRecord {
    const text = Buffer.from(raw).toString();
    const start = `<${root_name}><${header_name}><FileReferenceNum>0</FileReferenceNum></${header_name}>`;
    this.#parse({ text: `${start}${text}`, offset: 0, end: 0, unit_bytes: 1 });
    const [, item, ...others] = this.#items;
    if ((item?.kind !== 'clearing' && item?.kind !== 'bad') || others.length > 0) {
      this.#refuse('record_incomplete', 'the bytes are not one record');
    }
    return { ...item, ordinal, offset };
  }

  #parse(part: XmlPart): void {
    this.#source.beginPart(part);
    try {
      this.#parser.write(part.text);
    } catch (problem) {
      // The parser reports what is wrong with the text by an error of the plain class.
      if (!(problem instanceof Error) || problem.constructor !== Error) throw problem;
      if (this.#is_closed) this.#refuse('bytes_after_end', `after the end of the document: ${shown(problem.message)}`);
      this.#refuse('xml_malformed', `not well-formed XML: ${shown(problem.message)}`);
    }
    this.#boundEvent(this.#source.endPosition);
    const raw = this.#source.endPart();
    if (raw !== null) this.#boundRaw(raw);
  }

  #passEvent(): void {
    const at = this.#parser.position;
    this.#boundEvent(at);
    this.#event_at = at;
  }

  /** The parser keeps what comes between two events: a text, comments or a tag. */
  #boundEvent(at: number): void {
    if (at - this.#event_at > run_bytes_max) {
      this.#refuse('markup_too_long', `a text or markup is longer than ${run_bytes_max} characters`);
    }
  }

  #open(tag: SaxesTagPlain): void {
    this.#passEvent();
    const { name, attributes } = tag;
    this.#names.push(name);
    const depth = this.#names.length;
    boundElement(tag, depth, this.#refuseHere);
    const record = this.#record;
    if (record === null) this.#openOutside(name, depth, attributes);
    else if (depth === record.depth + 1) this.#openField(name, attributes, record.fields);
    else if (isStructure(name)) this.#refuseMisplaced(name);
    else if (this.#field !== null) {
      this.#spoilField(this.#field, 'element_malformed', 'must not contain elements');
    }
  }

  #openField(name: string, attributes: Readonly<Record<string, string>>, fields: ReadonlySet<string>): void {
    if (!fields.has(name)) {
      if (isStructure(name)) this.#refuseMisplaced(name);
      return;
    }
    this.#field = name;
    this.#value = '';
    if (amounts.has(name)) this.#collected!.attributes.set(name, attributes);
  }

  #openOutside(name: string, depth: number, attributes: Readonly<Record<string, string>>): void {
    if (depth === 1) {
      if (name !== root_name) this.#refuse('root_unknown', `the root element must be ${root_name}`);
      return;
    }
    if (this.#trailer !== null) this.#refuse('record_after_trailer', `an element follows ${trailer_name}`);
    if (!this.#has_header && name !== header_name) {
      this.#refuse('header_missing', `the first element must be ${header_name}`);
    }
    const start = this.#source.tagStart(this.#parser.position);
    if (is_record.test(name)) {
      this.#openRecord(name, depth, start);
      return;
    }
    switch (name) {
      case 'AccountEntity':
        if (this.#account !== null || this.#entity !== null) this.#refuseMisplaced(name);
        this.#account = { name, depth, ...accountOf(attributes.AccountNumber?.trim() || null) };
        return;
      case entity_name:
        if (this.#entity !== null) this.#refuseMisplaced(name);
        this.#entity = {
          name,
          depth,
          offset: start.offset,
          transaction_id: attributes.ProcessorTransactionId?.trim() || null,
        };
        this.#source.beginRaw(start);
        return;
      case 'SequenceNum':
        // A record without a number in its name.
        this.#records += 1;
        if (this.#entity === null) this.#addOther(this.#enclosingRecord(), start.offset);
        else this.#addPart(this.#enclosingRecord());
    }
  }

  #openRecord(name: string, depth: number, start: TagStart): void {
    const is_frame = name === header_name || name === trailer_name;
    if (is_frame && (depth !== 2 || (name === header_name && this.#has_header))) this.#refuseMisplaced(name);
    if (name === transaction_name && this.#entity === null) this.#refuseMisplaced(name);
    if (name === adjustment_name) {
      if (this.#entity !== null) this.#refuseMisplaced(name);
      this.#source.beginRaw(start);
    }
    this.#records += 1;
    this.#record = { name, depth, fields: fields_of.get(name) ?? no_fields };
    if (this.#entity === null || this.#collected === null) {
      const offset = this.#entity?.offset ?? start.offset;
      this.#collected = {
        values: new Map(),
        attributes: new Map(),
        ordinal: this.#records,
        offset,
        transactions: 0,
        problem: null,
      };
    }
    if (name !== transaction_name) {
      if (this.#entity !== null) this.#addPart(name);
      return;
    }
    this.#collected.transactions += 1;
    if (this.#collected.transactions === 1) return;
    this.#addPart(name);
    // The money of each is counted. Which of them the entity means is not known.
    for (const field of read_names[transaction_name]) this.#collected.values.delete(field);
    this.#spoil('transaction_repeated', `${entity_name} must contain one ${transaction_name}`);
  }

  #addText(text: string): void {
    this.#passEvent();
    if (this.#field !== null) this.#value += text;
    // A field may have several parts of text.
    if ((this.#field === null ? text : this.#value).length > xml_bounds.text_length) {
      this.#refuse('text_too_long', `the text of an element is longer than ${xml_bounds.text_length} characters`);
    }
  }

  #close(): void {
    this.#passEvent();
    const depth = this.#names.length;
    this.#names.pop();
    if (this.#record !== null) {
      if (depth === this.#record.depth + 1) this.#closeField();
      else if (depth === this.#record.depth) this.#closeRecord(this.#record.name);
      return;
    }
    if (this.#entity?.depth === depth) this.#closeEntity();
    else if (this.#account?.depth === depth) this.#account = null;
    else if (depth === 1) {
      if (this.#trailer === null) this.#refuse('trailer_missing', `${trailer_name} is missing`);
      this.#is_closed = true;
    }
  }

  #closeField(): void {
    if (this.#field === null) return;
    const { values } = this.#collected!;
    if (values.has(this.#field)) this.#spoilField(this.#field, 'element_repeated', 'must be there once');
    else values.set(this.#field, this.#value.trim());
    this.#field = null;
  }

  #closeRecord(name: string): void {
    this.#record = null;
    const collected = this.#collected!;
    switch (name) {
      case header_name:
        this.#has_header = true;
        this.#items.push(this.#header(collected));
        break;
      case trailer_name:
        this.#trailer = collected;
        break;
      case transaction_name:
        this.#count(collected);
        return;
      case adjustment_name:
        this.#count(collected);
        this.#addClearing(collected, this.#rawText());
        break;
      default:
        // A card acceptor or an addendum belongs to its transaction.
        if (this.#entity !== null) return;
        this.#addOther(name, collected.offset, collected.ordinal);
    }
    this.#collected = null;
  }

  #closeEntity(): void {
    const collected = this.#collected;
    const raw = this.#rawText();
    if (collected === null || collected.transactions === 0) {
      this.#refuse('transaction_missing', `${entity_name} must contain ${transaction_name}`);
    }
    this.#addClearing(collected, raw);
    this.#entity = null;
    this.#collected = null;
  }

  #count(collected: Collected): void {
    const { direction, digits } = postedOf(this.#stated(collected));
    this.#totals.add(direction, digits, collected.ordinal);
  }

  #addClearing(collected: Collected, raw: string): void {
    const { ordinal, offset } = collected;
    const read = collected.problem ?? readTransaction(this.#stated(collected), this.#custom_identifier);
    if (read instanceof TransactionProblem) {
      const { code, reason } = read;
      const whole = Buffer.from(`${this.#accountTag}${raw}${account_end}`);
      this.#items.push({ kind: 'bad', ordinal, offset, code, reason, raw: whole });
    } else {
      this.#items.push({ kind: 'clearing', ordinal, offset, synthetic_id: false, ...read });
    }
  }

  #stated({ values, attributes }: Collected): Parameters<typeof postedOf>[0] {
    return {
      values,
      attributes,
      account_number: this.#account?.number ?? null,
      entity_transaction_id: this.#entity?.transaction_id ?? null,
    };
  }

  /** The element that a SequenceNum numbers: it has the number itself, or a header with it. */
  #enclosingRecord(): string {
    const parent = this.#names.at(-2)!;
    return parent.endsWith('RecordHeader') ? this.#names.at(-3)! : parent;
  }

  #addOther(name: string, offset: number, ordinal = this.#records): void {
    this.#items.push({ kind: 'other', ordinal, offset, type: maskCardNumbers(name) });
  }

  #addPart(name: string): void {
    this.#part_records = countOther(this.#part_records, maskCardNumbers(name));
  }

  #header({ values, ordinal, offset, problem }: Collected): FileItem {
    if (problem !== null) this.#refuse('header_malformed', problem.reason);
    return { kind: 'header', ordinal, offset, ...readHeader(values) };
  }

  #end(): FileItem {
    const { values, problem, offset } = this.#trailer!;
    if (problem !== null) this.#refuse('trailer_malformed', problem.reason, offset);
    const control_totals = this.#totals.compare(values, this.#records, (code, message) =>
      this.#refuse(code, message, offset),
    );
    return { kind: 'end', records: this.#records, control_totals, part_records: this.#part_records };
  }

  #spoilField(name: string, code: string, reason: string): void {
    if (addition_names.has(name)) this.#collected!.values.set(name, unreadable);
    else this.#spoil(code, `${name} ${reason}`);
  }

  /** Marks the record that is collected as bad. The first reason stays. */
  #spoil(code: string, reason: string): void {
    this.#collected!.problem ??= new TransactionProblem(code, reason);
  }

  #rawText(): string {
    const raw = this.#source.endRaw(this.#parser.position);
    this.#boundRaw(raw);
    return raw;
  }

  get #accountTag(): string {
    return this.#account?.tag ?? tag_without_number;
  }

  /**
   * A bad record is kept within its account, which names the card. A cut one could not be read
   * again.
   */
  #boundRaw(raw: string): void {
    const bytes = Buffer.byteLength(this.#accountTag) + Buffer.byteLength(raw) + account_end.length;
    if (bytes > record_bytes_max) {
      this.#refuse('record_too_long', `a record with its account is longer than ${record_bytes_max} bytes in UTF-8`);
    }
  }

  #refuseMisplaced(name: string): never {
    this.#refuse('element_misplaced', `${shown(name)} is not in its place`);
  }

  /** `offset`: the problem is there or before. */
  #refuse(code: string, message: string, offset = this.#source.offsetOf(this.#parser.position)): never {
    throw new FileProblem('refused', code, maskCardNumbers(message), offset);
  }
}

const tag_without_number = '<AccountEntity>';
const account_end = '</AccountEntity>';

function accountOf(number: string | null): { readonly number: string | null; readonly tag: string } {
  const tag = number === null ? tag_without_number : `<AccountEntity AccountNumber="${escapeXml(number)}">`;
  return { number, tag };
}

const is_record = /_\d{4}$/;

/** Whether an element may only be outside of records. */
function isStructure(name: string): boolean {
  return name === entity_name || name === 'AccountEntity' || is_record.test(name);
}

/** A name or a message of the parser, which may repeat a part of the file. */
function shown(text: string): string {
  return maskCardNumbers(text).slice(0, 200);
}
