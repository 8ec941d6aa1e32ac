import { Temporal } from '@tallystick/kernel';
import type { ExpectedAuthorization, ExpectedCard, ExpectedClearing } from './answers/expected.ts';
import { breaksOf, type ExpectedBreak } from './answers/expected-breaks.ts';
import { type ExpectedItem, itemsOf } from './answers/expected-items.ts';
import { bridgeOf, type ExpectedBridge, type ExpectedSummary, summarizeItems } from './answers/expected-totals.ts';
import { type FormatAbilities, format_abilities } from './format-abilities.ts';
import { reportedRecords, type SampleStatement, sample_opening_balance, statementsOf } from './sample-statements.ts';
import { createDeck } from './scenarios/deck.ts';
import type { SampleClearing, SampleClearingFields, SampleMessage } from './scenarios/messages.ts';
import { createMonth, type Month, month_hold_days } from './scenarios/month.ts';
import { type Scenario, ScenarioDraft } from './scenarios/scenario.ts';
import { last_statement_days } from './scenarios/statement-draft.ts';

/** The size and content of a set of samples. */
export interface SampleOptions {
  readonly cards: number;
  /** Clearings of all files together; of a month, purchases. */
  readonly records: number;
  /** A whole number from 0 to 2^32 - 1. The same options make the same set. */
  readonly seed: number;
  /** One of `sample_formats`. */
  readonly format: string;
  /** YYYY-MM-DD: when the authorizations are sent. Clearings settle in the 40 days after it. */
  readonly day: string;
  /** Also with scenarios of statements, whose lines fit the clearings. Off by default. */
  readonly statements?: boolean;
  /** A month of purchases with breaks to work off, in place of all kinds of scenarios. */
  readonly month?: MonthOptions;
}

export interface MonthOptions {
  /** The days on which the authorizations are sent, the first on `day`. */
  readonly days: number;
  /** The share of the purchases that are breaks, from 0 to 1. */
  readonly breaks: number;
}

/** The dates of a month, YYYY-MM-DD. */
export interface MonthDates {
  /** The last day of the period that is closed: everything has settled by then. */
  readonly close_through: string;
  /** What comes after the month was closed is dated so, and every break is due by then. */
  readonly late_day: string;
}

export interface IssuedCard {
  readonly vcn_id: number;
  /** In plain text. */
  readonly card_number: string;
}

/** The index of a card in its set, from 0, to the card. */
export type CardOf = (card: number) => IssuedCard;

/** A clearing that names its card by its number or by its id. */
export type SampleClearingMessage = SampleClearingFields & { readonly card_number?: string; readonly vcn_id?: number };

export type SampleAuthorizationMessage = SampleMessage & { readonly card_number: string };

export interface SampleRecord {
  /** What the writer of a format takes. */
  readonly written: {
    readonly input: SampleClearingMessage;
    readonly last4: string;
    readonly malformed?: boolean;
  };
  /** The same clearing as a message; null for a record that no message could state. */
  readonly message: SampleClearingMessage | null;
  readonly expected: ExpectedClearing;
}

/**
 * A consistent set of cards, authorizations and clearings, with what must become of each. Every
 * part is made when it is taken, in constant memory, and may be taken many times.
 */
export interface SampleSet {
  readonly options: SampleOptions;
  readonly able: FormatAbilities;
  /** The data of the requests that create the cards, by their index. */
  cards(): Iterable<Readonly<Record<string, unknown>>>;
  authorizations(cardOf: CardOf): Iterable<SampleAuthorizationMessage>;
  records(cardOf: CardOf): Iterable<SampleRecord>;
  expectedAuthorizations(): Iterable<ExpectedAuthorization>;
  expectedCards(): Iterable<ExpectedCard>;
  /** The records that come after the month was closed; none without a month. */
  lateRecords(cardOf: CardOf): Iterable<SampleRecord>;
  /**
   * What the bank reports of an account by itself, as records of its channel; none without a month.
   */
  reported(account_number: string): Iterable<Readonly<Record<string, unknown>>>;
  /** Null without a month. */
  readonly month: MonthDates | null;
  /** The breaks of a month at the end of a day, and then those that come late. */
  expectedBreaks(today: string): Iterable<ExpectedBreak>;
  /** The scenarios themselves, in their order. */
  scenarios(): Iterable<Scenario>;
  /**
   * The statements of the account with this number, one for each day. Of a month, the last one is
   * that of what comes late.
   */
  statements(account_number: string): Iterable<SampleStatement>;
  /**
   * The items at the end of a day (YYYY-MM-DD, UTC), once everything but what comes late has
   * arrived. The authorizations must have been decided between 05:00 and 24:00 UTC of the day of
   * the set, because the holds of some cards end in another zone.
   */
  expectedItems(today: string): Iterable<ExpectedItem>;
  expectedSummary(today: string): ExpectedSummary;
  expectedBridge(today: string): ExpectedBridge;
}

