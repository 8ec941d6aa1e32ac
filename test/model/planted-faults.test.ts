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
import { type AuthorizationWire, checkModel, type FaultName, fault_names } from '@tallystick/harness';
import { Temporal } from '@tallystick/kernel';
import { database_names } from '@tallystick/test-support';
import { windowAt } from '@tallystick/velocity';
import { type PlantedFaults, type ServiceSystem, serviceOn } from './service.ts';

/**
 * The number of random sequences within which a fault must be found. Most are found by one of the first
 * 20; what a seed draws changes with the harness.
 */
const runs_max = 300;

/** A fault in the service. */
interface PlantedFault {
  readonly what: string;
  readonly seed: number;
  /**
   * The largest length of the shrunk sequence: its start, its initial cards, and the steps on them.
   */
  readonly steps_max: number;
  /** The faults that the harness injects; none if absent. */
  readonly faults?: readonly FaultName[];
  readonly plant: () => PlantedFaults;
}

const planted_faults: readonly PlantedFault[] = [
  {
    what: 'a window that begins one millisecond late',
    seed: 38,
    steps_max: 6,
    plant: changingFold((state, fold) => fold({ ...state, cards: state.cards.map((card) => rolledLate(card, state)) })),
  },
  {
    what: 'a dropped hold release',
    seed: 5,
    steps_max: 6,
    plant: changingFold((state, fold) => {
      const { changes, result } = fold(state);
      return { changes: withoutReleases(state, changes), result };
    }),
  },
  {
    what: 'a missing duplicate check',
    seed: 3,
    steps_max: 6,
    plant: changingFold((state, fold) => fold({ ...state, authorizations: state.authorizations.map(unlikeItself) })),
  },
  {
    what: 'an update that writes back the counters that it read, beside a pass',
    seed: 3,
    steps_max: 6,
    plant: writingCountersBack,
  },
  {
    what: 'a clearing that is counted twice when it matches',
    seed: 2,
    steps_max: 6,
    plant: changingFold((state, fold) => {
      const { changes, result } = fold(state);
      return { changes: miscounted(state, changes, 'cleared', (before, after) => Math.max(0, after - before)), result };
    }),
  },
  {
    what: 'a hold that is voided twice',
    seed: 2,
    steps_max: 6,
    plant: changingFold((state, fold) => {
      const { changes, result } = fold(state);
      return { changes: miscounted(state, changes, 'held', (before, after) => Math.min(0, after - before)), result };
    }),
  },
  {
    what: 'a message that is decided again when it is repeated in flight',
    seed: 1,
    steps_max: 6,
    faults: ['lost_answer'],
    plant: decidingAgainInFlight,
  },
  {
    what: 'a pass that answers before its changes are durable',
    seed: 1,
    steps_max: 6,
    faults: ['crash'],
    plant: answeringBeforeCommit,
  },
  {
    what: 'a message that repeats an earlier one but for its time, and gets the answer of that one',
    seed: 3,
    steps_max: 6,
    plant: answeringAsBefore(({ transaction_date_time: _time, ...message }) => message),
  },
  {
    what: 'a message that repeats an earlier one but for its type, and gets the answer of that one',
    seed: 2,
    steps_max: 6,
    plant: answeringAsBefore(({ message_type_indicator: _type, ...message }) => message),
  },
  {
    what: 'a refusal of the largest amount',
    seed: 1,
    steps_max: 6,
    plant: refusing('authorize', 'billing_amount', ([{ billing_amount }]) => billing_amount === 10 ** 12),
  },
  {
    what: 'a refusal of metadata of the largest size',
    seed: 1,
    steps_max: 6,
    plant: refusing(
      'createCard',
      'metadata',
      ([{ metadata }]) => Buffer.byteLength(JSON.stringify(metadata ?? {})) === 8_192,
    ),
  },
  {
    what: 'an update that loses the metadata',
    seed: 2,
    steps_max: 6,
    plant: () => ({
      system: (system) => ({
        ...system,
        updateCard: (id, request) => system.updateCard(id, { metadata: null, ...request }),
      }),
    }),
  },
  {
    what: 'a refusal of a total that is used up',
    seed: 8,
    steps_max: 6,
    plant: () => ({
      system: (system) => ({
        ...system,
        async updateCard(id, request) {
          const card = await system.readCard(id);
          const used = card.kind === 'done' ? card.value.total_card_amount - card.value.available_balance : 0;
          return used > 0 && request.total_card_amount === used
            ? { kind: 'refused', code: 'validation_failed', fields: ['total_card_amount'] }
            : system.updateCard(id, request);
        },
      }),
    }),
  },
  {
    what: 'a hold that ends an hour late on the day of a clock change',
    seed: 2,
    steps_max: 6,
    plant: endingLate((end) => end.hoursInDay !== 24),
  },
  {
    what: 'a hold that ends an hour late on 29 February',
    seed: 1,
    steps_max: 6,
    plant: endingLate(({ month, day }) => month === 2 && day === 29),
  },
];

