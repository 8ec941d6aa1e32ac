import {
  type Authorization,
  type AuthorizationSearch,
  type AuthorizationStatus,
  authorization_event_type,
  authorization_filters,
  authorization_statuses,
  authorizationItem,
  decided_as,
  merchantBegins,
  no_changes,
} from '@tallystick/cards';
import { type EventFilter, matches, type NewEvent } from '@tallystick/events';
import { assert, money } from '@tallystick/kernel';
import fc from 'fast-check';
import { assertEqual } from '../assertions.ts';
import { type CardUnderTest, freshCards } from '../ledger/card-under-test.ts';
import { recordedAuthorization } from '../ledger/network-messages.ts';
import { type ContractRule, type PropertyRuns, rule } from '../rule.ts';
import { type CardStorage, everyPage } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

/** 2026-05-20, noon UTC. */
const noon_ms = 1_779_278_400_000;

/** Names that differ in case, normal form, script, length in bytes, and in a space at the end. */
const merchant_names = [
  'Café',
  'Cafe\u0301',
  'CAFÉ',
  'Café ',
  '食堂',
  '𝄞🍽️',
  "'; drop --",
  '%_\\',
  '\u202eabc',
  'ß'.repeat(255),
];

/** What one message is, with few different values, so that searches often find messages. */
const drawn_message = fc.record({
  card: fc.nat({ max: 3 }),
  /** A message about an earlier one, if there is one on the card. */
  is_about_another: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  is_early_reversal: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  is_declined: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  /** The status that it is given later. */
  later: fc.constantFrom(...authorization_statuses.filter((status) => status !== 'declined')),
  merchant_name: fc.constantFrom(...merchant_names, null),
  merchant_id: fc.constantFrom('M1', 'm1', 'Ⅿ1', null),
  amount: fc.constantFrom(0, 1, 40, 999_999_999_999),
  mcc: fc.constantFrom('5812', '7998'),
  net_reference_number: fc.constantFrom('MCC1234560520', 'MCC1234570520', null),
  at_ms: fc.constantFrom(noon_ms, noon_ms + 1, noon_ms + 86_400_000),
});

const drawn_filter: fc.Arbitrary<EventFilter> = fc.oneof(
  fc.constantFrom(...merchant_names).map((value) => equals('merchant_name', value)),
  fc.constantFrom('M1', 'm1', 'M2').map((value) => equals('merchant_id', value)),
  fc.constantFrom('5812', '0000').map((value) => equals('mcc', value)),
  fc.constantFrom('MCC1234560520', 'MCC').map((value) => equals('net_reference_number', value)),
  fc.constantFrom('F', 'U').map((value) => equals('decline_reason', value)),
  fc.constantFrom(decided_as.approved, decided_as.declined),
  fc
    .constantFrom<Ends>([0, 1], [1, 40], [41, undefined], [undefined, 0])
    .map((ends) => between('billing_amount', ends)),
  fc
    .constantFrom<Ends>([noon_ms, noon_ms], [noon_ms + 1, undefined], [undefined, noon_ms - 1])
    .map((ends) => between('transaction_date_time', ends)),
  fc.constantFrom('Caf', '\u{1d11e}', "'; ", '\u202eab', 'ß'.repeat(254)).map(merchantBegins),
);

function equals(name: keyof typeof authorization_filters, value: string | number): EventFilter {
  return { name: authorization_filters[name], kind: 'equals', value };
}

function between(name: keyof typeof authorization_filters, [from, to]: Ends): EventFilter {
  const ends = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return { name: authorization_filters[name], kind: 'range', ...ends };
}

type Ends = readonly [number | undefined, number | undefined];

/** A recorded message with its event. */
interface Recorded {
  readonly row: Authorization;
  readonly event: NewEvent & { readonly id: number };
}

/** Messages of two companies with two cards each, and what a search of them must find. */
class Messages {
  readonly #cards: readonly CardUnderTest[];
  readonly #storage: CardStorage;
  readonly recorded: Recorded[] = [];

