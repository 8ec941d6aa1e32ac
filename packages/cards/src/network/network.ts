/**
 * The card network's side of the service: group commit before the ledger.
 *
 *   open ──drain──> draining ──every message taken is answered──> drained
 *
 *   open      takes messages
 *   draining  refuses messages with a fault, and answers those that it took
 *   drained   refuses messages with a fault; no pass begins any more
 *
 * Messages wait in lanes. There are as many lanes as the ledger can run passes at the same time.
 * Messages queue up while a pass runs, and the next pass takes them together. A single message does
 * not wait for others. When a pass rejects because of the whole database, its messages fail
 * together. When one of them may be the cause, they are tried again one by one, so that a message
 * that fails the pass fails alone. A card that another transaction holds gets a lane of its own for
 * as long as its messages wait, so that it delays no other card. A pass that examined many records
 * answers its first messages, and the next passes decide the others (ADR 0075).
 *
 * A message that would wait too long is refused immediately, and one that has waited too long is
 * not decided any more (ADR 0020). Every message has a deadline: it is answered by then, and not
 * decided afterwards (ADR 0022). All three fail with a retryable fault.
 */
import { assert, createPhase, Fault, type Random, type Timers, toHex } from '@tallystick/kernel';
import {
  type AuthorizationAnswer,
  type AuthorizationOutcome,
  type ClearingAnswer,
  type FreezeAnswer,
  faultAnswer,
  type ReleaseAnswer,
  type RematchAnswer,
} from '../deciding/answer.ts';
import { foldMessages, type NetworkAnswer } from '../deciding/fold-messages.ts';
import type { CardVault } from '../numbers/card-vault.ts';
import type { QuarantinePorts } from '../quarantine/sealed-clearing.ts';
import type { AuthorizationMessage } from '../records/authorization.ts';
import type { ClearingMessage } from '../records/clearing.ts';
import type { FreezeMessage } from '../records/freeze-message.ts';
import { CardsHeld, type Ledger, type LedgerState, lookupsOf, type NetworkMessage } from '../records/ledger.ts';
import type { RematchMessage } from '../records/match-by-hand.ts';
import type { ReleaseMessage } from '../records/release-message.ts';
import { type Batch, Lane, type Place } from './lane.ts';

/**
 * Why a message was refused without a decision: `queue_max` messages waited (`full`), it would have
 * waited too long (`expected_wait`), or it had waited too long (`waited`).
 */
export const overload_reasons = ['full', 'expected_wait', 'waited'] as const;

export type OverloadReason = (typeof overload_reasons)[number];

/** Bounds the time that a message waits for its pass, and the time until it is answered. */
export interface TimeBounds extends Pick<Timers, 'monotonicNow' | 'pause'> {
  /** The longest wait; `network_wait_ms_max_default` when absent. */
  readonly wait_ms_max?: number;
  /**
   * The time from the arrival of a message to its deadline; `decision_ms_max_default` when absent.
   */
  readonly decision_ms_max?: number;
}

export interface NetworkPorts extends QuarantinePorts {
  readonly ledger: Ledger;
  readonly vault: Pick<CardVault, 'cvcMatches'>;
  readonly random: Random;
  /** Every company is asked before a request is approved, as the host decides. */
  readonly consults_all?: boolean | undefined;
  /** The most messages of one pass; 256 by default. */
  readonly batch_max?: number;
  /**
   * The most messages that may wait; 16,384 by default. Further messages fail immediately with a
   * fault, so that memory is bounded.
   */
  readonly queue_max?: number;
  /** Absent: only `queue_max` bounds how long messages wait, and they have no deadline. */
  readonly time_bounds?: TimeBounds;
  /** Receives each error of a pass, for the log; the callers receive their answers anyway. */
  readonly onFault?: (error: unknown) => void;
  /**
   * Called for each message that is refused without a decision because of load: thousands of times
   * a second under overload.
   */
  readonly onOverload?: (reason: OverloadReason) => void;
}

