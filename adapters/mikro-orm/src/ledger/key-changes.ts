import type { Authorization, LedgerChanges, LedgerState } from '@tallystick/cards';
import { holdKey, keysOf } from '../schema/records/authorization-keys.ts';

/** What a pass changes in `authorization_keys`. */
export interface KeyChanges {
  readonly removed: readonly { readonly card_id: number; readonly key: string }[];
  /** The new keys of an authorization. */
  readonly added: readonly { readonly card_id: number; readonly id: number; readonly keys: readonly string[] }[];
}

/**
 * The changes of keys that belong to the changes of authorizations: the keys of new ones, and the
 * ends of holds that begin, end or move. A pass changes only authorizations that it has loaded.
 */
export function keyChangesOf({ authorizations }: LedgerState, changes: LedgerChanges): KeyChanges {
  const added: KeyChanges['added'][number][] = [];
  for (const authorization of changes.authorizations_inserted) {
    added.push({ card_id: authorization.card_id, id: authorization.id, keys: keysOf(authorization) });
  }
  const removed: KeyChanges['removed'][number][] = [];
  if (changes.authorizations_changed.length === 0) return { removed, added };
  const loaded = new Map<number, Authorization>(
    authorizations.map((authorization) => [authorization.id, authorization]),
  );
  for (const change of changes.authorizations_changed) {
    const { id, card_id } = change;
    const before = loaded.get(id);
    const old_key = before === undefined ? null : holdKey(before);
    const new_key = holdKey(change);
    if (old_key === new_key) continue;
    if (old_key !== null) removed.push({ card_id, key: old_key });
    if (new_key !== null) added.push({ card_id, id, keys: [new_key] });
  }
  return { removed, added };
}
