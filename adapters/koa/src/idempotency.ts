import {
  type ClaimedKey,
  claimIdempotencyKey,
  type IdempotencyOwner,
  type IdempotencyPorts,
  keepAnswer,
  type Principal,
  parseIdempotencyKey,
  type SignedParts,
} from '@tallystick/access';
import type { Sealer, UnitOfWork } from '@tallystick/kernel';
import type { RenderedAnswer } from './answer.ts';
import type { HttpTx } from './http-tx.ts';

/** The value of an `Idempotency-Key` header, checked; null when there is none. */
export function idempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  return parseIdempotencyKey(Array.isArray(header) ? header.join(', ') : header);
}

/**
 * Claims the key for a request, in a transaction of its own, so that others see it at once. Gives who holds it now, or the
 * first answer, to be replayed byte for byte.
 */
export async function claimKey(
  ports: IdempotencyPorts & { readonly unitOfWork: UnitOfWork<HttpTx> },
  principal: Principal,
  key: string,
  request: SignedParts,
  now_ms: number,
): Promise<IdempotencyOwner | RenderedAnswer> {
  const claimed: ClaimedKey = await ports.unitOfWork.run((tx) =>
    claimIdempotencyKey(tx, ports, principal, key, request, now_ms),
  );
  if (claimed.kind === 'claimed') return claimed.owner;
  const answer = JSON.parse(Buffer.from(claimed.answer).toString('utf8')) as RenderedAnswer;
  return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
}

/** Keeps the answer for its replays, in the transaction of the change. */
export function keepForReplay(
  tx: Pick<HttpTx, 'idempotency'>,
  sealer: Sealer,
  owner: IdempotencyOwner,
  answer: RenderedAnswer,
): Promise<void> {
  return keepAnswer(tx, sealer, owner, Buffer.from(JSON.stringify(answer)));
}
