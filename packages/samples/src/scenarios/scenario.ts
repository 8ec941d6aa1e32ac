import { luhnCheckDigit, Temporal } from '@tallystick/kernel';
import type { ExpectedAuthorization, ExpectedClearing } from '../answers/expected.ts';
import type { FormatAbilities } from '../format-abilities.ts';
import type { BreakAnswers } from './break-answer.ts';
import { createDraw, type Draw, uniqueCode } from './draw.ts';
import type { SampleAuthorization, SampleClearing, SampleClearingFields, SampleMessage } from './messages.ts';
import { type SampleLine, StatementDraft } from './statement-draft.ts';

/**
 * A purchase, refund or fault of one card, with what must become of it. Scenarios share no
 * reference, code or merchant, so no scenario changes what becomes of another, and each states
 * its own answers.
 */
export interface ScenarioKind {
  /** snake_case. */
  readonly name: string;
  /** How many clearings it has in a file of the format; null when the format cannot state it. */
  records(able: FormatAbilities): number | null;
  /** How many of these scenarios a deck of 200 records has. */
  readonly weight: number;
  /**
   * The answers hold only if its authorization messages arrive in their order, and its clearings in
   * theirs: a decision that was answered stays as it was, and the first of two cards that state one
   * transaction id keeps it. A clearing may come before or between its authorization messages.
   */
  readonly ordered?: boolean;
  /** What a person makes of its breaks, by their kinds. Only of the kinds of a month. */
  readonly breaks?: BreakAnswers;
  write(draft: ScenarioDraft): void;
}

/** Returns a kind of scenarios. A number of `records` is that of every format. */
export function kind(
  name: string,
  {
    records,
    ...about
  }: Pick<ScenarioKind, 'weight' | 'ordered' | 'breaks'> & { readonly records: number | ScenarioKind['records'] },
  write: ScenarioKind['write'],
): ScenarioKind {
  return { name, ...about, records: typeof records === 'number' ? () => records : records, write };
}

export interface Scenario {
  readonly name: string;
  /** YYYY-MM-DD: when its authorizations are sent. */
  readonly day: string;
  /** Days that the holds of its card last. */
  readonly hold_days: number;
  /** Whether its messages of a kind must arrive in their order (`ScenarioKind`). */
  readonly ordered: boolean;
  /** The card of its authorizations and of what it changes. */
  readonly card: number;
  readonly authorizations: readonly SampleAuthorization[];
  /** In their canonical order: each settles later than the one before, or repeats it. */
  readonly clearings: readonly SampleClearing[];
  readonly expected: readonly ExpectedAuthorization[];
  /** What its clearings without an authorization change on the card. */
  readonly alone: { readonly cleared: number; readonly uses: number };
  readonly lines: readonly SampleLine[];
  /** What comes after the month was closed. Neither `clearings` nor `lines` has it. */
  readonly late: { readonly clearings: readonly SampleClearing[]; readonly lines: readonly SampleLine[] };
  /** Lines that the bank reported by itself, and that no statement has. */
  readonly reported: readonly SampleLine[];
  readonly breaks: BreakAnswers;
  /** The covering sets that are listed for a clearing, by its transaction id. */
  readonly offersOf: (transaction_id: string) => number;
}

/** The values that the messages of one purchase share. Amounts in minor units. */
export interface Purchase {
  readonly trace_id: string;
  readonly approval_code: string;
  readonly net_reference_number: string;
  readonly merchant_id: string;
  readonly merchant_name: string;
  readonly mcc: string;
  /** In the currency of the card. */
  readonly amount: number;
  readonly merchant_amount: number;
  readonly merchant_currency: string;
}

