import { money } from '@tallystick/kernel';
import { utcDateAt, windowAt } from '@tallystick/velocity';
import type { Authorization } from './authorization.ts';
import { inCanonicalOrder } from './canonical-order.ts';
import { asSent, type Clearing, match_rule_by_hand, type ReplacedFields } from './clearing.ts';
import { classOf } from './clearing-class.ts';
import { effectOf, exceedsPurchase, limitAmountOf, settledRoot } from './clearing-effect.ts';
import type { LedgerCard } from './ledger.ts';
import { type Match, matchClearing } from './match.ts';
import { barredOf, chosenOf } from './match-choice.ts';
import type { MatchRule } from './match-rules.ts';
import { fillBlanks } from './net-reference-number.ts';
import { holdTaken, withoutClearings } from './root.ts';

/** A clearing with its match, its class and its effect, and its authorization after that effect. */
export interface Settlement {
  readonly clearing: Clearing;
  readonly root: Authorization | null;
}

/** What a clearing is settled against: its card after the clearings that come before it. */
export interface Before {
  readonly card: LedgerCard;
  readonly roots: readonly Authorization[];
  /** In the canonical order. */
  readonly earlier: readonly Clearing[];
  /** The window of the clearing when it belongs to no record. */
  readonly own_window_start_ms: number;
}

/** Matches one clearing and returns it with its class and effect. Changes nothing. */
export function settleClearing(before: Before, clearing: Clearing): Settlement {
  const { card, earlier, own_window_start_ms } = before;
  const message = asSent(clearing);
  const match = isFinal(clearing) ? finalMatch(before, clearing) : provisionalMatch(before, clearing);
  const { authorization: root } = match;
  const { amount, sure } = limitAmountOf(card, message, root);
  const effect = effectOf(message, match, amount, own_window_start_ms);
  return {
    clearing: {
      ...clearing,
      ...fieldsOf(message, root),
      authorization_id: root?.id ?? null,
      clearing_id: match.clearing?.id ?? null,
      match_rule: match.rule,
      review: match.review || !sure || exceedsPurchase(earlier, message, match, effect.cleared_effect),
      class: classOf({ message, match, card, clearings: earlier, amount }),
      window_start_ms: effect.window_start_ms,
      cleared_effect: money(effect.cleared_effect),
      hold_effect: money(effect.hold_effect),
      uses: effect.uses,
    },
    root: root === null ? null : settledRoot(root, message, effect),
  };
}

/** Clearings and the authorizations that they belong to, before or after they were settled. */
export interface Records {
  readonly roots: readonly Authorization[];
  readonly clearings: readonly Clearing[];
}

/**
 * Settles clearings again in the canonical order, against authorizations that no other clearing
 * belongs to. Those that `isKept` names stay as they were matched. Returns both in their new
 * states, the clearings in the canonical order.
 */
export function settleInOrder(
  card: LedgerCard,
  { roots, clearings }: Records,
  now_ms: number,
  isKept: (clearing: Clearing) => boolean = () => false,
): Records {
  const standing = roots.map((root) => withoutClearings(root, now_ms));
  const places = new Map(standing.map(({ id }, at) => [id, at]));
  const settled: Clearing[] = [];
  for (const clearing of inOrder(clearings)) {
    const own_window_start_ms = ownWindow(card, clearing);
    const before = { card, roots: standing, earlier: settled, own_window_start_ms };
    const settlement = isKept(clearing) ? keepMatch(before, clearing) : settleClearing(before, clearing);
    settled.push(settlement.clearing);
    if (settlement.root !== null) standing[places.get(settlement.root.id)!] = settlement.root;
  }
  return { roots: standing, clearings: settled };
}

/** A clearing that stays as it was matched, and its authorization after it. */
function keepMatch({ roots }: Before, clearing: Clearing): Settlement {
  const root = roots.find(({ id }) => id === clearing.authorization_id);
  return { clearing, root: root === undefined ? null : rootAfter(root, clearing) };
}

/**
 * The authorizations after these clearings, which stay as they were matched, and after no others.
 */
export function rootsAfter({ roots, clearings }: Records, now_ms: number): readonly Authorization[] {
  const after = new Map(roots.map((root) => [root.id, withoutClearings(root, now_ms)]));
  for (const clearing of inOrder(clearings)) {
    const root = clearing.authorization_id === null ? undefined : after.get(clearing.authorization_id);
    if (root !== undefined) after.set(root.id, rootAfter(root, clearing));
  }
  return [...after.values()];
}

