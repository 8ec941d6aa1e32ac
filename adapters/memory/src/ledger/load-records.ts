import {
  type Authorization,
  type AuthorizationMessage,
  type Records as CardRecords,
  type Clearing,
  type ClearingMessage,
  isEndingHold,
  isFoundClearing,
  isFoundRoot,
  isOfMerchant,
  type LedgerCard,
  type LedgerState,
  type Lookup,
  merchantSearch,
  type NeighbourQuestions,
  NeighbourSearch,
  needsNeighbours,
  pastWindowsOf,
  type ReferencesFound,
  type ReleaseMessage,
  type RematchLookup,
  readsReferring,
  referenceKeys,
} from '@tallystick/cards';
import { money, toHex } from '@tallystick/kernel';
import { isOpenApproval, recordsOfAct, recordsOfApproval } from '@tallystick/reconciliation';
import { type State, windowKey } from '../storage/state.ts';

type Records = Pick<LedgerState, 'authorizations' | 'clearings'>;

/**
 * Returns the recorded messages that a pass over these messages needs: exactly those that
 * `LedgerState` promises. They are ordered newest first. No fold needs that order, so a fold that
 * depends on an order fails.
 */
export function loadRecords(
  state: State,
  card_ids: readonly number[],
  messages: readonly Lookup[],
  now_ms: number,
): Records & Pick<LedgerState, 'windows' | 'cut_card_ids' | 'overtaken_clearing_ids'> {
  const authorizations = new Map<number, Authorization>();
  const clearings = new Map<number, Clearing>();
  const carded = messages.map((message) => ({ message, card_id: cardIdOf(state, message) }));
  const deciding = new Set(carded.map(({ message, card_id }) => (message.kind === 'authorization' ? card_id : null)));
  const keep = (found: Partial<Records>) => {
    for (const row of found.authorizations ?? []) authorizations.set(row.id, row);
    for (const row of found.clearings ?? []) clearings.set(row.id, row);
  };

  for (const card_id of card_ids) keep({ authorizations: dueHolds(state, card_id, now_ms) });
  for (const { message, card_id } of carded) {
    if (message.kind === 'clearing') keep({ clearings: copiesOf(state, message) });
    if (card_id === null) continue;
    if (message.kind === 'authorization') keep({ authorizations: traced(state, card_id, message) });
    else if (message.kind === 'release') keep({ authorizations: named(state, card_id, message) });
    else if (message.kind === 'freeze') continue;
    else if (message.kind === 'rematch') keep(matchedByHand(state, card_id, message));
    else keep(clearingCandidates(state, card_id, message, { has_authorization: deciding.has(card_id), now_ms }));
  }
  const cut_card_ids: number[] = [];
  for (const card_id of card_ids) {
    const concerned = carded.filter((one) => one.card_id === card_id).map(({ message }) => message);
    if (!needsNeighbours(countedClearings(state, card_id), concerned, clearings.values())) continue;
    const search = new NeighbourSearch(state.cards.get(card_id)!, concerned, now_ms);
    search.keep({ roots: [...authorizations.values()], clearings: [...clearings.values()] });
    for (let asked = search.next(); asked !== null; asked = search.next()) {
      const found = neighbours(state, asked);
      search.keep(found);
      keep({ authorizations: found.roots, clearings: found.clearings });
    }
    if (search.is_cut) cut_card_ids.push(card_id);
  }
  const matched = [...clearings.values()].flatMap(({ authorization_id }) =>
    authorization_id === null ? [] : (state.authorizations.get(authorization_id) ?? []),
  );
  keep({ authorizations: matched });
  const loaded = { authorizations: newestFirst(authorizations), clearings: newestFirst(clearings) };
  const overtaken_clearing_ids = messages.flatMap((message) =>
    message.kind === 'rematch' && isOvertaken(state, message) ? message.clearing_id : [],
  );
  return { ...loaded, cut_card_ids, overtaken_clearing_ids, windows: loadWindows(state, card_ids, loaded) };
}

