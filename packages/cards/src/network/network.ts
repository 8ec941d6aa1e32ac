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
 * not wait for others. When a pass rejects, its messages are tried again one by one, so that a
 * message that fails the pass fails alone.
 *
 * A message that would wait too long is refused immediately, and one that has waited too long is
 * not decided any more (ADR 0020). Both fail with a retryable fault.
 */
import { assert, createPhase, Fault, type Random } from '@tallystick/kernel';
import type { CardVault } from '../numbers/card-vault.ts';
import type { QuarantinePorts } from '../quarantine/sealed-clearing.ts';
import { type AuthorizationAnswer, type ClearingAnswer, faultAnswer, type ReleaseAnswer } from './answer.ts';
import type { AuthorizationMessage } from './authorization.ts';
import type { ClearingMessage } from './clearing.ts';
import { foldMessages, type NetworkAnswer } from './fold-messages.ts';
import { type Batch, Lane } from './lane.ts';
import type { Ledger, NetworkMessage } from './ledger.ts';
import type { ReleaseMessage } from './release-message.ts';

/**
 * Why a message was refused without a decision: `queue_max` messages waited (`full`), it would have
 * waited too long (`expected_wait`), or it had waited too long (`waited`).
 */
export const overload_reasons = ['full', 'expected_wait', 'waited'] as const;

export type OverloadReason = (typeof overload_reasons)[number];

/** Bounds the time that a message waits for its pass. */
export interface WaitBound {
  /** Milliseconds since a fixed origin, never going back. */
  readonly monotonicNow: () => number;
  /** Resolves after this many milliseconds. Need not keep the process alive. */
  readonly pause: (ms: number) => Promise<void>;
  /** The longest wait; `network_wait_ms_max_default` when absent. */
  readonly wait_ms_max?: number;
}

export interface NetworkPorts extends QuarantinePorts {
  readonly ledger: Ledger;
  readonly vault: Pick<CardVault, 'cvcMatches'>;
  readonly random: Random;
  /** The most messages of one pass; 256 by default. */
  readonly batch_max?: number;
  /**
   * The most messages that may wait; 16,384 by default. Further messages fail immediately with a
   * fault, so that memory is bounded.
   */
  readonly queue_max?: number;
  /** Absent: only `queue_max` bounds how long messages wait. */
  readonly wait_bound?: WaitBound;
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
   * one. Never rejects.
   */
  authorize(message: AuthorizationMessage): Promise<AuthorizationAnswer>;
  /**
   * Records the clearing. Rejects with the fault when it could not be recorded; the same message
   * may be sent again.
   */
  clear(message: ClearingMessage): Promise<ClearingAnswer>;
  /**
   * Refuses a message before it is read, if it would be refused now whichever card it is about.
   * Returns whether it did. Saves its caller the work of reading a message for nothing.
   */
  refuseUnread(): boolean;
  /**
   * Ends a hold by hand. It waits with the messages of the network, so that it is before or after
   * each of them. Rejects with the fault when it could not be recorded.
   */
  release(message: ReleaseMessage): Promise<ReleaseAnswer>;
  /**
   * Takes no more messages, and resolves when every message taken is answered. A second call is a
   * `Violation`.
   */
  drain(): Promise<void>;
}

const batch_max_default = 256;
const queue_max_default = 16_384;

/**
 * The longest time for which a message waits unless configured otherwise. A card network waits a
 * few seconds for an answer, the way to the service included.
 */
