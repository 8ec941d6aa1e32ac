import { windowAt } from '@tallystick/velocity';
import { type Authorization, isStandingRoot } from '../records/authorization.ts';
import { type Clearing, isFinal } from '../records/clearing.ts';
import type { LedgerCard, PastWindow } from '../records/ledger.ts';

/** The window of a card's counters, and the length of its windows. */
export interface CardWindow extends Pick<LedgerCard, 'recurring'> {
  readonly window_start_ms: number;
}

export type WindowKey = Pick<PastWindow, 'card_id' | 'window_start_ms'>;

/**
 * The past windows whose counters a pass must load, each once: those in which a loaded
 * authorization or clearing counts, and in which a clearing was recorded that may be matched again,
 * if it is not the window of the card's counters. `windowOf` returns the start of that window, and
 * undefined for a card that the pass has not loaded. Cards with one window for ever have no past
 * windows.
 */
export function pastWindowsOf(
  authorizations: Iterable<Authorization>,
  clearings: Iterable<Clearing>,
  windowOf: (card_id: number) => CardWindow | undefined,
): readonly WindowKey[] {
  const keys: WindowKey[] = [];
  const add = ({ card_id, window_start_ms }: WindowKey) => {
    const present = windowOf(card_id);
    if (present === undefined || present.window_start_ms === window_start_ms) return;
    if (keys.some((key) => key.card_id === card_id && key.window_start_ms === window_start_ms)) return;
    keys.push({ card_id, window_start_ms });
  };
  for (const authorization of authorizations) if (isStandingRoot(authorization)) add(authorization);
  for (const clearing of clearings) {
    add(clearing);
    const card = windowOf(clearing.card_id);
    if (card === undefined || isFinal(clearing)) continue;
    add({ card_id: clearing.card_id, window_start_ms: recordedWindow(card, clearing) });
  }
  return keys;
}

/**
 * The window in which a clearing counts that belongs to no record: the one in which it was recorded
 * (decision: windows and holds).
 */
export function ownWindow(card: Pick<LedgerCard, 'recurring'>, clearing: OwnWindowOf): number {
  const { authorization_id, clearing_id, window_start_ms } = clearing;
  return authorization_id === null && clearing_id === null ? window_start_ms : recordedWindow(card, clearing);
}

export function recordedWindow(
  { recurring }: Pick<LedgerCard, 'recurring'>,
  { recorded_at_ms }: Pick<Clearing, 'recorded_at_ms'>,
): number {
  return windowAt(recurring, recorded_at_ms).start_ms;
}

type OwnWindowOf = Pick<Clearing, 'authorization_id' | 'clearing_id' | 'window_start_ms' | 'recorded_at_ms'>;
