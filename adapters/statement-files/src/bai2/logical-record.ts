import { FileProblem, record_bytes_max } from '@tallystick/imports';
import { maskCardNumbers } from '@tallystick/kernel';
import type { PhysicalRecord } from './physical-records.ts';

/**
 * Refuses the file for what is wrong with one of its records. The message repeats no card number.
 */
export function refuse(
  { number, offset }: { readonly number: number; readonly offset: number },
  code: string,
  message: string,
): never {
  const text = maskCardNumbers(`record ${number} at offset ${offset} ${message}`);
  throw new FileProblem('refused', code, text, offset);
}

/** The codes of records that state something by themselves. */
const record_codes = ['01', '02', '03', '16', '49', '98', '99'] as const;

export type RecordCode = (typeof record_codes)[number];

const continuation = '88';

/** A physical record without its code, and without the `/` that ends it. */
interface Piece {
  readonly body: string;
  readonly is_ended: boolean;
}

/** A record with its continuations (88). */
export class LogicalRecord {
  readonly code: RecordCode;
  readonly number: number;
  readonly offset: number;
  readonly #pieces: Piece[] = [];
  #length = 0;

  constructor(code: RecordCode, record: PhysicalRecord) {
    this.code = code;
    this.number = record.number;
    this.offset = record.offset;
    this.continue(record);
  }

  get records(): number {
    return this.#pieces.length;
  }

  get is_ended(): boolean {
    return this.#pieces.at(-1)!.is_ended;
  }

  continue({ text }: PhysicalRecord): void {
    this.#length += text.length;
    if (this.#length > record_bytes_max) {
      refuse(this, 'record_too_long', `is with its continuations longer than ${record_bytes_max} characters`);
    }
    const content = text.slice(3);
    const is_ended = text.endsWith('/');
    this.#pieces.push({ body: is_ended ? content.slice(0, -1) : content, is_ended });
  }

  /**
   * The fields of a record without a text, after the code. Each of its physical records must end
   * with `/`: without it, a part of the last number could be missing.
   */
  fields(): readonly string[] {
    if (this.#pieces.some(({ is_ended }) => !is_ended)) refuse(this, 'record_unended', 'must end with "/"');
    return this.#pieces.flatMap(({ body }) => body.split(',')).map((field) => field.trim());
  }

  /** The fields of a detail record (16), whose last one is a text with commas and slashes. */
  reader(): FieldReader {
    return new FieldReader(this.#pieces.map(({ body }) => body));
  }
}

class FieldReader {
  readonly #bodies: readonly string[];
  #body = 0;
  /** Where the next field begins; null: with the next physical record. */
  #at: number | null = 0;

  constructor(bodies: readonly string[]) {
    this.#bodies = bodies;
  }

  /** The next field; null after the last one. */
  next(): string | null {
    if (this.#at === null && !this.#advance()) return null;
    const body = this.#bodies[this.#body]!;
    const start = this.#at!;
    const end = body.indexOf(',', start);
    this.#at = end === -1 ? null : end + 1;
    return body.slice(start, end === -1 ? undefined : end).trim();
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

/** The code with which a physical record begins; `88` for a continuation. Refuses any other. */
export function codeOf(record: PhysicalRecord): RecordCode | typeof continuation {
  const code = record.text.slice(0, 2);
  const is_known = code === continuation || record_codes.some((known) => known === code);
  if (!is_known || (record.text.length > 2 && record.text[2] !== ',' && record.text[2] !== '/')) {
    refuse(record, 'record_unknown', `must begin with one of ${record_codes.join(', ')} or 88, and a comma`);
  }
  return code as RecordCode | typeof continuation;
}