/** The formats that a set can be made for. */
export const sample_formats: readonly string[] = Object.keys(format_abilities);

/** The limit of every card of a set: the highest there is, so that no request is declined. */
const total_card_amount = 1_000_000_000_000;

/** Refuses options of which no set can be made with a `RangeError`. */
export function createSampleSet(options: SampleOptions): SampleSet {
  const { cards, records, seed, format } = options;
  const able = Object.hasOwn(format_abilities, format) ? format_abilities[format] : undefined;
  if (able === undefined) throw new RangeError(`format: must be one of ${sample_formats.join(', ')}, not ${format}`);
  assertWhole('cards', cards, 1, 10_000_000);
  assertWhole('records', records, 1, 100_000_000);
  assertWhole('seed', seed, 0, 0xffff_ffff);
  const day = Temporal.PlainDate.from(options.day).toString();
  if (options.statements === true && able.references === 'none') {
    throw new RangeError(`statements: ${format} states no acquirer reference by which lines find their clearings`);
  }
  const month = options.month === undefined ? null : monthOf(able, options, options.month);
  const deck = month ?? createDeck(able, records, options.statements);
  const dayAfter = (days: number): string => Temporal.PlainDate.from(day).add({ days }).toString();

  const scenario = (number: number): Scenario => {
    const kind = deck.kindOf(number);
    const offset = month?.offsetOf(number) ?? 0;
    const place = {
      ...{ seed, number, deck: Math.floor(number / deck.deck_scenarios), cards, able, day: dayAfter(offset) },
      hold_days: month === null ? hold_days : month_hold_days,
      late_days: month === null ? null : month.late_offset - offset,
    };
    const draft = new ScenarioDraft(kind, place);
    kind.write(draft);
    return draft.finish();
  };

  function* scenarios(): Generator<Scenario> {
    for (let number = 0; number < deck.scenarios; number += 1) yield scenario(number);
  }

  /** The scenarios of one deck after another, to be mixed. */
  function* decks(): Generator<readonly Scenario[]> {
    let of_deck: Scenario[] = [];
    for (const one of scenarios()) {
      of_deck.push(one);
      if (of_deck.length < deck.deck_scenarios) continue;
      yield of_deck;
      of_deck = [];
    }
    if (of_deck.length > 0) yield of_deck;
  }

  function* stated(today: string) {
    for (const one of scenarios()) yield { items: itemsOf(one, today), lines: one.lines };
  }

  return {
    options,
    able,
    *cards() {
      for (let card = 0; card < cards; card += 1)
        yield month === null ? cardRequest(card) : agingCard(card, month_hold_days, 'UTC');
    },
    *authorizations(cardOf) {
      for (const of_deck of decks()) {
        for (const { card, message } of mixed(of_deck, ({ authorizations }) => authorizations)) {
          yield { ...message, card_number: cardOf(card).card_number };
        }
      }
    },
    *records(cardOf) {
      let number = 0;
      for (const of_deck of decks()) {
        for (const clearing of mixed(of_deck, ({ clearings }) => clearings)) {
          number += 1;
          yield recordOf(able, clearing, cardOf, number);
        }
      }
    },
    *lateRecords(cardOf) {
      let number = 0;
      for (const { late } of scenarios()) {
        for (const clearing of late.clearings) {
          number += 1;
          yield recordOf(able, clearing, cardOf, number);
        }
      }
    },
    *expectedAuthorizations() {
      for (const { expected } of scenarios()) yield* expected;
    },
    *expectedCards() {
      for (let card = 0; card < cards; card += 1) {
        const total = { held: 0, cleared: 0, uses: 0 };
        const statuses: Partial<Record<ExpectedAuthorization['status'], number>> = {};
        for (let number = card; number < deck.scenarios; number += cards) {
          const { expected, alone } = scenario(number);
          total.cleared += alone.cleared;
          total.uses += alone.uses;
          for (const { status, held, cleared, uses } of expected) {
            total.held += held;
            total.cleared += cleared;
            total.uses += uses;
            statuses[status] = (statuses[status] ?? 0) + 1;
          }
        }
        const available_balance = total_card_amount - total.held - Math.max(0, total.cleared);
        yield { kind: 'card', card, available_balance, ...total, statuses };
      }
    },
    month:
      month === null
        ? null
        : { close_through: dayAfter(month.last_settlement_offset), late_day: dayAfter(month.late_offset) },
    reported: (account_number) => reportedRecords(scenarios(), account_number),
    *expectedBreaks(today) {
      for (const one of scenarios()) yield* breaksOf(one, itemsOf(one, today));
    },
    scenarios,
    statements: (account_number) =>
      statementsOf(scenarios, day, month?.late_offset ?? last_statement_days, account_number),
    *expectedItems(today) {
      for (const { items } of stated(today)) yield* items;
    },
    expectedSummary(today) {
      return summarizeItems(this.expectedItems(today), today);
    },
    expectedBridge: (today) => bridgeOf(stated(today), sample_opening_balance, today),
  };
}

