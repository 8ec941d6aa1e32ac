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
import type { Sealer, UnitOfWork } from '@tallystick/kernel';
import type { RenderedAnswer } from '../answer/answer.ts';
import type { HttpTx } from './http-tx.ts';
import { type ApiRequest, clientCall } from './route.ts';

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
  ports: IdempotencyPorts & { readonly unitOfWork: UnitOfWork<HttpTx> },
  principal: Principal,
  key: string,
  request: SignedParts,
  { request_id, now_ms }: Pick<ApiRequest, 'request_id' | 'now_ms'>,
): Promise<IdempotencyOwner | RenderedAnswer> {
  return await ports.unitOfWork.run(async (tx) => {
    const claimed = await claimIdempotencyKey(tx, ports, principal, key, request, now_ms);
    if (claimed.kind === 'claimed') return claimed.owner;
    const answer = JSON.parse(Buffer.from(claimed.answer).toString('utf8')) as RenderedAnswer;
    if (answer.shows_numbers_of !== undefined) {
      await auditShownNumbers(tx, clientCall({ principal, request_id, now_ms }), answer.shows_numbers_of, {
        replayed: true,
      });
    }
    return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
  });
}

/** Stores the answer for its replays, in the transaction of the change. */
export function keepForReplay(
  tx: Pick<HttpTx, 'idempotency'>,
  sealer: Sealer,
  owner: IdempotencyOwner,
  answer: RenderedAnswer,
): Promise<void> {
  return keepAnswer(tx, sealer, owner, Buffer.from(JSON.stringify(answer)));
}