for (const { what, seed, steps_max, faults: injected = [], plant } of planted_faults) {
  test(`the harness catches ${what}, and shrinks it to a short sequence`, async (context) => {
    const service = await serviceOn('memory', plant());
    try {
      const result = await checkModel({ system: service.system, runs: runs_max, seed, faults: injected });
      assert.ok(result.failed, `not found in ${runs_max} sequences of seed ${seed}`);
      context.diagnostic(result.report!);
      assert.ok(result.steps.length <= steps_max, result.report!);
    } finally {
      await service.close();
    }
  });
}

for (const storage of database_names) {
  test(`the harness catches an update on ${storage} that writes back counters`, async () => {
    const service = await serviceOn(storage, writingCountersBack());
    try {
      const result = await checkModel({ system: service.system, runs: runs_max, seed: 6, shrink_sequences_max: 0 });
      assert.match(result.report ?? '', /no order of \d operations/);
    } finally {
      await service.close();
    }
  });
}

test('without a fault the same seeds find no difference', async () => {
  const service = await serviceOn('memory');
  try {
    for (const seed of new Set(planted_faults.map((fault) => fault.seed))) {
      const result = await checkModel({ system: service.system, runs: 10, seed, faults: fault_names });
      assert.equal(result.report, null);
    }
  } finally {
    await service.close();
  }
});

/** A service that takes a message for an earlier one with which it has all of this in common. */
function answeringAsBefore(inCommon: (message: AuthorizationWire) => object): () => PlantedFaults {
  return () => {
    const answers = new Map<string, Awaited<ReturnType<ServiceSystem['authorize']>>>();
    return {
      system: (system) => ({
        ...system,
        async authorize(message) {
          const key = JSON.stringify(inCommon(message));
          const answer = answers.get(key) ?? (await system.authorize(message));
          if (answer.kind === 'done' && answer.value.id !== null) answers.set(key, answer);
          return answer;
        },
      }),
    };
  };
}

/** A service that refuses some calls of an operation for a field. */
function refusing<Name extends 'authorize' | 'createCard'>(
  name: Name,
  field: string,
  isRefused: (args: Parameters<ServiceSystem[Name]>) => boolean,
): () => PlantedFaults {
  return () => ({
    system: (system) => ({
      ...system,
      async [name](...args: Parameters<ServiceSystem[Name]>) {
        if (isRefused(args)) return { kind: 'refused', code: 'validation_failed', fields: [field] };
        return (system[name] as (...args: unknown[]) => unknown)(...args);
      },
    }),
  });
}