/**
 * The window in which a clearing counts that belongs to no record: the one in which it was recorded
 * (decision: windows and holds).
 */
export function ownWindow(card: Pick<LedgerCard, 'recurring'>, clearing: OwnWindowOf): number {
  const { authorization_id, clearing_id, window_start_ms } = clearing;
  return authorization_id === null && clearing_id === null ? window_start_ms : recordedWindow(card, clearing);
}

/** The window that contains the time at which a clearing was recorded. */
export function recordedWindow(
  { recurring }: Pick<LedgerCard, 'recurring'>,
  { recorded_at_ms }: Pick<Clearing, 'recorded_at_ms'>,
): number {
  return windowAt(recurring ?? 'Continuous', recorded_at_ms).start_ms;
}

type OwnWindowOf = Pick<Clearing, 'authorization_id' | 'clearing_id' | 'window_start_ms' | 'recorded_at_ms'>;

/** Whether the match of a clearing is never made again: rules 1 and 2. */
export function isFinal({ match_rule, clearing_id }: Pick<Clearing, 'match_rule' | 'clearing_id'>): boolean {
  return match_rule <= 2 && clearing_id !== null;
}

/**
 * The canonical order. What has a final match with a clearing comes after that clearing, also when
 * an older version matched it against the order.
 */
function inOrder(clearings: readonly Clearing[]): readonly Clearing[] {
  const ordered = inCanonicalOrder(clearings);
  const by_id = new Map(ordered.map((clearing) => [clearing.id, clearing]));
  const placed = new Set<Clearing>();
  const place = (clearing: Clearing): void => {
    if (placed.has(clearing)) return;
    const target = isFinal(clearing) && clearing.clearing_id !== null ? by_id.get(clearing.clearing_id) : undefined;
    if (target !== undefined) place(target);
    placed.add(clearing);
  };
  for (const clearing of ordered) place(clearing);
  return [...placed];
}

function finalMatch({ roots, earlier }: Before, clearing: Clearing): Match {
  const referred = earlier.find(({ id }) => id === clearing.clearing_id) ?? null;
  const root_id = referred === null ? clearing.authorization_id : referred.authorization_id;
  const authorization = roots.find(({ id }) => id === root_id) ?? null;
  return { rule: clearing.match_rule as MatchRule, authorization, clearing: referred, review: false };
}

/**
 * The match by the rules, unless a person chose the authorization. A refund that a person matched
 * still refers to the clearing of that authorization that rule 7 finds.
 */
function provisionalMatch({ card, roots, earlier }: Before, clearing: Clearing): Match {
  const { choices } = clearing;
  const message = asSent(clearing);
  const match = matchClearing({
    message,
    card,
    authorizations: roots,
    clearings: earlier,
    barred: barredOf(choices),
  });
  const chosen_id = chosenOf(choices);
  const chosen = chosen_id === null ? undefined : roots.find(({ id }) => id === chosen_id);
  if (chosen === undefined) return match;
  const referred = match.authorization?.id === chosen.id ? match.clearing : null;
  return { rule: match_rule_by_hand, authorization: chosen, clearing: referred, review: false };
}

/** The authorization after a clearing that stays as it was matched. */
function rootAfter(root: Authorization, clearing: Clearing): Authorization {
  const { cleared_effect, partial } = clearing;
  const takes = clearing.cycle === 'first_presentment' && clearing.clearing_type === 'DEBIT';
  const hold_effect = takes ? holdTaken(root, cleared_effect, partial) : 0;
  return settledRoot(root, clearing, { cleared_effect, hold_effect });
}

/**
 * The fields that a matched authorization knows better than the message, and what the message said.
 */
function fieldsOf(
  { authorization_date, net_reference_number }: ReplacedFields & Pick<Clearing, keyof ReplacedFields>,
  root: Authorization | null,
): Pick<Clearing, keyof ReplacedFields | 'sent'> {
  if (root === null) return { authorization_date, net_reference_number, sent: null };
  const date = utcDateAt(root.transaction_date_time_ms);
  const reference = fillBlanks(net_reference_number, root.net_reference_number);
  const sent: ReplacedFields = {
    ...(date === authorization_date ? {} : { authorization_date }),
    ...(reference === net_reference_number ? {} : { net_reference_number }),
  };
  return {
    authorization_date: date,
    net_reference_number: reference,
    sent: Object.keys(sent).length === 0 ? null : sent,
  };
}
