import { maskNumber } from '@tallystick/kernel';

/** The form of a card number in a message: 12 to 19 digits and nothing else. */
export const card_number_form = /^\d{12,19}$/;

/** A card number. Every conversion to text is masked; only `reveal` returns the digits. */
export class Pan {
  readonly #digits: string;

  /** `digits` must be 12 to 19 decimal digits. Throws a `TypeError` that does not repeat them. */
  constructor(digits: string) {
    if (!card_number_form.test(digits)) throw new TypeError('a card number is 12 to 19 digits');
    this.#digits = digits;
  }

  reveal(): string {
    return this.#digits;
  }

  get last4(): string {
    return this.#digits.slice(-4);
  }

  /** `************` and the last four digits. */
  get masked(): string {
    return maskNumber(this.last4);
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
