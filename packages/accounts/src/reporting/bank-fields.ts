import {
  amount_max,
  isDay,
  isIbanForm,
  isName,
  isPrintable,
  type Money,
  maskCardNumbers,
  maskNumber,
  money,
  RequestFields,
  Temporal,
} from '@tallystick/kernel';
import { account_number_expected, accountNumberOf } from '../account.ts';
import { type ThirdPartyService, third_party_services } from '../bank/bank-company.ts';
import type { BankAccount } from '../bank/bank-data.ts';

/** The scheme whose identifications are card numbers. */
export const card_number_scheme = 'UK.OBIE.PAN';

const iban_scheme = 'UK.OBIE.IBAN';

/** A scheme with what it identifies. Both are null when the bank named neither. */
export interface SchemeIdentification {
  readonly scheme_name: string | null;
  readonly identification: string | null;
}

/**
 * Reads the fields of what the bank reports. Lengths are those of the standard, in code points.
 */
export class BankFields extends RequestFields {
  /** Free text. Card numbers are masked, and what that adds to the length is cut. */
  readWords(name: string, length_max: number): string | null {
    const expected = `text of 1 to ${length_max} printable characters, not all of them blank`;
    const text = this.readText(name, (value) => isName(value, length_max), expected);
    return text === null ? null : [...maskCardNumbers(text.trim())].slice(0, length_max).join('');
  }

  /** Text that names something, and is stored as it is. */
  readReference(name: string, length_max: number): string | null {
    return this.readText(
      name,
      (text) => isName(text, length_max) && text.trim() === text,
      `1 to ${length_max} printable characters, without blanks at its ends`,
    );
  }

  readNumber(name: string): string | null {
    return this.readParsed(name, accountNumberOf, account_number_expected);
  }

  /** Services of third parties, each once, in the order of `third_party_services`. */
  readServices(name: string): readonly ThirdPartyService[] {
    const items = this.readArray(name, { min: 0, max: third_party_services.length }, 'services') ?? [];
    for (const [at, item] of items.entries()) {
      if (third_party_services.some((service) => service === item)) continue;
      this.addProblem(`${name}[${at}]`, `must be one of ${third_party_services.join(', ')}`);
    }
    return third_party_services.filter((service) => items.includes(service));
  }

  /** An amount in minor units. */
  readMoney(name: string, min = -amount_max, max = amount_max): Money | null {
    const value = this.readInteger(name, { min, max });
    return value === null ? null : money(value);
  }

  /** A date from 1970 on, YYYY-MM-DD. */
  readDay(name: string): string | null {
    return this.readText(
      name,
      (text) => isDay(text) && text >= '1970-01-01',
      'a date that exists, as YYYY-MM-DD, from 1970 on',
    );
  }

  /** An instant with its zone, epoch milliseconds. */
  readInstant(name: string): number | null {
    return this.readParsed(
      name,
      (text) => {
        const at_ms = instant_form.test(text) ? Temporal.Instant.from(text).epochMilliseconds : null;
        return at_ms !== null && at_ms >= 0 && at_ms < Date.UTC(10_000) ? at_ms : null;
      },
      'an instant in ISO 8601 with a zone, such as 2030-03-15T10:00:00Z, from 1970 to 9999 in UTC',
    );
  }

  /** A date and an amount, of which there are both or neither. */
  readPayment(date_name: string, amount_name: string): { readonly on: string | null; readonly amount: Money | null } {
    const on = this.readDay(date_name);
    const amount = this.readMoney(amount_name, 0);
    this.#requireBoth(date_name, amount_name);
    return { on, amount };
  }

  /**
   * A scheme and an identification, of which there are both or neither. A card number has only its
   * last 4 digits.
   */
  readIdentification(scheme: string, identification: string, length_max: number): SchemeIdentification {
    const scheme_name = this.readText(scheme, (text) => scheme_form.test(text), scheme_expected);
    this.#requireBoth(scheme, identification);
    if (scheme_name === iban_scheme) {
      return {
        scheme_name,
        identification: this.readText(identification, isIbanForm, 'an IBAN in capitals, without spaces'),
      };
    }
    if (scheme_name !== card_number_scheme) {
      return { scheme_name, identification: this.readReference(identification, length_max) };
    }
    const isCard = (text: string) => isPrintable(text) && text.length <= length_max && /\d{4}$/.test(text);
    const named = this.readSecret(identification, isCard, 'a card number, or its last four digits');
    return { scheme_name, identification: named === null ? null : maskNumber(named.slice(-4)) };
  }

  #requireBoth(one: string, other: string): void {
    for (const [named, missing] of [
      [one, other],
      [other, one],
    ] as const) {
      const lacks = this.has(named) && !this.has(missing) && this.areSound(missing);
      if (lacks) this.addProblem(missing, `is required together with ${named}`);
    }
  }
}

/** A currency may be absent. Another one than the account's is a problem. */
export function requireCurrency(fields: BankFields, { currency }: BankAccount): void {
  const named = fields.get('currency');
  if (named !== null && named !== currency) {
    fields.addProblem('currency', `must be ${currency}, the currency of the account`);
  }
}

/** Names of schemes are `UK.OBIE.IBAN`, `UK.OBIE.PAN` and the like. */
const scheme_form = /^[A-Za-z0-9._-]{1,40}$/;

const scheme_expected = 'the name of a scheme, such as UK.OBIE.IBAN: 1 to 40 characters of A-Za-z0-9._-';

const instant_form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