/** Returns the counters of the past windows in which these records count. */
export function loadWindows(
  state: State,
  card_ids: readonly number[],
  { authorizations, clearings }: Records,
): LedgerState['windows'] {
  const present = new Map(
    card_ids.map((id) => {
      const { recurring, counters } = state.cards.get(id)!;
      return [id, { recurring, window_start_ms: counters.window_start_ms }] as const;
    }),
  );
  return pastWindowsOf(authorizations, clearings, (id) => present.get(id)).map((key) => {
    return state.card_windows.get(windowKey(key)) ?? { ...key, held: money(0), cleared: money(0), uses: 0 };
  });
}

export function countedClearings(
  { clearings }: State,
  card_id: number,
): Pick<LedgerCard, 'provisional_clearings' | 'settled_through'> {
  let provisional_clearings = 0;
  let settled_through: string | null = null;
  for (const clearing of clearings.values()) {
    if (clearing.card_id !== card_id) continue;
    if (clearing.match_rule > 2) provisional_clearings += 1;
    if (clearing.settlement_date > (settled_through ?? '')) settled_through = clearing.settlement_date;
  }
  return { provisional_clearings, settled_through };
}

/**
 * Returns the rows of a card that meet one of the conditions, and no more clearings than suffice.
 */
function neighbours(state: State, asked: NeighbourQuestions): CardRecords {
  const { card_id } = asked;
  const [root_keys, clearing_keys] = [new Set(asked.root_keys), new Set(asked.clearing_keys)];
  const roots = state.authorizations.values().filter((row) => {
    if (row.card_id !== card_id) return false;
    if (asked.root_ids.includes(row.id)) return true;
    if (row.root_id !== row.id) return false;
    return (
      referenceKeys(row).some((key) => root_keys.has(key)) ||
      asked.roots_of_merchant.some((search) => isFoundRoot(search, row))
    );
  });
  const clearings = state.clearings.values().filter((row) => {
    if (row.card_id !== card_id) return false;
    return (
      asked.clearing_ids.includes(row.id) ||
      asked.clearings_of.includes(row.authorization_id ?? 0) ||
      asked.referring_to.includes(row.clearing_id ?? 0) ||
      referenceKeys(row).some((key) => clearing_keys.has(key)) ||
      asked.clearings_of_merchant.some((search) => isOfMerchant(search, row))
    );
  });
  return { roots: [...roots], clearings: clearings.slice(0, asked.clearings_max) };
}

function newestFirst<Row extends { readonly id: number }>(rows: ReadonlyMap<number, Row>): readonly Row[] {
  return [...rows.values()].sort((a, b) => b.id - a.id);
}

/**
 * Returns the ended open holds of a card, and of its other open holds the one that ends first.
 * Returns none before the first end.
 */
function dueHolds({ authorizations, cards }: State, card_id: number, now_ms: number): readonly Authorization[] {
  const { next_hold_end_ms } = cards.get(card_id)!.counters;
  if (next_hold_end_ms === null || next_hold_end_ms > now_ms) return [];
  const open = authorizations
    .values()
    .filter((row) => row.card_id === card_id)
    .filter(isEndingHold)
    .sort((a, b) => a.hold_end_ms - b.hold_end_ms);
  const due_count = open.filter(({ hold_end_ms }) => hold_end_ms <= now_ms).length;
  return open.slice(0, due_count + 1);
}

/** The recorded messages of the card with the trace id of this message, and their roots. */
function traced(
  { authorizations }: State,
  card_id: number,
  { trace_id }: AuthorizationMessage,
): readonly Authorization[] {
  const rows = authorizations.values().filter((row) => row.card_id === card_id && row.trace_id === trace_id);
  const roots = rows.flatMap(({ root_id }) => (root_id === null ? [] : (authorizations.get(root_id) ?? [])));
  return [...rows, ...roots];
}

/** The authorization of the card whose hold is to end. */
function named({ authorizations }: State, card_id: number, message: ReleaseMessage): readonly Authorization[] {
  const row = authorizations.get(message.authorization_id);
  return row?.card_id === card_id ? [row] : [];
}

