import { account_number_expected, accountNumberOf } from '@tallystick/accounts';
import { type FileItem, FileProblem, type ItemBatch, noteRecords, type StatedProblem } from '@tallystick/imports';
import { decimalsOf, isIbanForm } from '@tallystick/kernel';
import { oneLine, referenceOf } from '../stated-text.ts';
import { assumed_currency, balanceDayOf, readBalance, type StatedBalance } from './balance.ts';
import { type CollectedEntry, type EntryContext, readEntry } from './entry.ts';
import { type Field, FieldReader, nameField, refuse, refuseInterim } from './fields.ts';

/** The fields of a statement before its lines. */
interface Head {
  readonly offset: number;
  account: Field | null;
  reference: string | null;
  opening: Field | null;
  /** It has the field of floor limits, which only reports within the day must have. */
  has_floor_limit: boolean;
}

interface OpenEntry extends CollectedEntry {
  readonly field: Field;
  readonly information: Field[];
}

/** The most fields that describe one line. Further ones are left out. */
const information_max = 10;

/** The date of a statement that states none before its lines; its closing balance states it. */
const unknown_day = '1970-01-01';

/**
 * Reads an MT940 file, field by field:
 *
 * - outside of statements, and in a head: 20, 25, 28 and 60, each of which may begin a statement
 * - after the head: 61 with 86 and NS, then 62, which ends the statement
 * - after 62: fields of other balances and 86, until the next statement
 *
 * A statement is reported with its first line, or at its end. A page of a statement (60M, 62M) is a
 * statement with the same reference. Other fields are passed over.
 */
export class Mt940Reader {
  readonly #fields = new FieldReader();
  #items: FileItem[] = [];
  #bytes = 0;
  #records = 0;
  #statements = 0;
  #entries = 0;
  /** The head of the statement that was begun last, also after it was reported. */
  #head: Head | null = null;
  #stage: 'outside' | 'head' | 'lines' = 'outside';
  /** Of the statement that was reported last. */
  #context: EntryContext = { currency: null, day: null };
  #lines = 0;
  #entry: OpenEntry | null = null;

  /** The items of the file. Throws `FileProblem` for a file that cannot be accepted. */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    return noteRecords(this.#read(chunks), () => this.#records);
  }

