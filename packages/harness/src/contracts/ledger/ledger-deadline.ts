import type { PassBounds } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import { assertEqual, assertRejects } from '../assertions.ts';
import { anotherOf, type ContractRule, rule, ruleThatNeeds } from '../rule.ts';
import type { CardStorage } from '../storage/storage.ts';
import { freshCard } from './card-under-test.ts';
import { look, spend } from './network-messages.ts';

/** A deadline after so many milliseconds. Its clock moves when it is read, so that it passes. */
function boundsOf(left_ms: number): PassBounds {
  let now_ms = 0;
  return {
    deadline: {
      leftMs() {
        now_ms += 1;
        return left_ms - now_ms;
      },
    },
  };
}

const isRetryable = (error: unknown) => error instanceof Fault && error.retryable;

export const ledger_deadline_contract: readonly ContractRule<CardStorage>[] = [
  rule(
    'a pass whose deadline has passed decides nothing, and the same messages can be decided later',
    async (storage) => {
      const card = await freshCard(storage);
      const message = card.authorization({ trace_id: 'T-late' });
      const late = storage.ledger.pass([message], spend([message]), boundsOf(0));
      await assertRejects(late, isRetryable, 'the pass');
      const { counters, authorizations } = await card.read();
      assertEqual([counters.uses, authorizations], [0, []], 'the card');
      assertEqual(await storage.ledger.pass([message], spend([message]), boundsOf(100_000)), [true], 'the next pass');
    },
  ),
  ruleThatNeeds(
    'concurrent_transactions',
    'a pass rejects at its deadline while another transaction holds its card, and decides nothing afterwards',
    async (storage) => {
      const card = await freshCard(storage);
      const other = await anotherOf(storage);
      const held = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const holder = other.unitOfWork.run(async (tx) => {
        await tx.cards.find(card.company_id, card.id, { for_update: true });
        held.resolve();
        await end.promise;
      });
      await held.promise;
      const message = card.authorization({ trace_id: 'T-held' });
      const pass = storage.ledger.pass([message], spend([message]), boundsOf(100));
      // The holder ends only after the pass: a pass that waits for it never rejects.
      await assertRejects(pass, isRetryable, 'the pass').finally(() => end.resolve());
      await holder;
      // In every storage this pass begins after a pass that still waits.
      await card.look(card.authorization({ trace_id: 'T-after' }));
      const { counters, authorizations } = await card.read();
      assertEqual([counters.uses, authorizations], [0, []], 'the card');
      assertEqual(await storage.ledger.pass([message], spend([message])), [true], 'the same message later');
    },
  ),
  rule('a pass with a deadline that it keeps commits like any other', async (storage) => {
    const card = await freshCard(storage);
    const message = card.authorization({ trace_id: 'T-in-time' });
    assertEqual(await storage.ledger.pass([message], spend([message]), boundsOf(100_000)), [true], 'the answer');
    assertEqual((await card.read()).counters.uses, 1, 'the uses');
    assertEqual((await storage.ledger.pass([message], look, boundsOf(100_000))).cards[0]?.id, card.id, 'the card');
  }),
];
