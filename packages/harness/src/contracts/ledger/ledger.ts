import { type Fold, no_changes } from '@tallystick/cards';
import { assert, Fault, money } from '@tallystick/kernel';
import { assertEqual, assertRejects } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import type { CardStorage } from '../storage/storage.ts';
import { type CardUnderTest, freshCard, freshCards, freshTransaction } from './card-under-test.ts';
import { ledger_loading_rules } from './ledger-loading.ts';
import { freezeMessage, recordOnce, spend } from './network-messages.ts';

/** Returns the ledgers of the storage and of another process of it, alternately. */
async function ledgersOf(storage: CardStorage) {
  const other = await anotherOf(storage);
  return (at: number) => (at % 2 === 0 ? storage : other).ledger;
}

const writing_rules: readonly ContractRule<CardStorage>[] = [
  rule('when a pass resolves, its counters, authorizations, clearings and events can be read', async (storage) => {
    const card = await freshCard(storage);
    const message = card.authorization({ trace_id: 'T-event', mcc: '4121', billing_amount: money(31) });
    assertEqual(await storage.ledger.pass([message], spend([message])), [true], 'the decision');
    const clearing = await card.recordClearing();
    const { counters, authorizations, clearings } = await card.read();
    assertEqual([counters.held, counters.uses], [31, 1], 'the counters');
    const found = authorizations.map(({ trace_id, held, details }) => [trace_id, held, details]);
    assertEqual(found, [['T-event', 31, message.details]], 'the authorizations');
    assertEqual(clearings, [clearing], 'the clearings');
    const filters = [
      { name: 'payload.vcn_id', kind: 'equals', value: card.id },
      { name: 'payload.mcc', kind: 'equals', value: '4121' },
      { name: 'payload.billing_amount', kind: 'range', from: 31, to: 31 },
    ] as const;
    const { items } = await storage.unitOfWork.read((tx) => tx.events.list(card.company_id, filters, { limit: 5 }));
    const event = {
      id: items[0]?.id,
      company_id: card.company_id,
      event_type: 'virtualcard.realtime.auths',
      payload: { id: authorizations[0]!.id, vcn_id: card.id, billing_amount: 31, mcc: '4121' },
      previous: null,
      created_at_ms: storage.now_ms,
      request_id: 'request-1',
    };
    assertEqual(items, [event], 'the events, found by their filters');
  }),
  rule('when the fold throws, nothing is written and its error passes through', async (storage) => {
    const card = await freshCard(storage);
    const message = card.authorization({ trace_id: 'T-thrown' });
    const thrown = new TypeError('a bug');
    const pass = storage.ledger.pass([message], () => {
      throw thrown;
    });
    await assertRejects(pass, (error) => error === thrown, 'the pass');
    assertEqual(await storage.ledger.pass([message], spend([message])), [true], 'the next pass');
  }),
  rule('when one of its writes fails, a pass writes nothing and rejects with a fault', async (storage) => {
    const card = await freshCard(storage);
    const message = card.authorization({ trace_id: 'T-half' });
    const broken: Fold<null> = (state) => {
      const { changes } = spend([message])(state);
      const [row] = changes.authorizations_inserted;
      // Two rows have one id.
      const rows = [row!, { ...row!, trace_id: 'T-other-half' }];
      return { changes: { ...changes, authorizations_inserted: rows }, result: null };
    };
    await assertRejects(
      storage.ledger.pass([message], broken),
      (error) => error instanceof Fault && !error.retryable,
      'the pass',
    );
    const { counters, authorizations } = await card.read();
    assertEqual([counters.held, counters.uses, authorizations], [0, 0, []], 'the card');
    const { items } = await storage.unitOfWork.read((tx) => tx.events.list(card.company_id, [], { limit: 1 }));
    assertEqual(items, [], 'the events');
  }),
  rule('a batch has the same answers as its messages one by one', async (storage) => {
    const [one, two] = await freshCards(storage, 2);
    const on = (card: CardUnderTest) =>
      Array.from({ length: 12 }, (_, at) =>
        // Every third message repeats the previous one.
        card.authorization({
          trace_id: `T${at % 3 === 2 ? at - 1 : at}`,
          billing_amount: money(90 + at * 20),
        }),
      );
    const batch = on(one!);
    const together = await storage.ledger.pass(batch, spend(batch));
    const alone = [];
    for (const message of on(two!)) alone.push(...(await storage.ledger.pass([message], spend([message]))));
    assertEqual(together, alone, 'the answers');
    assert(together.includes(true) && together.includes(false), 'the messages are all answered alike');
    assertEqual((await one!.read()).counters, (await two!.read()).counters, 'the counters');
  }),
];