export interface ScenarioPlace {
  readonly seed: number;
  /** The number of the scenario in its set, from 0. */
  readonly number: number;
  /** The number of its deck in the set, from 0. */
  readonly deck: number;
  readonly cards: number;
  /** The day of its authorizations: YYYY-MM-DD. */
  readonly day: string;
  /** Days that the holds of the cards last. */
  readonly hold_days: number;
  /** Days from `day` to that of what comes after the month was closed; null: nothing comes. */
  readonly late_days: number | null;
  readonly able: FormatAbilities;
}

/** The currency in which every card of a set is billed. */
export const billing_currency = 'USD';

const references_max = 16;

const merchants = ['Paper and Ink', 'Green Grocer', 'City Cabs', 'Harbour Hotel', 'Bolt Tools', 'Cloud Hosting'];

type ClearingChange = Partial<SampleClearingFields> & {
  /**
   * Days from the authorization to the settlement; one more than the clearing before when absent.
   */
  readonly days?: number;
  readonly malformed?: boolean;
  readonly other_last4?: boolean;
  /** The index of the card that the record names. */
  readonly card?: number | null;
};

type ClearingOutcome = Pick<ExpectedClearing, 'rule' | 'class'> &
  Partial<Pick<ExpectedClearing, 'review' | 'duplicate_of' | 'quarantine' | 'sent_before'>> & {
    readonly authorization?: Purchase | null;
    readonly earlier?: SampleClearing | null;
  };

/** A scenario while its kind writes it. */
export class ScenarioDraft {
  readonly draw: Draw;
  readonly able: FormatAbilities;
  readonly card: number;
  readonly deck: number;
  readonly statement: StatementDraft;
  readonly #place: ScenarioPlace;
  readonly #kind: ScenarioKind;
  readonly #authorizations: SampleAuthorization[] = [];
  readonly #clearings: SampleClearing[] = [];
  readonly #expected: ExpectedAuthorization[] = [];
  #alone = { cleared: 0, uses: 0 };
  #references = 0;
  #messages = 0;
  #days = 0;

  constructor(kind: ScenarioKind, place: ScenarioPlace) {
    this.#kind = kind;
    this.#place = place;
    this.draw = createDraw(place.seed, place.number);
    this.able = place.able;
    this.card = place.number % place.cards;
    this.deck = place.deck;
    this.statement = new StatementDraft(place);
  }

  /**
   * The rule that finds the authorization of a clearing that states all references of its purchase
   * that the format has. Rule 6 also needs the same merchant and amount.
   */
  get by_reference(): 3 | 4 | 6 {
    return ({ whole: 3, six: 4, none: 6 } as const)[this.able.references];
  }

  /** A card of the set that is not this one; null when there is only one. */
  get other_card(): number | null {
    return this.#place.cards > 1 ? (this.card + 1) % this.#place.cards : null;
  }

  /** Days to what comes after the month was closed. Only kinds of a month ask for it. */
  get late_days(): number {
    const { late_days } = this.#place;
    if (late_days === null) throw new RangeError(`${this.#kind.name} is a kind of a month`);
    return late_days;
  }

  /** An amount in minor units that no part of a scenario makes too small to be divided. */
  amount(): number {
    return this.draw.between(10, 300) * 100;
  }

  /** A purchase with references of its own. */
  purchase(change: Partial<Purchase> = {}): Purchase {
    const { seed } = this.#place;
    const number = this.#reference();
    const amount = change.amount ?? this.amount();
    return {
      trace_id: `TR${number}`,
      approval_code: uniqueCode(number, seed),
      net_reference_number: `MCC${uniqueCode(number, seed + 1)}${this.#dateAfter(0).slice(5).replace('-', '')}`,
      merchant_id: `M${String(number).padStart(11, '0')}`,
      merchant_name: this.draw.pick(merchants),
      mcc: '5411',
      amount,
      merchant_amount: amount,
      merchant_currency: billing_currency,
      ...change,
    };
  }

  /** A request: we decide it and make its approval code, so its clearings state none. */
  request(purchase: Purchase, expected: AuthorizationOutcome): void {
    this.#send(purchase, { message_type_indicator: '0100' });
    this.#expect(purchase, expected);
  }

