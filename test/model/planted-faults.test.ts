import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Authorization,
  type AuthorizationChange,
  type Fold,
  type Ledger,
  type LedgerCard,
  type LedgerChanges,
  type LedgerState,
  no_changes,
} from '@tallystick/cards';
import { checkModel } from '@tallystick/harness';
import { database_names } from '@tallystick/test-support';
import { windowAt } from '@tallystick/velocity';
import { type PlantedFaults, serviceOn } from './service.ts';

/** A fault in the service, and the number of random sequences within which it must be found. */
interface PlantedFault {
  readonly what: string;
  readonly seed: number;
  readonly runs_max: number;
  /**
   * The largest length of the shrunk sequence: its start, its initial cards, and the steps on them.
   */
  readonly steps_max: number;
  readonly plant: () => PlantedFaults;
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
    seed: 5,
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
  {
    what: 'an update that writes back the counters that it read, beside a pass',
    seed: 4,
    runs_max: 10,
    steps_max: 6,
    plant: writingCountersBack,
  },
];

for (const { what, seed, runs_max, steps_max, plant } of faults) {
  test(`the harness catches ${what}, and shrinks it to a short sequence`, async (context) => {
    const service = await serviceOn('memory', plant());
    try {
      const result = await checkModel({ system: service.system, runs: runs_max, seed });
      assert.ok(result.failed, `not found in ${runs_max} sequences of seed ${seed}`);
      context.diagnostic(result.report!);
      assert.ok(result.steps.length <= steps_max, result.report!);
    } finally {
      await service.close();
    }
  });
}

for (const storage of database_names) {
  test(`the harness catches an update on ${storage} that writes back counters, within ten sequences`, async () => {
    const service = await serviceOn(storage, writingCountersBack());
    try {
      const result = await checkModel({ system: service.system, runs: 10, seed: 4, shrink: false });
      assert.match(result.report ?? '', /no order of \d operations/);
    } finally {
      await service.close();
    }
  });
}

test('without a fault the same seeds find no difference', async () => {
  const service = await serviceOn('memory');
  try {
    for (const { seed } of faults) {
      const result = await checkModel({ system: service.system, runs: 10, seed });
      assert.equal(result.report, null);
    }
  } finally {
    await service.close();
  }
});

/** A ledger whose passes fold with `changed`, which receives the service's own fold. */
function changingFold(
  changed: <Result>(state: LedgerState, fold: Fold<Result>) => ReturnType<Fold<Result>>,
): () => PlantedFaults {
  return () => ({
    ledger: (ledger) => ({
      pass: (messages, fold) => ledger.pass(messages, (state) => changed(state, fold)),
      passDue: (limit, fold) => ledger.passDue(limit, (state) => changed(state, fold)),
    }),
  });
}

/**
 * An update that reads the card, and writes all of its row when the passes beside it have ended: what
 * they counted is lost.
 */
function writingCountersBack(): PlantedFaults {
  let storage: Ledger;
  const passes = new Set<Promise<unknown>>();
  return {
    ledger(ledger) {
      storage = ledger;
      return {
        ...ledger,
        pass(messages, fold, bounds) {
          const pass = ledger.pass(messages, fold, bounds);
          passes.add(pass);
          return pass;
        },
      };
    },
    system: (system) => ({
      ...system,
      async updateCard(id, request) {
        const card = [{ ...no_release, vcn_id: id }];
        const counters = await storage.pass(card, ({ cards }) => ({ changes: no_changes, result: cards[0]!.counters }));
        const answer = await system.updateCard(id, request);
        await Promise.allSettled(passes);
        const changes = { ...no_changes, counters: [{ card_id: id, counters }] };
        await storage.pass(card, () => ({ changes, result: null }));
        return answer;
      },
    }),
  };
}

/** A message with which a ledger looks up a card. */
const no_release = {
  kind: 'release',
  number_index: null,
  authorization_id: 0,
  note: '',
  company_id: 0,
  actor: 'command',
  request_id: null,
} as const;

/**
 * At the first instant of a window: returns the card as if the counters of the previous window
 * belonged to it.
 */
function rolledLate(card: LedgerCard, { now_ms }: LedgerState): LedgerCard {
  const { start_ms } = windowAt(card.recurring ?? 'Continuous', now_ms);
  return start_ms === now_ms ? { ...card, counters: { ...card.counters, window_start_ms: start_ms } } : card;
}

/**
 * The changes of a pass without the releases of holds: rows and counters keep holding the amounts.
 */
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

/** The record with a trace audit number that no message has, so that no message repeats it. */
function unlikeItself(recorded: Authorization): Authorization {
  return { ...recorded, system_trace_audit_number: `not ${recorded.system_trace_audit_number}` };
}
