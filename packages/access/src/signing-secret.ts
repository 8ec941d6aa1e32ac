import type { Sealer, UnitOfWork } from '@tallystick/kernel';
import type { AccessTx } from './ports.ts';

/** What a sealed signing secret is bound to. */
const purpose = 'api_key.signing_secret';

/** The secret as it is stored. */
export function sealSigningSecret(sealer: Sealer, secret: string): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(secret));
}

/** The secret in clear. Throws a `Fault` when its key has left the ring. */
export function openSigningSecret(sealer: Sealer, sealed: Uint8Array): string {
  return new TextDecoder().decode(sealer.open(purpose, sealed));
}

/**
 * Seals anew, with the newest key of the ring, every signing secret that an older one sealed; in transactions of at most
 * `batch` keys. Returns how many. Part of a key rotation: without it an older key could never be dropped.
 */
export async function resealSigningSecrets(
  unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys'>>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  let count = 0;
  for (let after_id: number | null = 0; after_id !== null; ) {
    const from_id: number = after_id;
    const done: { readonly resealed: number; readonly last_id: number | null } = await unitOfWork.run(async (tx) => {
      const keys = await tx.api_keys.withSigningSecret(from_id, batch);
      let resealed = 0;
      for (const { id, signing_secret_sealed: sealed } of keys) {
        if (sealed === null || sealer.isCurrent(sealed)) continue;
        await tx.api_keys.reseal(id, sealSigningSecret(sealer, openSigningSecret(sealer, sealed)));
        resealed += 1;
      }
      return { resealed, last_id: keys.at(-1)?.id ?? null };
    });
    count += done.resealed;
    after_id = done.last_id;
  }
  return count;
}
