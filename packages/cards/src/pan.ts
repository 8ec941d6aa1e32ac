import { isLuhnValid } from './luhn.ts';

/** A card number. Prints masked wherever it is printed by accident; only `reveal` gives the digits. */
export class Pan {
  readonly #digits: string;

  /** `digits` must be 12 to 19 decimal digits. Throws a `TypeError` that does not repeat them. */
  constructor(digits: string) {
    if (!/^\d{12,19}$/.test(digits)) throw new TypeError('a card number is 12 to 19 digits');
    this.#digits = digits;
  }

  /** The digits in clear. */
  reveal(): string {
    return this.#digits;
  }

  get last4(): string {
    return this.#digits.slice(-4);
  }

  /** `************` and the last four digits. */
  get masked(): string {
    return maskedNumber(this.last4);
  }

  toString(): string {
    return this.masked;
  }

  toJSON(): string {
    return this.masked;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.masked;
  }
}

/**
 * The text with every run of digits that could be a card number masked: 13 to 19 of them, perhaps in groups, that pass the
 * Luhn check. For free text of others, in which a number is a mistake of theirs and must not become ours.
 */
export function withoutCardNumbers(text: string): string {
  return text.replace(/(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g, (run) => {
    const digits = run.replace(/[ -]/g, '');
    return isLuhnValid(digits) ? maskedNumber(digits.slice(-4)) : run;
  });
}

/** How a number is shown to those who may not see it (decision: virtual cards). */
export function maskedNumber(last4: string): string {
  return `************${last4}`;
}
