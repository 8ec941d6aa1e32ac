import { reseal, resealAll, type Sealer, type UnitOfWork } from '@tallystick/kernel';
import type { AccessTx } from '../ports.ts';

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
 * Seals with the newest key of the ring every signing secret that an older one had sealed, in transactions of at most
 * `batch` keys. Returns how many.
 */
export function resealSigningSecrets(
  unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys'>>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    next: ({ api_keys }, after_id) => api_keys.withSigningSecret(after_id, batch),
    async reseal({ api_keys }, { id, signing_secret_sealed: sealed }) {
      const anew = sealed === null ? null : reseal(sealer, purpose, sealed);
      if (anew === null) return 0;
      await api_keys.reseal(id, anew);
      return 1;
    },
  });
}
