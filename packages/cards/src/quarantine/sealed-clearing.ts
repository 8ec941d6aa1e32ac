import type { Payload } from '@tallystick/events';
import { fromBase64, maskDigitRuns, maskJson, type Sealer, type Sha256, toBase64, toHex } from '@tallystick/kernel';
import type { ClearingMessage, ClearingOrigin } from '../records/clearing.ts';
import type { ClearingInput } from '../records/message.ts';

export const quarantine_purpose = 'quarantine.message';

/** What quarantine needs to keep a message: its seal, and the hash that identifies it. */
export interface QuarantinePorts {
  readonly sealer: Sealer;
  readonly sha256: Sha256;
}

/** What a file says of a sealed clearing. The place is that of its quarantined record. */
export type SealedOrigin = Omit<ClearingOrigin, 'place'>;

export interface SealedClearing {
  readonly kind: 'clearing';
  readonly input: ClearingInput;
  readonly origin: SealedOrigin;
}

/** A record of a file that could not be read, as it was sealed. */
export interface SealedRecord {
  readonly kind: 'record';
  readonly raw: Uint8Array;
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
  synthetic_id,
  last4,
  place,
  ...fields
}: ClearingMessage): ClearingInput {
  return { ...details, ...fields, card_number: pan?.reveal() ?? null } as ClearingInput;
}

/** Seals the message with its card number. */
export function sealClearing(sealer: Sealer, message: ClearingMessage): Uint8Array {
  const { synthetic_id, last4 } = message;
  return sealInput(sealer, toInput(message), { synthetic_id, last4 });
}

/** Seals a clearing of a file whose fields are not valid. */
export function sealInput(sealer: Sealer, input: ClearingInput, origin: SealedOrigin): Uint8Array {
  const is_plain = !origin.synthetic_id && origin.last4 === null;
  return sealJson(sealer, is_plain ? input : { ...input, [origin_key]: origin });
}

export function sealRecord(sealer: Sealer, raw: Uint8Array): Uint8Array {
  return sealJson(sealer, { [raw_key]: toBase64(raw) });
}

/** No field of a clearing has these names. */
const origin_key = '$origin';
const raw_key = '$raw';

function sealJson(sealer: Sealer, value: object): Uint8Array {
  return sealer.seal(quarantine_purpose, new TextEncoder().encode(JSON.stringify(value)));
}

/** What was sealed: a clearing for `normalizeClearing`, or the bytes of a record. */
export function openSealed(sealer: Sealer, message_sealed: Uint8Array): SealedClearing | SealedRecord {
  const text = new TextDecoder().decode(sealer.open(quarantine_purpose, message_sealed));
  const { [origin_key]: origin, [raw_key]: raw, ...input } = JSON.parse(text);
  if (raw !== undefined) return { kind: 'record', raw: fromBase64(raw) };
  return { kind: 'clearing', input, origin: origin ?? { synthetic_id: false, last4: null } };
}

/** The fields that were sent. The card number is masked. */
export function excerptOf(message: ClearingMessage): Payload {
  return present({ ...toInput(message), card_number: message.pan?.masked ?? null });
}

/** The fields that were sent of a clearing that is not valid. Numbers are masked in all of them. */
export function excerptOfInput(input: ClearingInput): Payload {
  const masked = maskJson(input) as Record<string, unknown>;
  const { card_number } = masked;
  return present({ ...masked, card_number: typeof card_number === 'string' ? maskDigitRuns(card_number) : null });
}

function present(fields: object): Payload {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/**
 * The hash that two copies of a message share, and no two different messages. It covers the keyed
 * index of the number instead of the number.
 */
export function identityOf(sha256: Sha256, message: ClearingMessage): Uint8Array {
  const { last4, number_index } = message;
  const of_file = last4 === null ? {} : { last4 };
  const fields = { ...toInput(message), ...of_file, card_number: number_index === null ? null : toHex(number_index) };
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(new TextEncoder().encode(JSON.stringify(sorted)));
}

/** The hash of a record of a file that has no message: two records are never the same. */
export function identityOfRecord(
  sha256: Sha256,
  record: { readonly import_id: number; readonly ordinal: number },
): Uint8Array {
  return sha256(new TextEncoder().encode(JSON.stringify(['record', record.import_id, record.ordinal])));
}