/** The card network's side: receives messages, and answers each once its changes are durable. */
export interface Network {
  /**
   * Decides or records the message. A fault of the service is also an answer: code U, `fault` true,
   * nothing recorded as approved. A repeated message receives the committed outcome, if there is
   * one. Never rejects. `arrived_ms` is when the message arrived in the process, if earlier than
   * the call, on the clock of `time_bounds`: its deadline counts from then. `is_patient`: while too many
   * questions to its company are open, it waits for its turn as long as its deadline permits, and not
   * only briefly.
   */
  authorize(
    message: AuthorizationMessage,
    arrived_ms?: number,
    options?: { readonly is_patient?: boolean | undefined },
  ): Promise<AuthorizationAnswer>;
  /**
   * Records the clearing. Rejects with the fault when it could not be recorded; the same message
   * may be sent again.
   */
  clear(message: ClearingMessage, arrived_ms?: number): Promise<ClearingAnswer>;
  /**
   * Refuses a message before it is read, if it would be refused now whichever card it is about.
   * Returns whether it did. Saves its caller the work of reading a message for nothing.
   */
  refuseUnread(): boolean;
  /** Whether `refuseUnread` would refuse a message now. */
  isOverloaded(): boolean;
  /**
   * Begins a pass for which the ledger has gathered messages for 50 ms. Called by who refuses so
   * many that the turn of the process, for whose end the ledger waits, does not end.
   */
  hurry(): void;
  /**
   * Ends a hold by hand. It waits with the messages of the network, so that it is before or after
   * each of them. Rejects with the fault when it could not be recorded.
   */
  release(message: ReleaseMessage): Promise<ReleaseAnswer>;
  /** Freezes or unfreezes a card. It waits with the messages of the network, as a release does. */
  freeze(message: FreezeMessage): Promise<FreezeAnswer>;
  /**
   * Matches clearings by hand, or takes such matches back: all of the message, or none. It waits
   * with the messages of the network, as a release does. Rejects with the fault when it could not
   * be recorded.
   */
  rematch(message: RematchMessage): Promise<RematchAnswer>;
  /**
   * Takes no more messages, and resolves when every message taken is answered. A second call is a
   * `Violation`.
   */
  drain(): Promise<void>;
}

/** The network side without decision endpoints: it also returns requests that are left undecided. */
export interface DecidingNetwork extends Network {
  /**
   * As `authorize`, which has no decision about a request that its company is to be asked about, and
   * answers it with a fault.
   */
  decide(message: AuthorizationMessage, arrived_ms?: number): Promise<AuthorizationOutcome>;
}

/**
 * Whether the error of a pass over `count` messages certainly concerns this message. When that is
 * so for no message, each is tried alone.
 */
function concerns(error: unknown, message: NetworkMessage, count: number): boolean {
  if (count === 1) return true;
  if (error instanceof CardsHeld) return lookupsOf(message).some(error.concerns);
  return error instanceof Fault && error.retryable;
}

const batch_max_default = 256;
const queue_max_default = 16_384;

/**
 * The longest time for which a message waits unless configured otherwise. A card network waits a
 * few seconds for an answer, the way to the service included.
 */
export const network_wait_ms_max_default = 1_000;

/** The time from the arrival of a message to its deadline unless configured otherwise. */
export const decision_ms_max_default = 5_000;

/** How long a pass over several cards waits for one that another transaction holds. */
const held_ms_max = 500;

/** The longest time for which messages gather before a pass, milliseconds, while others are refused. */
const gathering_ms_max = 50;

/** The most lanes of held cards. Further held cards share them. */
const held_lanes_max = 4;

/** The card as a message names it; of a match by hand the first one. */
function cardNamedBy(message: NetworkMessage): string {
  if (message.number_index !== null) return toHex(message.number_index);
  return `id ${message.kind === 'rematch' ? message.matches[0]?.vcn_id : message.vcn_id}`;
}

/**
 * Messages about one number use the same lane, so that no pass waits for the card of another and
 * their order is kept.
 */
function laneOf(lanes: readonly Lane[], { number_index }: NetworkMessage): Lane {
  return lanes[(number_index?.[0] ?? 0) % lanes.length]!;
}

/**
 * The network side of one process. Compose it once for a ledger, and drain it before the ledger is
 * closed.
 */