function monthOf(able: FormatAbilities, { records, statements }: SampleOptions, { days, breaks }: MonthOptions): Month {
  if (statements !== true) throw new RangeError('month: needs statements');
  assertWhole('days', days, 1, 366);
  if (!(breaks >= 0 && breaks <= 1)) throw new RangeError(`breaks: must be a share from 0 to 1, not ${breaks}`);
  return createMonth(able, { purchases: records, days, breaks });
}

/** Days that a hold lasts by default. */
const hold_days = 30;

/** Every fifth card has aging velocity, of the same length as the holds of the others. */
function cardRequest(card: number): Readonly<Record<string, unknown>> {
  if (card % 5 === 4) return agingCard(card, hold_days, 'America/New_York');
  return { total_card_amount, metadata: { sample: `card ${card}` } };
}

function agingCard(
  card: number,
  authorization_hold_days: number,
  aging_velocity_time_zone: string,
): Readonly<Record<string, unknown>> {
  const aging = { authorization_hold_days, aging_velocity_time_zone };
  return { total_card_amount, metadata: { sample: `card ${card}` }, ...aging };
}

/**
 * The first messages of all scenarios, then the second ones, and so on: each scenario stays in its
 * order.
 */
function* mixed<Message>(
  scenarios: readonly Scenario[],
  messagesOf: (scenario: Scenario) => readonly Message[],
): Generator<Message> {
  const lists = scenarios.map(messagesOf);
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let step = 0; step < longest; step += 1) {
    for (const list of lists) if (step < list.length) yield list[step]!;
  }
}

function recordOf(able: FormatAbilities, clearing: SampleClearing, cardOf: CardOf, number: number): SampleRecord {
  const { card, malformed, other_last4 } = clearing;
  const issued = card === null ? unknown_card : cardOf(card);
  const named = able.card === 'vcn_id' ? { vcn_id: issued.vcn_id } : { card_number: issued.card_number };
  const input = { ...clearing.input, ...named };
  const last4 = issued.card_number.slice(-4);
  return {
    written: {
      input,
      last4: other_last4 ? otherDigits(last4) : last4,
      ...(malformed ? { malformed } : {}),
    },
    message: malformed || other_last4 ? null : input,
    expected: { ...clearing.expected, number },
  };
}

/** A number of no account range of ours, and an id that no card reaches. */
const unknown_card: IssuedCard = { vcn_id: 999_999_999_999, card_number: '6011000000000004' };

function otherDigits(last4: string): string {
  return String((Number(last4) + 1) % 10_000).padStart(4, '0');
}

function assertWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name}: must be a whole number from ${least} to ${most}, not ${value}`);
}
