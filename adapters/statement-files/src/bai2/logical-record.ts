import { FileProblem, record_bytes_max, type StatedProblem } from '@tallystick/imports';
import { problemText } from '../stated-text.ts';
import type { Fields } from './fields.ts';
import type { PhysicalRecord } from './physical-records.ts';

interface Place {
  readonly number: number;
  readonly offset: number;
}

/** What is wrong with a record, and where. The message repeats no card number. */
export function problemOf({ number, offset }: Place, code: string, message: string): StatedProblem {
  return { code, message: problemText(`record ${number} at offset ${offset} ${message}`) };
}

/** Refuses the file for what is wrong with one of its records. */
export function refuse(place: Place, code: string, message: string): never {
  throw new FileProblem('refused', code, problemOf(place, code, message).message, place.offset);
}

/** The codes of records that state something by themselves. */
type RecordCode = '01' | '02' | '03' | '16' | '49' | '98' | '99';

const continuation = '88';

const record_start = /^(01|02|03|16|49|88|98|99)\s*,/;

/** The code with which a physical record begins; `88` for a continuation. Null for none. */
export function codeOf({ text }: PhysicalRecord): RecordCode | typeof continuation | null {
  return (record_start.exec(text)?.[1] ?? null) as RecordCode | typeof continuation | null;
}

/** A record with its continuations: records 88, and lines in which a bank has broken a long one. */
export class LogicalRecord {
  readonly code: RecordCode;
  readonly number: number;
  readonly offset: number;
  /** How many physical records it has: a line that only breaks a text is none. */
  records = 0;
  readonly #texts: string[] = [];
  #length = 0;

  constructor(code: RecordCode, record: PhysicalRecord) {
    this.code = code;
    this.number = record.number;
    this.offset = record.offset;
    this.continue(record);
  }

  /** Whether a line that begins with no code goes on with its text. */
  isOpenText(): boolean {
    return this.code === '16' && !this.#texts.at(-1)!.endsWith('/');
  }

  /** As it is in the file, at most `record_bytes_max` bytes. */
  get raw(): Uint8Array {
    return new TextEncoder().encode(this.#texts.join('\n')).subarray(0, record_bytes_max);
  }

  continue({ text }: PhysicalRecord): void {
    this.#length += text.length;
    if (this.#length > record_bytes_max) {
      refuse(this, 'record_too_long', `is with its continuations longer than ${record_bytes_max} characters`);
    }
    this.#texts.push(text);
    if (record_start.test(text)) this.records += 1;
  }

  /** The fields of a record without a text, after the code. */
  fields(): readonly string[] {
    return this.#bodies().flatMap((body) => body.split(',').map((field) => field.trim()));
  }

  /** The fields of an account (03), or of a detail (16), whose text has commas and slashes. */
  reader(): FieldReader {
    return new FieldReader(this.#bodies());
  }

  #bodies(): readonly string[] {
    return this.#texts.map((text) => text.replace(record_start, '').replace(/\/$/, ''));
  }
}

/** Reads the fields of bodies. A body ends a field, and so does a comma. */
export class FieldReader implements Fields {
  readonly #bodies: readonly string[];
  #body = 0;
  /** Where the next field begins; null: with the next body. */
  #at: number | null = 0;

  constructor(bodies: readonly string[]) {
    this.#bodies = bodies;
  }

  next(): string | null {
    if (this.#at === null && !this.#advance()) return null;
    const body = this.#bodies[this.#body]!;
    const start = this.#at!;
    const end = body.indexOf(',', start);
    this.#at = end === -1 ? null : end + 1;
    return body.slice(start, end === -1 ? undefined : end).trim();
  }

  peek(): string | null {
    const [body, at] = [this.#body, this.#at];
    const field = this.next();
    [this.#body, this.#at] = [body, at];
    return field;
  }

  rest(): readonly string[] {
    if (this.#at === null && !this.#advance()) return [];
    return [this.#bodies[this.#body]!.slice(this.#at!), ...this.#bodies.slice(this.#body + 1)];
  }

  #advance(): boolean {
    if (this.#body + 1 >= this.#bodies.length) return false;
    this.#body += 1;
    this.#at = 0;
    return true;
  }
}
