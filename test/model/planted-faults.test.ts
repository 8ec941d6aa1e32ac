import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  Authorization,
  AuthorizationChange,
  Fold,
  Ledger,
  LedgerCard,
  LedgerChanges,
  LedgerState,
} from '@tallystick/cards';
import { checkModel } from '@tallystick/harness';
import { windowAt } from '@tallystick/velocity';
import { serviceOn } from './service.ts';

/** A fault planted between the network half and its storage, and within how many random sequences it must show. */
interface PlantedFault {
  readonly what: string;
  readonly seed: number;
  readonly runs_max: number;
  /** The longest that the shrunk sequence may be: its start, the cards that it begins with, and what is done to them. */
  readonly steps_max: number;
  readonly plant: (ledger: Ledger) => Ledger;
}

const faults: readonly PlantedFault[] = [
  {
    what: 'a window that begins one millisecond late',
    seed: 38,
    runs_max: 100,
    steps_max: 6,
    plant: changingFold((state, fold) => fold({ ...state, cards: state.cards.map((card) => rolledLate(card, state)) })),
  },
  {
    what: 'a dropped hold release',
    seed: 2,
    runs_max: 100,
    steps_max: 6,
    plant: changingFold((state, fold) => {
      const { changes, result } = fold(state);
      return { changes: withoutReleases(state, changes), result };
    }),
  },
  {
    what: 'a missing duplicate check',
    seed: 3,
    runs_max: 100,
    steps_max: 6,
    plant: changingFold((state, fold) => fold({ ...state, authorizations: state.authorizations.map(unlikeItself) })),
  },
];

for (const { what, seed, runs_max, steps_max, plant } of faults) {
  test(`the harness catches ${what}, and shrinks it to a short sequence`, async (context) => {
    const service = await serviceOn('sqlite', { ledger: plant });
    try {
      const result = await checkModel({ system: service.system, runs: runs_max, seed });
      assert.ok(result.failed, `not seen in ${runs_max} sequences of seed ${seed}`);
      context.diagnostic(result.report!);
      assert.ok(result.steps.length <= steps_max, result.report!);
    } finally {
      await service.close();
    }
  });
}

test('without a fault the same seeds find nothing', async () => {
  const service = await serviceOn('sqlite');
  try {
    for (const { seed } of faults) {
      const result = await checkModel({ system: service.system, runs: 10, seed });
      assert.equal(result.report, null);
    }
  } finally {
    await service.close();
  }
});

/** A ledger whose passes fold by `changed` in place of the service's own fold, which it is given. */
function changingFold(
  changed: <Result>(state: LedgerState, fold: Fold<Result>) => ReturnType<Fold<Result>>,
): (ledger: Ledger) => Ledger {
  return (ledger) => ({
    pass: (messages, fold) => ledger.pass(messages, (state) => changed(state, fold)),
    passDue: (limit, fold) => ledger.passDue(limit, (state) => changed(state, fold)),
  });
}

/** At the very first instant of a window: the card as if the counters of the window before belonged to it. */
function rolledLate(card: LedgerCard, { now_ms }: LedgerState): LedgerCard {
  const { start_ms } = windowAt(card.recurring ?? 'Continuous', now_ms);
  return start_ms === now_ms ? { ...card, counters: { ...card.counters, window_start_ms: start_ms } } : card;
}

/** The changes of a pass but for what they take off holds: rows and counters go on holding it. */
function withoutReleases(state: LedgerState, changes: LedgerChanges): LedgerChanges {
  const released = new Map<number, number>();
  const kept = changes.authorizations_changed.map((change): AuthorizationChange => {
    const before = state.authorizations.find(({ id }) => id === change.id);
    if (before === undefined || change.held >= before.held) return change;
    released.set(change.card_id, (released.get(change.card_id) ?? 0) + before.held - change.held);
    return { ...change, held: before.held };
  });
  return {
    ...changes,
    authorizations_changed: kept,
    counters: changes.counters.map(({ card_id, counters }) => ({
      card_id,
      counters: { ...counters, held: (counters.held + (released.get(card_id) ?? 0)) as typeof counters.held },
    })),
  };
}

/** The record with a trace audit number that no message has: none is a repeat of it any more. */
function unlikeItself(recorded: Authorization): Authorization {
  return { ...recorded, system_trace_audit_number: `not ${recorded.system_trace_audit_number}` };
}