export function createNetwork(ports: NetworkPorts): DecidingNetwork {
  const { ledger, vault, random, sealer, sha256, onFault, onOverload, time_bounds } = ports;
  const pass_ports = { vault, random, sealer, sha256, consults_all: ports.consults_all };
  const batch_max = ports.batch_max ?? batch_max_default;
  const queue_max = ports.queue_max ?? queue_max_default;
  const wait_ms_max = time_bounds?.wait_ms_max ?? network_wait_ms_max_default;
  const decision_ms_max = time_bounds?.decision_ms_max ?? decision_ms_max_default;
  assert(batch_max >= 1 && queue_max >= 1, 'a pass takes at least one message, and at least one may wait');
  assert(wait_ms_max > 0 && decision_ms_max > 0, 'a message may wait for some time');
  const phase = createPhase('the network', 'open', { open: ['draining'], draining: ['drained'], drained: [] });
  const monotonicNow = time_bounds?.monotonicNow ?? (() => 0);
  const lane_bounds = { batch_max, monotonicNow, wait_ms_max, decision_ms_max };
  const lanes = Array.from({ length: ledger.passes_at_once ?? 1 }, () => new Lane(lane_bounds));
  /** The lanes of cards that other transactions hold. */
  const held_lanes = new Map<string, Lane>();
  let waiting_count = 0;

  function findOverload(lane: Lane): OverloadReason | null {
    if (waiting_count >= queue_max) return 'full';
    if (time_bounds !== undefined && lane.expectedWait() >= wait_ms_max) return 'expected_wait';
    return null;
  }

  /** Why a message would be refused in every lane; null: it would not. */
  function findOverloadOfAll(): OverloadReason | null {
    if (!phase.is('open')) return null;
    const overload = findOverload(lanes[0]!);
    return lanes.some((lane) => findOverload(lane) === null) ? null : overload;
  }

  function submit(message: NetworkMessage, arrived_ms?: number): Promise<NetworkAnswer> {
    if (!phase.is('open')) return Promise.reject(new Fault('the network side is closing', { retryable: true }));
    const held_lane = held_lanes.size === 0 ? undefined : held_lanes.get(cardNamedBy(message));
    const lane = held_lane ?? laneOf(lanes, message);
    const overload = findOverload(lane);
    if (overload !== null) {
      onOverload?.(overload);
      return Promise.reject(new Fault('too many network messages wait', { retryable: true }));
    }
    return new Promise((answer, fail) => {
      const overdue_ms = lane.add({ message, answer, fail }, arrived_ms);
      waiting_count += 1;
      if (lane.watched_until_ms === null || overdue_ms < lane.watched_until_ms) watch(lane);
      if (lane.phase.is('resting')) start(lane);
    });
  }

  function start(lane: Lane): void {
    lane.phase.enter('passing');
    lane.passes = Promise.resolve().then(() => run(lane));
  }

  async function run(lane: Lane): Promise<void> {
    while (lane.length > 0) {
      await gather(lane);
      refuseOverdue(lane);
      const batch = lane.take();
      waiting_count -= batch.messages.length;
      if (batch.messages.length > 0) await settle(lane, batch);
    }
    lane.rest();
    for (const [card, held_lane] of held_lanes) if (held_lane === lane) held_lanes.delete(card);
  }

  async function gather(lane: Lane): Promise<void> {
    if (ledger.gather === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    lane.gathering = { since_ms: monotonicNow(), end: resolve };
    ledger.gather().then(resolve, reject);
    await promise;
    lane.gathering = null;
  }

  /**
   * While messages wait, refuses each once it is overdue, even while a pass hangs. A second watch
   * begins only when a message will be overdue before the first watch ends.
   */
  function watch(lane: Lane): void {
    if (time_bounds === undefined) return;
    refuseOverdue(lane);
    const until_ms = lane.overdueAt();
    if (until_ms === null || (lane.watched_until_ms ?? Number.POSITIVE_INFINITY) <= until_ms) return;
    lane.watched_until_ms = until_ms;
    void time_bounds.pause(until_ms - monotonicNow(), { keeps_alive: false }).then(() => {
      if (lane.watched_until_ms === until_ms) lane.watched_until_ms = null;
      watch(lane);
    });
  }

  function refuseOverdue(lane: Lane): void {
    if (time_bounds === undefined) return;
    for (const waiting of lane.takeOverdue()) {
      waiting_count -= 1;
      onOverload?.('waited');
      waiting.fail(new Fault('the network message has waited too long', { retryable: true }));
    }
  }

  async function settle(lane: Lane, batch: Batch): Promise<void> {
    const { messages } = batch;
    try {
      const answers = await decide(batch, lane);
      for (const [index, answer] of answers.entries()) messages[index]!.answer(answer);
      lane.noteAnswered(batch, answers.length);
      takeAgain(lane, lane.placesAfter(batch, { alone: false }).slice(answers.length));
    } catch (error) {
      onFault?.(error);
      const failing = new Set(messages.filter(({ message }) => concerns(error, message, messages.length)));
      const places = lane.placesAfter(batch, { alone: failing.size === 0 });
      if (error instanceof CardsHeld && lanes.includes(lane)) {
        const held = places.filter(({ waiting }) => failing.has(waiting));
        setAside(lane, held);
      } else {
        for (const waiting of failing) waiting.fail(error);
      }
      takeAgain(
        lane,
        places.filter(({ waiting }) => !failing.has(waiting)),
      );
    }
  }

  /** Puts messages that their pass has not answered before those that wait. */
  function takeAgain(lane: Lane, places: readonly Place[]): void {
    if (places.length === 0) return;
    lane.putFirst(places);
    waiting_count += places.length;
    watch(lane);
  }

  /**
   * Moves the messages about held cards to the lanes of these cards, with those that wait behind
   * them, so that the order of the messages about a card is kept.
   */
  function setAside(lane: Lane, places: readonly Place[]): void {
    for (const [card, own] of Map.groupBy(places, ({ waiting }) => cardNamedBy(waiting.message))) {
      const held_lane = held_lanes.get(card) ?? openHeldLane();
      held_lanes.set(card, held_lane);
      held_lane.putLast([...own, ...lane.takeOut((message) => cardNamedBy(message) === card)]);
      waiting_count += own.length;
      watch(held_lane);
      if (held_lane.phase.is('resting')) start(held_lane);
    }
  }

  /** A new lane, or when there are enough, the one with the fewest messages. */
  function openHeldLane(): Lane {
    const open = [...new Set(held_lanes.values())];
    if (open.length < held_lanes_max) return new Lane(lane_bounds);
    return open.reduce((least, lane) => (lane.length < least.length ? lane : least));
  }

  async function decide(batch: Batch, lane: Lane): Promise<readonly NetworkAnswer[]> {
    assert(!phase.is('drained'), 'no pass begins once the network is drained');
    const messages = batch.messages.map(({ message }) => message);
    const fold = (state: LedgerState) => foldMessages(state, messages, pass_ports, { may_stop: true });
    const bounds = {
      ...(time_bounds === undefined ? {} : { deadline: batch.deadline }),
      ...(lanes.includes(lane) ? { held_ms_max } : {}),
    };
    const answers = await ledger.pass(messages.flatMap(lookupsOf), fold, bounds);
    assert(answers.length > 0 && answers.length <= messages.length, 'a pass answers its first messages');
    return answers;
  }

  async function decideOne(message: AuthorizationMessage, arrived_ms?: number): Promise<AuthorizationOutcome> {
    try {
      return (await submit(message, arrived_ms)) as AuthorizationOutcome;
    } catch {
      return faultAnswer(message);
    }
  }

  return {
    decide: decideOne,
    async authorize(message, arrived_ms) {
      const answer = await decideOne(message, arrived_ms);
      return answer.kind === 'consult' ? faultAnswer(message) : answer;
    },
    clear: (message, arrived_ms) => submit(message, arrived_ms) as Promise<ClearingAnswer>,
    refuseUnread() {
      const overload = findOverloadOfAll();
      if (overload !== null) onOverload?.(overload);
      return overload !== null;
    },
    hurry() {
      for (const { gathering } of lanes) {
        if (gathering !== null && monotonicNow() - gathering.since_ms > gathering_ms_max) gathering.end();
      }
    },
    isOverloaded: () => findOverloadOfAll() !== null,
    release: (message) => submit(message) as Promise<ReleaseAnswer>,
    freeze: (message) => submit(message) as Promise<FreezeAnswer>,
    rematch: (message) => submit(message) as Promise<RematchAnswer>,
    async drain() {
      phase.enter('draining');
      await Promise.all(lanes.map((lane) => lane.passes));
      await Promise.all([...held_lanes.values()].map((lane) => lane.passes));
      assert(waiting_count === 0, 'a network that is drained has answered every message');
      phase.enter('drained');
    },
  };
}
