import { reseal, resealAll, type Sealer, type UnitOfWork } from '@tallystick/kernel';
import type { AccessTx } from '../ports.ts';

/** The purpose to which a sealed signing secret is bound. */
const purpose = 'api_key.signing_secret';

export function sealSigningSecret(sealer: Sealer, secret: string): Uint8Array {
  return sealer.seal(purpose, new TextEncoder().encode(secret));
}

/** Returns the secret in plain text. Throws a `Fault` when the ring no longer has its key. */
export function openSigningSecret(sealer: Sealer, sealed: Uint8Array): string {
  return new TextDecoder().decode(sealer.open(purpose, sealed));
}

/**
 * Re-encrypts with the newest key of the ring every signing secret that an older key sealed, in
 * transactions of at most `batch` keys. Returns how many.
 */
export function resealSigningSecrets(
  unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys'>>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    first: { id: 0 },
    next: ({ api_keys }, { id }) => api_keys.withSigningSecret(id, batch),
    async reseal({ api_keys }, { id, signing_secret_sealed: sealed }) {
      const resealed = sealed === null ? null : reseal(sealer, purpose, sealed);
      if (resealed === null) return 0;
      await api_keys.reseal(id, resealed);
      return 1;
    },
  });
}
