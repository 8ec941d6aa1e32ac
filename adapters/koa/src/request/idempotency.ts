import {
  claimIdempotencyKey,
  type IdempotencyOwner,
  type IdempotencyPorts,
  keepAnswer,
  type Principal,
  parseIdempotencyKey,
  type SignedParts,
} from '@tallystick/access';
import { auditShownNumbers } from '@tallystick/cards';
import type { Sealer, Timers, UnitOfWork } from '@tallystick/kernel';
import { companyCall, type Operation, type OperationCall, type OperationTx } from '@tallystick/operations';
import type { RenderedAnswer } from '../answer/answer.ts';
import { type Log, toLoggedError } from '../operations/log.ts';

/** Returns an API key as the audit log names it. */
export function actorOf({ key_id }: Pick<Principal, 'key_id'>): string {
  return `key:${key_id}`;
}

/** How long the answer to a network message waits for the record of its idempotency key. */
const key_wait_ms_max = 500;

/** Returns the checked value of an `Idempotency-Key` header; null when there is none. */
export function idempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  return parseIdempotencyKey(Array.isArray(header) ? header.join(', ') : header);
}

/**
 * Claims the key for a request, in a separate transaction, so that others see it immediately.
 * Returns the owner of the claim, or the first answer, which is replayed byte for byte. The audit
 * log records again the numbers that a replay shows.
 */
export async function claimKey(
  ports: IdempotencyPorts & { readonly unitOfWork: UnitOfWork<OperationTx> },
  principal: Principal,
  key: string,
  request: SignedParts,
  call: Pick<OperationCall, 'request_id' | 'source_address' | 'now_ms'>,
): Promise<IdempotencyOwner | RenderedAnswer> {
  return await ports.unitOfWork.run(async (tx) => {
    const claimed = await claimIdempotencyKey(tx, ports, principal, key, request, call.now_ms);
    if (claimed.kind === 'claimed') return claimed.owner;
    const answer = JSON.parse(Buffer.from(claimed.answer).toString('utf8')) as RenderedAnswer;
    if (answer.shows_numbers_of !== undefined) {
      const replay = companyCall({ ...call, caller: principal, actor: actorOf(principal) });
      await auditShownNumbers(tx, replay, answer.shows_numbers_of, { replayed: true });
    }
    return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
  });
}

/** Stores the answer for its replays, in the transaction of the change. */
export function keepForReplay(
  tx: Pick<OperationTx, 'idempotency'>,
  sealer: Sealer,
  owner: IdempotencyOwner,
  answer: RenderedAnswer,
): Promise<void> {
  return keepAnswer(tx, sealer, owner, Buffer.from(JSON.stringify(answer)));
}

/** The ports of the records that are made beside the change. */
interface RecordPorts {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly sealer: Sealer;
  readonly log: Log;
}

/**
 * Waits for the record of an idempotency key. The answer to a network message has a deadline, and
 * the same message is known without its key.
 */
export async function inTimeFor(
  { pause }: Pick<Timers, 'pause'>,
  { area }: Pick<Operation, 'area'>,
  recorded: Promise<void>,
): Promise<void> {
  if (area !== 'network_messages') await recorded;
  else await Promise.race([recorded, pause(key_wait_ms_max, { keeps_alive: false })]);
}

/**
 * Best effort: the work is done, and its answer must not be lost. If this fails, the claim's lease
 * expires, and a repeated message of the network is known by itself.
 */
export async function keepPerformed(
  ports: RecordPorts,
  request_id: string,
  owner: IdempotencyOwner,
  answer: RenderedAnswer,
): Promise<void> {
  try {
    await ports.unitOfWork.run((tx) => keepForReplay(tx, ports.sealer, owner, answer));
  } catch (error) {
    ports.log.error({ request_id, err: toLoggedError(error) }, 'an answer could not be kept for its replay');
  }
}

/** Best effort: if this fails, the claim's lease expires. */
export async function releaseKey(ports: RecordPorts, request_id: string, owner: IdempotencyOwner): Promise<void> {
  try {
    await ports.unitOfWork.run((tx) => tx.idempotency.release(owner));
  } catch (error) {
    ports.log.error({ request_id, err: toLoggedError(error) }, 'an idempotency key could not be released');
  }
}