export const network_wait_ms_max_default = 1_000;

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
export function createNetwork(ports: NetworkPorts): Network {
  const { ledger, vault, random, sealer, sha256, onFault, onOverload, wait_bound } = ports;
  const pass_ports = { vault, random, sealer, sha256 };
  const batch_max = ports.batch_max ?? batch_max_default;
  const queue_max = ports.queue_max ?? queue_max_default;
  const wait_ms_max = wait_bound?.wait_ms_max ?? network_wait_ms_max_default;
  assert(batch_max >= 1 && queue_max >= 1, 'a pass takes at least one message, and at least one may wait');
  assert(wait_ms_max > 0, 'a message may wait for some time');
  const phase = createPhase('the network', 'open', { open: ['draining'], draining: ['drained'], drained: [] });
  const monotonicNow = wait_bound?.monotonicNow ?? (() => 0);
  const lanes = Array.from({ length: ledger.passes_at_once ?? 1 }, () => new Lane({ batch_max, monotonicNow }));
  let waiting_count = 0;

  /** Why a message to this lane is refused now; null: it may wait. */
  function findOverload(lane: Lane): OverloadReason | null {
    if (waiting_count >= queue_max) return 'full';
    if (wait_bound !== undefined && lane.expectedWait() >= wait_ms_max) return 'expected_wait';
    return null;
  }

  function submit(message: NetworkMessage): Promise<NetworkAnswer> {
    if (!phase.is('open')) return Promise.reject(new Fault('the network side is closing', { retryable: true }));
    const lane = laneOf(lanes, message);
    const overload = findOverload(lane);
    if (overload !== null) {
      onOverload?.(overload);
      return Promise.reject(new Fault('too many network messages wait', { retryable: true }));
    }
    return new Promise((answer, fail) => {
      lane.add({ message, answer, fail });
      waiting_count += 1;
      if (lane.watched_until_ms === null) watch(lane);
      if (lane.phase.is('passing')) return;
      lane.phase.enter('passing');
      lane.passes = Promise.resolve().then(() => run(lane));
    });
  }

  async function run(lane: Lane): Promise<void> {
    while (lane.length > 0) {
      await ledger.gather?.();
      refuseOverdue(lane);
      const batch = lane.take();
      waiting_count -= batch.messages.length;
      if (batch.messages.length > 0) await settle(lane, batch);
    }
    lane.rest();
  }

  /**
   * While messages wait, refuses each once it has waited too long, even while a pass hangs. A
   * second watch begins only when a message will have waited too long before the first watch ends.
   */
  function watch(lane: Lane): void {
    if (wait_bound === undefined) return;
    refuseOverdue(lane);
    const until_ms = lane.overdueAt(wait_ms_max);
    if (until_ms === null || (lane.watched_until_ms ?? Number.POSITIVE_INFINITY) <= until_ms) return;
    lane.watched_until_ms = until_ms;
    void wait_bound.pause(until_ms - monotonicNow()).then(() => {
      if (lane.watched_until_ms === until_ms) lane.watched_until_ms = null;
      watch(lane);
    });
  }

  function refuseOverdue(lane: Lane): void {
    if (wait_bound === undefined) return;
    for (const waiting of lane.takeOverdue(wait_ms_max)) {
      waiting_count -= 1;
      onOverload?.('waited');
      waiting.fail(new Fault(`the network message has waited for ${wait_ms_max} ms`, { retryable: true }));
    }
  }

  async function settle(lane: Lane, batch: Batch): Promise<void> {
    const { messages } = batch;
    try {
      const answers = await decide(messages.map(({ message }) => message));
      for (const [index, waiting] of messages.entries()) waiting.answer(answers[index]!);
    } catch (error) {
      onFault?.(error);
      if (messages.length === 1) {
        messages[0]!.fail(error);
      } else {
        lane.putBack(batch);
        waiting_count += messages.length;
        watch(lane);
      }
    }
  }

  async function decide(messages: readonly NetworkMessage[]): Promise<readonly NetworkAnswer[]> {
    assert(!phase.is('drained'), 'no pass begins once the network is drained');
    const answers = await ledger.pass(messages, (state) => foldMessages(state, messages, pass_ports));
    assert(answers.length === messages.length, 'a pass answers each of its messages');
    return answers;
  }

  return {
    async authorize(message) {
      try {
        return (await submit(message)) as AuthorizationAnswer;
      } catch {
        return faultAnswer(message);
      }
    },
    clear: (message) => submit(message) as Promise<ClearingAnswer>,
    refuseUnread() {
      if (!phase.is('open')) return false;
      const overload = findOverload(lanes[0]!);
      if (overload === null || lanes.some((lane) => findOverload(lane) === null)) return false;
      onOverload?.(overload);
      return true;
    },
    release: (message) => submit(message) as Promise<ReleaseAnswer>,
    async drain() {
      phase.enter('draining');
      await Promise.all(lanes.map((lane) => lane.passes));
      assert(waiting_count === 0, 'a network that is drained has answered every message');
      phase.enter('drained');
    },
  };
}