  /** An advice of an approval, with the approval code of the purchase. */
  advise(purchase: Purchase, expected: AuthorizationOutcome, change: Partial<SampleMessage> = {}): void {
    this.#send(purchase, { message_type_indicator: '0120', approval_code: purchase.approval_code, ...change });
    this.#expect(purchase, expected);
  }

  /** An advice that adds to the authorization of the purchase. */
  increase(purchase: Purchase, amount: number): void {
    this.#send(purchase, {
      message_type_indicator: '0120',
      approval_code: purchase.approval_code,
      incremental: true,
      billing_amount: amount,
      merchant_amount: amount,
    });
  }

  /** Reverses the authorization down to the corrected amount; null: in full. */
  reverse(purchase: Purchase, corrected: number | null = null): void {
    this.#send(purchase, {
      message_type_indicator: '0400',
      replacement_amounts:
        corrected === null
          ? null
          : { billing_amount: corrected, settlement_amount: null, transaction_amount: corrected },
    });
  }

  /** A clearing with the amounts and references of the purchase but for what is changed. */
  clear(purchase: Purchase, change: ClearingChange, outcome: ClearingOutcome): SampleClearing {
    const { days = this.#days + 1, malformed = false, other_last4 = false, card = this.card, ...fields } = change;
    this.#days = days;
    const number = this.#reference();
    const amount = fields.billing_amount ?? purchase.amount;
    const input = carriedBy(this.able, {
      network_financial_transaction_id: `FT${this.#place.seed.toString(36).toUpperCase()}N${String(number).padStart(10, '0')}`,
      acquirer_reference_data: this.#acquirerReference(number),
      approval_code: purchase.approval_code,
      net_reference_number: purchase.net_reference_number,
      billing_amount: amount,
      billing_currency,
      merchant_amount:
        purchase.merchant_currency === billing_currency ? amount : (fields.merchant_amount ?? purchase.merchant_amount),
      merchant_currency: purchase.merchant_currency,
      clearing_type: 'DEBIT',
      cycle: 'first_presentment',
      partial: false,
      mcc: purchase.mcc,
      merchant_id: purchase.merchant_id,
      merchant_name: purchase.merchant_name,
      acquirer_ica: '002742',
      authorization_date: this.#dateAfter(0),
      settlement_date: this.#dateAfter(days),
      ...fields,
    });
    const clearing: SampleClearing = {
      card,
      input,
      malformed,
      other_last4,
      expected: {
        kind: 'clearing',
        scenario: this.#kind.name,
        card,
        transaction_id: input.network_financial_transaction_id,
        acquirer_reference_data: input.acquirer_reference_data,
        settlement_date: input.settlement_date,
        clearing_type: input.clearing_type,
        cycle: input.cycle,
        rule: outcome.rule,
        class: outcome.class,
        review: outcome.review ?? false,
        authorization: outcome.authorization?.trace_id ?? null,
        earlier: outcome.earlier?.input.network_financial_transaction_id ?? null,
        duplicate_of: outcome.duplicate_of ?? null,
        quarantine: outcome.quarantine ?? null,
        sent_before: outcome.sent_before ?? false,
      },
    };
    this.#clearings.push(clearing);
    return clearing;
  }

  /** A record that the file repeats, byte for byte. */
  repeat(clearing: SampleClearing): void {
    const { transaction_id } = clearing.expected;
    this.#clearings.push({ ...clearing, expected: { ...clearing.expected, rule: 0, duplicate_of: transaction_id } });
  }

  /** What clearings without an authorization add to the cleared amount and the uses of the card. */
  standsAlone(cleared: number, uses: number): void {
    this.#alone = { cleared: this.#alone.cleared + cleared, uses: this.#alone.uses + uses };
  }

  finish(): Scenario {
    const { name, ordered = false, breaks = {} } = this.#kind;
    const { day, hold_days, late_days } = this.#place;
    const late_date = late_days === null ? null : this.#dateAfter(late_days);
    const isLate = ({ input }: SampleClearing): boolean => input.settlement_date === late_date;
    const lines = this.statement.finish(this.#clearings);
    return {
      ...{ name, day, hold_days, ordered, breaks },
      card: this.card,
      authorizations: this.#authorizations,
      clearings: this.#clearings.filter((clearing) => !isLate(clearing)),
      expected: this.#expected,
      alone: this.#alone,
      reported: this.statement.reported,
      lines: lines.filter(({ booking_days }) => booking_days !== late_days),
      late: {
        clearings: this.#clearings.filter(isLate),
        lines: lines.filter(({ booking_days }) => booking_days === late_days),
      },
      offersOf: (transaction_id) => this.statement.offersOf(transaction_id),
    };
  }

  /** A reference of no clearing. */
  acquirerReference(): string {
    return this.#acquirerReference(this.#reference());
  }

  #send(purchase: Purchase, change: Partial<SampleMessage>): void {
    const number = this.#place.number * references_max + this.#messages;
    this.#messages += 1;
    const message: SampleMessage = {
      message_type_indicator: '0100',
      trace_id: purchase.trace_id,
      system_trace_audit_number: String(number % 1_000_000).padStart(6, '0'),
      // The messages of a scenario happen one minute after another.
      transaction_date_time: `${this.#dateAfter(0)}T10:${String(this.#messages).padStart(2, '0')}:00Z`,
      billing_amount: purchase.amount,
      billing_currency,
      merchant_amount: purchase.merchant_amount,
      merchant_currency: purchase.merchant_currency,
      mcc: purchase.mcc,
      net_reference_number: purchase.net_reference_number,
      merchant_id: purchase.merchant_id,
      merchant_name: purchase.merchant_name,
      ...change,
    };
    this.#authorizations.push({ card: this.card, message });
  }

  #expect({ trace_id }: Purchase, expected: AuthorizationOutcome): void {
    const none = { held: 0, cleared: 0, uses: 1 } as const;
    this.#expected.push({
      kind: 'authorization',
      scenario: this.#kind.name,
      card: this.card,
      trace_id,
      ...none,
      ...expected,
    });
  }

  #reference(): number {
    if (this.#references === references_max) throw new RangeError(`${this.#kind.name} uses too many references`);
    this.#references += 1;
    return this.#place.number * references_max + this.#references;
  }

  /** 23 digits: use, BIN, day of the year, sequence and check digit. */
  #acquirerReference(number: number): string {
    const day = Temporal.PlainDate.from(this.#place.day);
    const day_of_year = `${day.year % 10}${String(day.dayOfYear).padStart(3, '0')}`;
    const digits = `7412345${day_of_year}${String(number % 100_000_000_000).padStart(11, '0')}`;
    return digits + luhnCheckDigit(digits);
  }

  #dateAfter(days: number): string {
    return Temporal.PlainDate.from(this.#place.day).add({ days }).toString();
  }
}

/** An authorization has one use, holds nothing and has nothing cleared but for what is named. */
export type AuthorizationOutcome = Pick<ExpectedAuthorization, 'status'> &
  Partial<Pick<ExpectedAuthorization, 'held' | 'cleared' | 'uses'>>;

/** The clearing with what a file of the format can state of it. */
function carriedBy(able: FormatAbilities, input: SampleClearingFields): SampleClearingFields {
  const partial = able.partial && input.partial;
  const { net_reference_number } = input;
  switch (able.references) {
    case 'whole':
      return { ...input, partial };
    case 'six': {
      const six = net_reference_number === null ? null : `   ${net_reference_number.slice(3, 9)}    `;
      return { ...input, partial, net_reference_number: six };
    }
    case 'none': {
      const none = { net_reference_number: null, approval_code: null, acquirer_reference_data: null };
      return { ...input, partial, ...none };
    }
  }
}
