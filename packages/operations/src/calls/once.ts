import { claimIdempotencyKey, type IdempotencyPorts, keepAnswer } from '@tallystick/access';
import { Refusal } from '@tallystick/kernel';
import { Interim, type OperationCall, type OperationTx } from '../operation.ts';

export interface OncePorts extends IdempotencyPorts {
  /** Whether requests to the operation may have an `Idempotency-Key`. */
  readonly takesKey: (operation_id: string) => boolean;
}

export type RunPart = <Result>(part: (tx: Pick<OperationTx, 'idempotency'>) => Promise<Result>) => Promise<Result>;

/**
 * Does the work of a call, or returns its result for the same key before. `run` does a part in a
 * transaction. In the transaction of the work a repeat waits for its end. In one of its own a repeat is
 * refused (`conflict`) until then. A refusal is not kept.
 */
export async function callOnce(
  run: RunPart,
  ports: OncePorts,
  { actor, now_ms, key }: Pick<OperationCall, 'actor' | 'now_ms'> & { readonly key: string },
  work: () => Promise<unknown>,
): Promise<unknown> {
  const request = { method: '', path: '', query: '', body: new Uint8Array() };
  const claimed = await run((tx) =>
    claimIdempotencyKey(tx, ports, { key_id: 'console' }, `${actor} ${key}`, request, now_ms),
  ).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'idempotency_in_progress')) throw error;
    throw new Refusal('conflict', 'this form was sent twice, and its work goes on: look in a moment what it did');
  });
  if (claimed.kind === 'answered') return JSON.parse(new TextDecoder().decode(claimed.answer)).result;
  const { owner } = claimed;
  let result: unknown;
  try {
    result = await work();
  } catch (error) {
    // If this fails, the transaction is rolled back, or the lease of the claim expires.
    await run((tx) => tx.idempotency.release(owner)).catch(() => undefined);
    throw error;
  }
  const kept = JSON.stringify({ result: result instanceof Interim ? result.data : result });
  await run((tx) => keepAnswer(tx, ports.sealer, owner, new TextEncoder().encode(kept)));
  return result;
}
