/**
 * The card network's side of the service: group commit before the ledger.
 *
 *   open ──drain──> draining ──every message taken is answered──> drained
 *
 *   open      takes messages
 *   draining  refuses messages with a fault, and answers those that it took
 *   drained   refuses messages with a fault; no pass begins any more
 *
 * Messages wait in lanes. There are as many lanes as the ledger can run passes at the same time:
 *
 *   resting ──message──> passing: pass after pass takes the messages that wait, up to `batch_max`
 *   passing ──no message waits──> resting
 *
 * Messages queue up while a pass runs, and the next pass takes them together. A single message does
 * not wait for others. When a pass rejects, its messages are tried again one by one, so that a
 * message that fails the pass fails alone.
 */
import { assert, createPhase, Fault, type Phase, type Random } from '@tallystick/kernel';
import type { CardVault } from '../numbers/card-vault.ts';
import { type AuthorizationAnswer, type ClearingAnswer, faultAnswer } from './answer.ts';
import type { AuthorizationMessage } from './authorization.ts';
import type { ClearingMessage } from './clearing.ts';
import { foldMessages, type NetworkAnswer } from './fold-messages.ts';
import type { Ledger, NetworkMessage } from './ledger.ts';

export interface NetworkPorts {
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
  /** Receives each error of a pass, for the log; the callers receive their answers anyway. */
  readonly onFault?: (error: unknown) => void;
  /**
   * Called for each message that finds no place to wait: thousands of times a second under
   * overload.
   */
  readonly onFull?: () => void;
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
   * Takes no more messages, and resolves when every message taken is answered. A second call is a
   * `Violation`.
   */
  drain(): Promise<void>;
}

const batch_max_default = 256;
const queue_max_default = 16_384;

interface Waiting {
  readonly message: NetworkMessage;
  answer(answer: NetworkAnswer): void;
  fail(error: unknown): void;
}

/** Messages that successive passes take. */
interface Lane {
  readonly phase: Phase<'resting' | 'passing'>;
  queue: Waiting[];
  /** Resolves when the lane rests. */
  passes: Promise<void>;
}

function emptyLane(): Lane {
  const phase = createPhase('a lane of the network', 'resting', { resting: ['passing'], passing: ['resting'] });
  return { phase, queue: [], passes: Promise.resolve() };
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
export function createNetwork(ports: NetworkPorts): Network {
  const { ledger, vault, random, onFault, onFull } = ports;
  const batch_max = ports.batch_max ?? batch_max_default;
  const queue_max = ports.queue_max ?? queue_max_default;
  assert(batch_max >= 1 && queue_max >= 1, 'a pass takes at least one message, and at least one may wait');
  const phase = createPhase('the network', 'open', { open: ['draining'], draining: ['drained'], drained: [] });
  const lanes = Array.from({ length: ledger.passes_at_once ?? 1 }, emptyLane);
  let waiting_count = 0;

  function submit(message: NetworkMessage): Promise<NetworkAnswer> {
    if (!phase.is('open')) return Promise.reject(new Fault('the network side is closing', { retryable: true }));
    if (waiting_count >= queue_max) {
      onFull?.();
      return Promise.reject(new Fault(`${queue_max} network messages already wait`, { retryable: true }));
    }
    return new Promise((answer, fail) => {
      const lane = laneOf(lanes, message);
      lane.queue.push({ message, answer, fail });
      waiting_count += 1;
      if (lane.phase.is('passing')) return;
      lane.phase.enter('passing');
      lane.passes = Promise.resolve().then(() => run(lane));
    });
  }

  async function run(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      await ledger.gather?.();
      const batch = lane.queue.slice(0, batch_max);
      lane.queue = lane.queue.slice(batch_max);
      waiting_count -= batch.length;
      await settle(batch);
    }
    lane.phase.enter('resting');
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await decide(batch);
      for (const [index, waiting] of batch.entries()) waiting.answer(answers[index]!);
    } catch (error) {
      onFault?.(error);
      if (batch.length === 1) batch[0]!.fail(error);
      else for (const waiting of batch) await settle([waiting]);
    }
  }

  async function decide(batch: readonly Waiting[]): Promise<readonly NetworkAnswer[]> {
    assert(!phase.is('drained'), 'no pass begins once the network is drained');
    const messages = batch.map(({ message }) => message);
    const answers = await ledger.pass(messages, (state) => foldMessages(state, messages, { vault, random }));
    assert(answers.length === batch.length, 'a pass answers each of its messages');
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
    async drain() {
      phase.enter('draining');
      await Promise.all(lanes.map((lane) => lane.passes));
      assert(waiting_count === 0, 'a network that is drained has answered every message');
      phase.enter('drained');
    },
  };
}