  constructor(storage: CardStorage, cards: readonly CardUnderTest[]) {
    this.#storage = storage;
    this.#cards = cards;
  }

  async record(drawn: typeof drawn_message extends fc.Arbitrary<infer Drawn> ? Drawn : never): Promise<void> {
    const { is_declined, is_early_reversal, merchant_name, amount, at_ms } = drawn;
    const card = this.#cards[drawn.card]!;
    const roots = this.recorded.filter(({ row }) => row.card_id === card.id && row.root_id === row.id);
    const root = drawn.is_about_another ? (roots.at(-1)?.row ?? null) : null;
    const message = card.authorization({
      trace_id: root?.trace_id ?? `T-search-${uniqueNumber()}`,
      system_trace_audit_number: String(uniqueNumber()),
      transaction_date_time_ms: at_ms,
      billing_amount: money(amount),
      merchant_id: drawn.merchant_id,
      mcc: drawn.mcc,
      net_reference_number: drawn.net_reference_number,
      details: { merchant_name },
    });
    const recorded = await this.#storage.ledger.pass(
      [message],
      (state): { changes: typeof no_changes; result: Recorded } => {
        const [known] = state.cards;
        assert(known !== undefined, 'the card of a message was not loaded');
        const [id, event_id] = [state.authorization_ids[0]!, state.event_ids[0]!];
        const row: Authorization = {
          ...recordedAuthorization(state, known, message, { id, is_approved: !is_declined }),
          event_id,
          root_id: root !== null ? root.id : is_early_reversal ? null : id,
          held: money(0),
          ...(is_declined ? {} : { status: root === null && is_early_reversal ? 'reversed' : 'open' }),
        };
        const event = {
          id: event_id,
          company_id: card.company_id,
          event_type: authorization_event_type,
          payload: authorizationItem(row, known),
          previous: null,
          created_at_ms: row.decided_at_ms,
          request_id: null,
        };
        const changes = { ...no_changes, authorizations_inserted: [row], events: [event] };
        return { changes, result: { row, event } };
      },
    );
    this.recorded.push(recorded);
    if (is_declined || recorded.row.root_id !== recorded.row.id || drawn.later === 'open') return;
    await this.change(recorded, drawn.later);
  }

  async change({ row, event }: Recorded, status: AuthorizationStatus): Promise<void> {
    const message = this.#cards.find(({ id }) => id === row.card_id)!.authorization({ trace_id: row.trace_id });
    const changed = { ...row, status };
    await this.#storage.ledger.pass([message], () => ({
      changes: { ...no_changes, authorizations_changed: [changed] },
      result: null,
    }));
    this.recorded[this.recorded.findIndex((one) => one.event === event)] = { row: changed, event };
  }

  /** What the item shows, computed another way than by the storage. */
  statusOf({ status, root_id }: Authorization): AuthorizationStatus {
    const root = this.recorded.find(({ row }) => row.id === root_id)?.row;
    return status === 'declined' || root === undefined || root.status === 'declined' ? status : root.status;
  }

  /** The ids that a search of a company, or of all, must find. */
  met(company_id: number | null, { status, filters }: AuthorizationSearch): readonly number[] {
    return this.recorded
      .filter(({ row }) => (company_id ?? row.company_id) === row.company_id)
      .filter(
        ({ row }) =>
          status === undefined || (row.status === status && (status === 'declined' || row.root_id === row.id)),
      )
      .filter(({ event }) => filters.every((filter) => matches(event, filter)))
      .map(({ row }) => row.id)
      .toReversed();
  }
}

