import { decodeText, FileProblem, LineReader, type RawLine } from '@tallystick/imports';
import { problemText, text_length_max } from '../stated-text.ts';

/** A field of the file: its tag, and its content up to the next one. */
export interface Field {
  /** `61`, `60F`. */
  readonly tag: string;
  /** Each without its line break. Lines beyond `content_length_max` are left out. */
  readonly lines: readonly string[];
  /** Bytes from the start of the file to the line of the tag. */
  readonly offset: number;
}

/** More than any text that is kept: a field with a longer content loses its end. */
const content_length_max = 2 * text_length_max;

const tag_form = /^:(13D|20|21|25P?|28C?|34F|6[02][FM]|61|6[45][FM]?|86|90[CD]|940|NS):/;

/** The fields whose content is a text of any form. */
const text_tags: readonly string[] = ['86', 'NS'];

/** A time within a text that was broken before its minutes begins like a tag. */
const time_form = /^:[0-5]\d:[0-5]\d(?!\d)/;

/**
 * Cuts a file into fields. A field begins with its tag at the start of a line. Blank lines are
 * skipped. Around the fields a file may have headers of its bank, and the envelope of the network:
 * `{1:...}{2:...}{4:` before a message, `-}` or `-` after it.
 */
export class FieldReader {
  readonly #lines = new LineReader();
  #field: { readonly tag: string; readonly lines: string[]; readonly offset: number; length: number } | null = null;
  #has_fields = false;
  #is_in_envelope = false;
  #is_blank = true;

  *push(chunk: Uint8Array): Generator<Field> {
    for (const line of this.#lines.push(chunk)) yield* this.#take(line);
  }

  /** The last fields. `is_cut`: no line break ends the file. */
  *finish(): Generator<Field & { readonly is_cut: boolean }> {
    const rest = this.#lines.finish();
    if (rest !== null) for (const field of this.#take(rest)) yield { ...field, is_cut: false };
    if (this.#field !== null) yield { ...this.#field, is_cut: rest !== null };
  }

  get has_fields(): boolean {
    return this.#has_fields;
  }

  /** Whether more must follow: the envelope of a message is not closed, or the file is blank. */
  get is_unended(): boolean {
    return this.#is_in_envelope || this.#is_blank;
  }

  *#take({ bytes, offset }: RawLine): Generator<Field> {
    const line = this.#openEnvelope(decodeText(bytes), offset);
    if (line === '') return;
    this.#is_blank = false;
    const tag = this.#tagOf(line);
    if (tag === null) {
      this.#continue(line);
      return;
    }
    if (this.#field !== null) yield this.#field;
    this.#has_fields = true;
    this.#field = { tag, lines: [], offset, length: 0 };
    this.#continue(line.slice(tag.length + 2));
  }

  /** The line without the header of the network that may come before its tag. */
  #openEnvelope(line: string, offset: number): string {
    const content = line.replace(/^[\p{Cc}\uFEFF]+/u, '');
    if (/^-\}/.test(content)) this.#is_in_envelope = false;
    if (!/^\{(?:$|[1-4](?:$|:))/.test(content)) return content;
    this.#is_blank = false;
    this.#is_in_envelope = true;
    if (/\{2:[IO]942/.test(content)) refuseInterim(offset);
    return content.replace(/^.*\{4:/, '');
  }

  #tagOf(line: string): string | null {
    const is_text = this.#field !== null && text_tags.includes(this.#field.tag);
    return is_text && time_form.test(line) ? null : (tag_form.exec(line)?.[1] ?? null);
  }

  #continue(line: string): void {
    const field = this.#field;
    if (field === null || field.length > content_length_max) return;
    field.length += line.length;
    field.lines.push(line.slice(0, content_length_max));
  }
}

/** Refuses the file for what is wrong with one of its fields. */
export function refuse({ tag, offset }: Pick<Field, 'tag' | 'offset'>, code: string, message: string): never {
  throw new FileProblem('refused', code, nameField({ tag, offset }, message), offset);
}

/** The sentence about a field, with its place. */
export function nameField({ tag, offset }: Pick<Field, 'tag' | 'offset'>, message: string): string {
  return problemText(`field :${tag}: at offset ${offset} ${message}`);
}

/** Refuses an MT942: what it reports may change, and it has no balances. */
export function refuseInterim(offset: number): never {
  const message = 'the file is MT942, a report of transactions within the day: ask the bank for MT940, the statement';
  throw new FileProblem('refused', 'statement_interim', message, offset);
}