/**
 * Returns the clearing of the card that a person matches, the authorization that the person chose,
 * the clearings of both authorizations, and those that refer to the clearing.
 */
function matchedByHand(state: State, card_id: number, message: RematchLookup): Records {
  const clearings = state.clearings.values().filter((row) => row.card_id === card_id);
  const clearing = clearings.filter(({ id }) => id === message.clearing_id);
  const root_ids = [message.authorization_id, ...clearing.map(({ authorization_id }) => authorization_id)];
  const of_roots = clearings.filter(({ authorization_id: id }) => id !== null && root_ids.includes(id));
  const chosen = state.authorizations.get(message.authorization_id ?? 0);
  return {
    authorizations: chosen?.card_id === card_id ? [chosen] : [],
    clearings: [...withReferring(clearing, clearings), ...of_roots],
  };
}

/**
 * Whether there is an act or a closing about the records of the message that the person has not seen,
 * or another act about them waits.
 */
function isOvertaken(
  { reconciliation_acts, reconciliation_approvals, reconciliation_items }: State,
  { seen_acts }: RematchLookup,
): boolean {
  if (seen_acts === undefined) return false;
  const { company_id, item_ids, records, newest_id, approval_id } = seen_acts;
  if (item_ids.some((id) => reconciliation_items.get(id)?.period_id !== null)) return true;
  const waits = reconciliation_approvals
    .values()
    .some(
      (approval) =>
        approval.id !== approval_id &&
        approval.company_id === company_id &&
        isOpenApproval(approval) &&
        recordsOfApproval(approval).some((record) => records.includes(record)),
    );
  if (waits) return true;
  return reconciliation_acts
    .values()
    .some(
      (act) =>
        act.id > newest_id &&
        act.company_id === company_id &&
        recordsOfAct(act).some((record) => records.includes(record)),
    );
}

/** Returns the clearing that a clearing message repeats, of any card. */
function copiesOf({ clearing_ids, clearings }: State, message: ClearingMessage): readonly Clearing[] {
  const id = clearing_ids.get(message.network_financial_transaction_id);
  return id === undefined ? [] : [clearings.get(id)!];
}

/** Returns the records that the matching of a clearing of this card may choose from. */
function clearingCandidates(
  state: State,
  card_id: number,
  message: ClearingMessage,
  pass: Pick<ReferencesFound, 'has_authorization' | 'now_ms'>,
): Records {
  const earlier = state.clearings.values().filter((row) => row.card_id === card_id);
  const roots = state.authorizations.values().filter((row) => row.card_id === card_id && row.root_id === row.id);
  const keys = new Set(referenceKeys(message));
  const hasKey = (row: Authorization | Clearing) => referenceKeys(row).some((key) => keys.has(key));
  const named = { authorizations: roots.filter(hasKey), clearings: earlier.filter(hasKey) };
  const search = merchantSearch(message, { roots: named.authorizations, ...pass });
  const found_roots = search === null ? [] : roots.filter((row) => isFoundRoot(search, row));
  const found = search === null ? [] : earlier.filter((row) => isFoundClearing(search, row));
  const clearings = [...named.clearings, ...found];
  return {
    authorizations: [...named.authorizations, ...found_roots],
    clearings: readsReferring(message) ? withReferring(clearings, earlier) : clearings,
  };
}

/** Adds the clearings that refer to those found, and the clearings that refer to these. */
function withReferring(found: readonly Clearing[], earlier: readonly Clearing[]): readonly Clearing[] {
  const referringTo = (clearings: readonly Clearing[]) => {
    const ids = new Set(clearings.map(({ id }) => id));
    return earlier.filter(({ clearing_id }) => clearing_id !== null && ids.has(clearing_id));
  };
  const referring = referringTo(found);
  return [...found, ...referring, ...referringTo(referring)];
}

/** Returns the id of the card that a message is about; null when the number is unknown. */
export function cardIdOf({ card_ids, cards }: State, message: Lookup): number | null {
  if (message.number_index !== null) return card_ids.get(toHex(message.number_index)) ?? null;
  const id = message.vcn_id;
  return id !== null && cards.has(id) ? id : null;
}