export function authorizationSearchContract(
  runs: PropertyRuns = { numRuns: 25 },
): readonly ContractRule<CardStorage>[] {
  return [
    rule(
      'a search finds exactly the messages that meet it now, newest first, on pages of any size',
      async (storage) => {
        const { unitOfWork } = storage;
        const cards = [...(await freshCards(storage, 2)), ...(await freshCards(storage, 2))];
        const messages = new Messages(storage, cards);
        const [mine, other] = [cards[0]!.company_id, cards[2]!.company_id];
        const property = fc.asyncProperty(
          fc.array(drawn_message, { minLength: 1, maxLength: 12 }),
          fc.array(
            fc.record({
              status: fc.constantFrom(undefined, ...authorization_statuses),
              filters: fc.array(drawn_filter, { maxLength: 2 }),
            }),
            { minLength: 1, maxLength: 4 },
          ),
          fc.nat({ max: 3 }),
          fc.integer({ min: 1, max: 5 }),
          fc.boolean(),
          async (drawn, searches, at, limit, does_later_work) => {
            for (const message of drawn) await messages.record(message);
            if (does_later_work) await storage.doLaterWork?.();
            for (const { status, filters } of searches) {
              const of_card = at === 3 ? [] : [equals('vcn_id', cards[at]!.id)];
              const search = { filters: [...filters, ...of_card], ...(status === undefined ? {} : { status }) };
              for (const company_id of [mine, other]) {
                const found = await everyPage(
                  (page) => unitOfWork.read((tx) => tx.cards.searchAuthorizations(company_id, search, page)),
                  limit + 10 * at,
                );
                const what = `${JSON.stringify(search)} of company ${company_id}`;
                assertEqual(
                  found.map(({ authorization }) => authorization.id),
                  messages.met(company_id, search),
                  what,
                );
                for (const { authorization, card } of found) {
                  assertEqual(
                    authorization.status,
                    messages.statusOf(messages.recorded.find(({ row }) => row.id === authorization.id)!.row),
                    what,
                  );
                  assertEqual([card.id, card.company_id], [authorization.card_id, company_id], 'the card');
                }
              }
            }
          },
        );
        await fc.assert(property, runs);
      },
    ),
    rule(
      'a search of all companies finds the messages of each, also by numbers and by a later status',
      async (storage) => {
        const { unitOfWork } = storage;
        const cards = [...(await freshCards(storage, 2)), ...(await freshCards(storage, 2))];
        const messages = new Messages(storage, cards);
        // No message of another rule has this name.
        const merchant_name = `of all ${uniqueNumber()}`;
        for (const drawn of fc.sample(drawn_message, { numRuns: 60, seed: 7 })) {
          await messages.record({ ...drawn, merchant_name });
        }
        await storage.doLaterWork?.();
        for (const status of [undefined, ...authorization_statuses]) {
          for (const filter of [between('billing_amount', [1, 40]), decided_as.declined, equals('mcc', '5812')]) {
            const search = {
              filters: [equals('merchant_name', merchant_name), filter],
              ...(status === undefined ? {} : { status }),
            };
            const found = await everyPage(
              (page) => unitOfWork.read((tx) => tx.cards.searchAuthorizations(null, search, page)),
              7,
            );
            assertEqual(
              found.map(({ authorization }) => authorization.id),
              messages.met(null, search),
              JSON.stringify(search),
            );
          }
        }
      },
    ),
    rule('a search shows each message once and loses none while others arrive and change', async (storage) => {
      const { unitOfWork } = storage;
      const cards = await freshCards(storage, 2);
      const messages = new Messages(storage, cards);
      const { company_id } = cards[0]!;
      const one = {
        ...fc.sample(drawn_message, { numRuns: 1, seed: 3 })[0]!,
        is_about_another: false,
        is_early_reversal: false,
        is_declined: false,
        later: 'cleared',
        mcc: '5812',
      } as const;
      for (let at = 0; at < 12; at += 1) await messages.record({ ...one, card: at % 2 });
      for (const search of [
        { filters: [] },
        { filters: [], status: 'cleared' },
        { filters: [equals('mcc', '5812')] },
      ] as const) {
        const before = messages.met(company_id, search);
        const found: number[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const request = { limit: 3, ...(after === undefined ? {} : { after }) };
          const page = await unitOfWork.read((tx) => tx.cards.searchAuthorizations(company_id, search, request));
          found.push(...page.items.map(({ authorization }) => authorization.id));
          after = page.next;
          await messages.record({ ...one, card: 0 });
          await storage.doLaterWork?.();
        }
        assertEqual(found, before, JSON.stringify(search));
      }
    }),
  ];
}
