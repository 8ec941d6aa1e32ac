import { createHash, randomInt } from 'node:crypto';
import type { CardVault, QuarantinePorts } from '@tallystick/cards';
import type { Random } from '@tallystick/kernel';

/** The bench's messages contain no code, so none is checked. */
export const no_codes: Pick<CardVault, 'cvcMatches'> = { cvcMatches: () => false };

/** The randomness of the service's approval codes. */
export const random: Random = {
  below: (bound) => randomInt(bound),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/** Seals nothing: no message of a bench is refused. */
export const plain_quarantine: QuarantinePorts = {
  sealer: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed, isCurrent: () => true },
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
