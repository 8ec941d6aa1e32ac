const tag_digits = 4;
const length_digits = 3;

/**
 * The private data of one record, PDS (private data subelements): tag (4 digits), length (3
 * digits), value, and so on. One object serves all records of a file. Of a repeated tag the last
 * one counts.
 */
export class PrivateData {
  #text = '';
  #count = 0;
  readonly #tags: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Reads the text from `start` to `end`. Returns what is wrong with it, or null. */
  read(text: string, start: number, end: number): string | null {
    this.#text = text;
    this.#count = 0;
    let at = start;
    while (at < end) {
      const value_at = at + tag_digits + length_digits;
      const tag = value_at <= end ? numberAt(text, at, tag_digits) : -1;
      const length = value_at <= end ? numberAt(text, at + tag_digits, length_digits) : -1;
      if (tag < 0 || length < 0) return 'a PDS does not begin with a tag of 4 digits and a length of 3';
      at = value_at + length;
      if (at > end) return `PDS${String(tag).padStart(tag_digits, '0')} runs over the end of the private data`;
      this.#tags[this.#count] = tag;
      this.#starts[this.#count] = value_at;
      this.#ends[this.#count] = at;
      this.#count += 1;
    }
    return null;
  }

  get tags(): readonly number[] {
    return [...new Set(this.#tags.slice(0, this.#count))];
  }

  value(tag: number): string | null {
    for (let place = this.#count - 1; place >= 0; place -= 1) {
      if (this.#tags[place] === tag) return this.#text.slice(this.#starts[place], this.#ends[place]);
    }
    return null;
  }
}

/** The number that the digits state; -1 when a character is no digit. */
function numberAt(text: string, start: number, digits: number): number {
  let number = 0;
  for (let at = start; at < start + digits; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** The number of a text of digits; -1 when it is empty or has another character. */
export function numberOfText(text: string): number {
  return text === '' ? -1 : numberAt(text, 0, text.length);
}