  async *#read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ItemBatch> {
    const created = { file_id: null, series: null, sequence: null, created_on: null, mode: null };
    this.#items.push({ kind: 'header', ...this.#place(0), ...created });
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      for (const field of this.#fields.push(chunk)) this.#take(field);
      if (this.#items.length === 0) continue;
      const items = this.#items;
      this.#items = [];
      yield { items, bytes: this.#bytes };
    }
    for (const field of this.#fields.finish()) this.#take(field, field.is_cut);
    this.#finish();
    const control_totals = { statements: String(this.#statements), entries: String(this.#entries) };
    yield { items: [...this.#items, { kind: 'end', records: this.#records, control_totals }], bytes: this.#bytes };
  }

  #take(field: Field, is_cut = false): void {
    const { tag } = field;
    if (tag === '86' || tag === 'NS') {
      const information = this.#entry?.information;
      if (information !== undefined && information.length < information_max) information.push(field);
      return;
    }
    this.#completeEntry();
    const head = this.#stage === 'head' ? this.#head : null;
    switch (tag) {
      case '20':
        this.#begin(field);
        return;
      case '25':
      case '25P':
        (head === null || head.account !== null ? this.#begin(field) : head).account = field;
        return;
      case '28':
      case '28C':
        (head ?? this.#begin(field, this.#head)).reference = referenceOf(contentOf(field).replace(/\/.*$/s, ''));
        return;
      case '34F':
        if (head !== null) head.has_floor_limit = true;
        return;
      case '60F':
      case '60M':
        (head === null || head.opening !== null ? this.#begin(field, this.#head) : head).opening = field;
        return;
      case '61':
        this.#report(field);
        this.#entry = { field, lines: field.lines, information: [] };
        return;
      case '62F':
      case '62M':
        this.#report(field);
        this.#end(field, is_cut);
    }
  }

  /** Begins a statement. `page_of`: the head whose account and number it has. */
  #begin({ offset }: Field, page_of: Head | null = null): Head {
    if (this.#stage === 'head' && this.#head!.account !== null) this.#report(this.#head!.account);
    if (this.#stage === 'lines') this.#end(null);
    const { account = null, reference = null } = page_of ?? {};
    this.#stage = 'head';
    this.#head = { offset, account, reference, opening: null, has_floor_limit: false };
    return this.#head;
  }

  /** Reports the statement whose head is complete. `field`: the one that completes it. */
  #report(field: Field): void {
    if (this.#stage === 'lines') return;
    if (this.#stage === 'outside') refuse(field, 'record_misplaced', 'must come after :20: or :25:, and before :62:');
    const { offset, account, reference, opening, has_floor_limit } = this.#head!;
    if (opening === null && has_floor_limit) refuseInterim(offset);
    const balance = opening === null ? null : readBalance(contentOf(opening), null);
    const stated = isBalance(balance) ? balance : null;
    const day = opening === null ? null : balanceDayOf(contentOf(opening));
    this.#context = { currency: stated?.currency ?? null, day };
    const { account_number, problem } = readAccount(account, this.#context.currency);
    this.#stage = 'lines';
    this.#statements += 1;
    this.#lines = 0;
    this.#items.push({
      kind: 'statement',
      ...this.#place(offset),
      number: this.#statements,
      account_number,
      currency: this.#context.currency,
      reference,
      as_of: day ?? unknown_day,
      opening_balance: stated?.amount ?? null,
      closing_balance: null,
      ...problemOf(problem ?? (typeof balance === 'string' ? balanceProblem(opening!, balance) : null)),
    });
  }

  /** Ends the statement with its closing balance. Null: it has none. */
  #end(field: Field | null, is_cut = false): void {
    const { currency } = this.#context;
    const balance = field === null ? null : readBalance(contentOf(field), currency);
    if (typeof balance === 'string' && is_cut) throw this.#truncated();
    const stated = isBalance(balance) ? balance : null;
    const as_of = field === null ? null : balanceDayOf(contentOf(field));
    this.#stage = 'outside';
    this.#items.push({
      kind: 'statement_end',
      ...this.#place(field?.offset ?? this.#head!.offset),
      statement_number: this.#statements,
      closing_balance: stated?.amount ?? null,
      ...(as_of === null ? {} : { as_of }),
      ...(stated === null || stated.currency === null ? {} : { currency: stated.currency }),
      ...problemOf(this.#problemOfEnd(field, balance, as_of)),
    });
  }

  #problemOfEnd(
    field: Field | null,
    balance: StatedBalance | string | null,
    as_of: string | null,
  ): StatedProblem | null {
    if (field === null || balance === null) {
      return { code: 'balance_missing', message: 'it has no closing balance (:62F: or :62M:)' };
    }
    if (typeof balance === 'string') return balanceProblem(field, balance);
    const { currency } = this.#context;
    if (as_of === null) {
      return { code: 'date_malformed', message: nameField(field, 'must have a date as YYMMDD') };
    }
    if (currency !== null && balance.currency !== currency) {
      const message = `must be in ${currency}, the currency of the opening balance`;
      return { code: 'currency_differs', message: nameField(field, message) };
    }
    const decimals = decimalsOf(balance.currency ?? assumed_currency);
    if (currency === null && decimals !== decimalsOf(assumed_currency)) {
      const message = `is in ${balance.currency}, which must be stated before the lines, by :60F: or :60M:`;
      return { code: 'currency_unknown', message: nameField(field, message) };
    }
    return null;
  }

  /** Reads the entry that has all of its information. */
  #completeEntry(): void {
    const entry = this.#entry;
    if (entry === null) return;
    this.#entry = null;
    this.#entries += 1;
    const place = this.#place(entry.field.offset);
    const read = readEntry(entry, this.#context);
    if (read.kind === 'expected') {
      this.#items.push({ kind: 'other', ...place, type: '61/expected' });
      return;
    }
    this.#lines += 1;
    if (read.kind === 'problem') {
      const { code, message } = read;
      const raw = new TextEncoder().encode(`:61:${entry.lines.join('\n')}`);
      this.#items.push({ kind: 'bad', ...place, code, reason: nameField(entry.field, message), raw });
      return;
    }
    this.#items.push({ ...read, ...place, statement_number: this.#statements, place: this.#lines });
  }

  #finish(): void {
    this.#completeEntry();
    if (!this.#fields.has_fields && !this.#fields.is_unended) {
      const message = 'the file has no field of MT940, such as :20: at the start of a line';
      throw new FileProblem('refused', 'header_missing', message, 0);
    }
    const { has_floor_limit = false, opening = null, offset = 0 } = this.#head ?? {};
    if (this.#stage === 'head' && has_floor_limit && opening === null) refuseInterim(offset);
    if (this.#stage !== 'outside' || this.#fields.is_unended || this.#statements === 0) throw this.#truncated();
  }

  #place(offset: number): { readonly ordinal: number; readonly offset: number } {
    this.#records += 1;
    return { ordinal: this.#records, offset };
  }

  #truncated(): FileProblem {
    const message = `the file ends at offset ${this.#bytes}, before the closing balance (:62F:) or the end of a message`;
    return new FileProblem('truncated', 'file_truncated', message, this.#bytes);
  }
}

/**
 * The number of the account: the IBAN when it has one; else all that is stated, with the bank's
 * code before a slash, because numbers are unique within a bank only. The currency of the statement
 * at its end is no part of it.
 */
function readAccount(
  field: Field | null,
  currency: string | null,
): { readonly account_number: string; readonly problem: StatedProblem | null } {
  if (field === null) {
    return { account_number: '', problem: { code: 'account_missing', message: 'it has no account (:25:)' } };
  }
  const content = contentOf(field);
  const stated = currency !== null && content.endsWith(currency) ? content.slice(0, -currency.length) : content;
  const iban = stated.split('/').find((part) => isIbanForm(part.replace(/\s/g, '')));
  const account_number = accountNumberOf(iban ?? stated);
  if (account_number !== null) return { account_number, problem: null };
  const message = nameField(field, `must name its account by ${account_number_expected}, not ${content}`);
  return { account_number: oneLine([content]), problem: { code: 'account_malformed', message } };
}

function contentOf({ lines }: Field): string {
  return (lines[0] ?? '').trim();
}

function isBalance(balance: StatedBalance | string | null): balance is StatedBalance {
  return balance !== null && typeof balance !== 'string';
}

function balanceProblem(field: Field, message: string): StatedProblem {
  return { code: 'balance_malformed', message: nameField(field, message) };
}

function problemOf(problem: StatedProblem | null): { readonly problem?: StatedProblem } {
  return problem === null ? {} : { problem };
}