const hand_rules: readonly ContractRule<CardStorage>[] = [
  rule('the id of an act without an event is not given to a later pass', async (storage) => {
    const card = await freshCard(storage);
    const act = { kind: 'rematch', matches: [] } as const;
    const record = () =>
      storage.ledger.pass([freezeMessage(card.id, true)], ({ event_ids, now_ms }) => {
        const event_id = event_ids[0]!;
        const card_acts = [{ card_id: card.id, event_id, at_ms: now_ms, act }];
        return { changes: { ...no_changes, card_acts }, result: event_id };
      });
    const ids = [await record(), await record(), (await card.look(freezeMessage(card.id, true))).event_ids[0]!];
    assertEqual(new Set(ids).size, 3, 'the ids');
  }),
  rule('a pass freezes and unfreezes a card, and changes nothing else of it or of another', async (storage) => {
    const [card, other] = await freshCards(storage, 2);
    const before = await card!.read();
    for (const frozen_at_ms of [5_000, null, 6_000]) {
      await card!.setFrozen(frozen_at_ms);
      const { card: stored } = await card!.read();
      assertEqual(stored, { ...before.card, frozen_at_ms }, 'the card');
      const [loaded] = (await card!.look(card!.authorization())).cards;
      assertEqual(loaded?.frozen_at_ms, frozen_at_ms, 'the card in the next pass');
    }
    assertEqual((await other!.read()).card.frozen_at_ms, null, 'another card');
    await storage.unitOfWork.run(async (tx) => {
      const held = await tx.cards.find(card!.company_id, card!.id, { for_update: true });
      await tx.cards.update({ ...held!, total_card_amount: money(77), frozen_at_ms: null });
    });
    const { card: updated } = await card!.read();
    assertEqual([updated.total_card_amount, updated.frozen_at_ms], [77, 6_000], 'after an update');
  }),
];

const racing_rules: readonly ContractRule<CardStorage>[] = [
  rule('exactly as many of 64 racing messages are approved as the total allows', async (storage) => {
    const ledgerOf = await ledgersOf(storage);
    const [card] = await freshCards(storage, 1);
    const messages = Array.from({ length: 64 }, (_, at) =>
      card!.authorization({ trace_id: `T${at}`, billing_amount: money(90) }),
    );
    const answers = await Promise.all(messages.map((message, at) => ledgerOf(at).pass([message], spend([message]))));
    assertEqual(answers.flat().filter(Boolean).length, 11, 'how many are approved: 11 times 90 is 990 of 1,000');
    const { counters, authorizations } = await card!.read();
    const held = authorizations.reduce((sum, row) => sum + row.held, 0);
    const uses = authorizations.reduce((sum, row) => sum + row.uses, 0);
    assertEqual([authorizations.length, held, uses], [64, 990, 11], 'the authorizations');
    assertEqual([counters.held, counters.uses], [990, 11], 'the counters');
    const { items } = await storage.unitOfWork.read((tx) => tx.events.list(card!.company_id, [], { limit: 100 }));
    assertEqual(items.length, 64, 'the events');
  }),
  rule('one of several racing copies of a message is recorded, and all have the same answer', async (storage) => {
    const ledgerOf = await ledgersOf(storage);
    const [card] = await freshCards(storage, 1);
    const message = card!.authorization({ trace_id: 'T-copies' });
    const copies = Array.from({ length: 64 }, (_, at) => ledgerOf(at).pass([message], spend([message])));
    const answers = (await Promise.all(copies)).flat();
    assertEqual(
      answers,
      copies.map(() => true),
      'the answers',
    );
    const { counters, authorizations } = await card!.read();
    assertEqual([authorizations.length, counters.held], [1, 10], 'what is recorded');
  }),
  rule(
    'one of several racing copies of a clearing is recorded, even when they name different cards',
    async (storage) => {
      const ledgerOf = await ledgersOf(storage);
      const cards = await freshCards(storage, 6);
      const ids = [freshTransaction(), freshTransaction(), freshTransaction()];
      const copies = Array.from({ length: 24 }, (_, at) =>
        cards[at % 6]!.clearing({ network_financial_transaction_id: ids[at % 3]! }),
      );
      const recorded = await Promise.all(
        copies.map((message, at) => ledgerOf(at).pass([message], recordOnce(message))),
      );
      assertEqual(recorded.filter(Boolean).length, 3, 'how many were recorded');
      const kept = [];
      for (const card of cards) kept.push(...(await card.read()).clearings);
      assertEqual(kept.length, 3, 'how many are kept');
    },
  ),
  rule('a pass says that it begins to hold its cards, before it reads them', async (storage) => {
    const card = await freshCard(storage);
    const order: string[] = [];
    const fold: Fold<null> = () => {
      order.push('fold');
      return { changes: no_changes, result: null };
    };
    await storage.ledger.pass([card.clearing()], fold, { onHolding: () => order.push('holding') });
    assertEqual(order, ['holding', 'fold'], 'the order');
  }),
  rule('passes over the same cards end, in any order of their messages', async (storage) => {
    const ledgerOf = await ledgersOf(storage);
    const cards = await freshCards(storage, 3);
    const orders = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? cards : cards.toReversed()).map((card) => card.authorization({ trace_id: `T-order-${at}` })),
    );
    const answers = await Promise.all(orders.map((messages, at) => ledgerOf(at).pass(messages, spend(messages))));
    assert(
      answers.flat().every((is_approved) => is_approved === true),
      'a message was not approved',
    );
  }),
];

export const ledger_contract: readonly ContractRule<CardStorage>[] = [
  ...ledger_loading_rules,
  ...writing_rules,
  ...hand_rules,
  ...racing_rules,
];