/** Holds that end an hour late if they end on such a day of the card's zone. */
function endingLate(isSuch: (end: Temporal.ZonedDateTime) => boolean): () => PlantedFaults {
  return changingFold((state, fold) => {
    const { changes, result } = fold(state);
    const authorizations_inserted = changes.authorizations_inserted.map((row) => {
      const card = state.cards.find(({ id }) => id === row.card_id);
      const zone = card?.aging_velocity_time_zone ?? 'UTC';
      const end = row.hold_end_ms && Temporal.Instant.fromEpochMilliseconds(row.hold_end_ms).toZonedDateTimeISO(zone);
      return end && isSuch(end) ? { ...row, hold_end_ms: end.add({ hours: 1 }).epochMilliseconds } : row;
    });
    return { changes: { ...changes, authorizations_inserted }, result };
  });
}

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
 * An update that reads the card before the passes beside it begin, and writes all of its row when they
 * have ended: what they counted is lost.
 */
function writingCountersBack(): PlantedFaults {
  let storage: Ledger;
  let read: Promise<unknown> = Promise.resolve();
  const passes = new Set<Promise<unknown>>();
  return {
    ledger(ledger) {
      storage = ledger;
      return {
        ...ledger,
        pass(messages, fold, bounds) {
          const pass = read.then(() => ledger.pass(messages, fold, bounds));
          passes.add(pass);
          return pass;
        },
      };
    },
    system: (system) => ({
      ...system,
      async updateCard(id, request) {
        const card = [{ ...no_release, vcn_id: id }];
        const reading = storage.pass(card, ({ cards }) => ({ changes: no_changes, result: cards[0]!.counters }));
        read = reading;
        const counters = await reading;
        const answer = await system.updateCard(id, request);
        await Promise.allSettled(passes);
        const changes = { ...no_changes, counters: [{ card_id: id, counters }] };
        await storage.pass(card, () => ({ changes, result: null }));
        return answer;
      },
    }),
  };
}

/** A service that decides a message again when it is repeated before its answer. */
function decidingAgainInFlight(): PlantedFaults {
  const in_flight = new Set<unknown>();
  return {
    system: (system) => ({
      ...system,
      async authorize(message) {
        if (in_flight.has(message)) return system.authorize({ ...message, system_trace_audit_number: '999999' });
        in_flight.add(message);
        try {
          return await system.authorize(message);
        } finally {
          in_flight.delete(message);
        }
      },
    }),
  };
}

/** Passes that answer when they are computed, and write after that. */
function answeringBeforeCommit(): PlantedFaults {
  let written: Promise<unknown> = Promise.resolve();
  return {
    ledger: (ledger) => ({
      ...ledger,
      async pass(lookups, fold, bounds) {
        await written;
        const computed = await ledger.pass(lookups, (state) => ({ changes: no_changes, result: fold(state) }), bounds);
        const write = () => ledger.pass(lookups, () => ({ changes: computed.changes, result: null }), bounds);
        written = new Promise(setImmediate).then(write).catch(() => {});
        return computed.result;
      },
    }),
    system: (system) => ({
      ...system,
      async readCard(id) {
        await written;
        return system.readCard(id);
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

/**
 * The changes of a pass with a counter of each card that counts its changed authorizations also by
 * `more`, from an amount before the pass and after it.
 */
function miscounted(
  state: LedgerState,
  changes: LedgerChanges,
  counter: 'held' | 'cleared',
  more: (before: number, after: number) => number,
): LedgerChanges {
  const sums = new Map<number, number>();
  for (const change of changes.authorizations_changed) {
    const before = state.authorizations.find(({ id }) => id === change.id)?.[counter] ?? 0;
    sums.set(change.card_id, (sums.get(change.card_id) ?? 0) + more(before, change[counter]));
  }
  return {
    ...changes,
    counters: changes.counters.map(({ card_id, counters }) => ({
      card_id,
      counters: { ...counters, [counter]: counters[counter] + (sums.get(card_id) ?? 0) },
    })),
  };
}

/** The record with a trace audit number that no message has, so that no message repeats it. */
function unlikeItself(recorded: Authorization): Authorization {
  return { ...recorded, system_trace_audit_number: `not ${recorded.system_trace_audit_number}` };
}
