import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { type MessageKey, message_keys, numericType } from '../reference/authorization.ts';
import type { ReferenceModel } from '../reference/model.ts';
import type { AuthorizationWire } from '../system.ts';
import type { MessageKind } from './authorizations.ts';

/** An earlier message of a card with one of its keys changed, which makes it another message. */
export interface AlmostRepeatedPlan {
  readonly card_pick: number;
  readonly message_pick: number;
  readonly key: MessageKey;
  /** The type if it is the key; when the earlier message has it, the other of the two. */
  readonly types: readonly [string, string];
}

/** Without advices among the kinds, no message becomes one. */
export function almostRepeatedPlan(kinds: readonly MessageKind[]): fc.Arbitrary<AlmostRepeatedPlan> {
  const types = ['0100', '0400', '0420', ...(kinds.some((kind) => kind.includes('advice')) ? ['0120'] : [])];
  return fc.record({
    card_pick: fc.nat({ max: 5 }),
    message_pick: fc.nat({ max: 30 }),
    key: fc.constantFrom(...message_keys),
    types: fc.shuffledSubarray(types, { minLength: 2, maxLength: 2 }) as unknown as fc.Arbitrary<[string, string]>,
  });
}

export function almostRepeated(
  { key, types }: AlmostRepeatedPlan,
  message: AuthorizationWire,
  model: ReferenceModel,
): AuthorizationWire {
  const later = Temporal.Instant.from(message.transaction_date_time).add({ milliseconds: 1 });
  const serial = model.fresh();
  const changed: Readonly<Record<MessageKey, string>> = {
    message_type_indicator: numericType(message) === types[0] ? types[1] : types[0],
    trace_id: `${model.world.tag}T${serial}`,
    system_trace_audit_number: String(serial % 1_000_000).padStart(6, '0'),
    transaction_date_time: later.toString(),
  };
  return { ...message, [key]: changed[key] };
}
