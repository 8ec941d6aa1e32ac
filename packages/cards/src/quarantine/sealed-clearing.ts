import type { Payload } from '@tallystick/events';
import type { Sealer, Sha256 } from '@tallystick/kernel';
import type { ClearingMessage } from '../network/clearing.ts';
import type { ClearingInput } from '../network/message.ts';

/** The purpose that a sealed message is bound to. */
export const quarantine_purpose = 'quarantine.message';

/** What quarantine needs to keep a message: its seal, and the hash that identifies it. */
export interface QuarantinePorts {
  readonly sealer: Sealer;
  readonly sha256: Sha256;
}

/**
 * The clearing as the network could have sent it: `normalizeClearing` reads the same message from
 * it.
 */
function toInput({
  kind,
  pan,
  number_index,
  details,
  suspects,
  request_id,
  ...fields
}: ClearingMessage): ClearingInput {
  return { ...details, ...fields, card_number: pan?.reveal() ?? null } as ClearingInput;
}

/** Seals the message with its card number. */
export function sealClearing(sealer: Sealer, message: ClearingMessage): Uint8Array {
  return sealer.seal(quarantine_purpose, new TextEncoder().encode(JSON.stringify(toInput(message))));
}

/** The message that `sealClearing` sealed, for `normalizeClearing`. */
export function openClearing(sealer: Sealer, message_sealed: Uint8Array): ClearingInput {
  return JSON.parse(new TextDecoder().decode(sealer.open(quarantine_purpose, message_sealed))) as ClearingInput;
}

/** The fields that were sent. The card number is masked. */
export function excerptOf(message: ClearingMessage): Payload {
  const masked = { ...toInput(message), card_number: message.pan?.masked ?? null };
  return Object.fromEntries(Object.entries(masked).filter(([, value]) => value !== null));
}

/**
 * The hash that two copies of a message share, and no two different messages. It covers the keyed
 * index of the number instead of the number.
 */
export function identityOf(sha256: Sha256, message: ClearingMessage): Uint8Array {
  const fields = { ...toInput(message), card_number: message.number_index?.toHex() ?? null };
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(new TextEncoder().encode(JSON.stringify(sorted)));
}
