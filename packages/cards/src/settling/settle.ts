import { money } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import { EarlierClearings } from '../matching/earlier-clearings.ts';
import { type Match, matchClearing } from '../matching/match-clearing.ts';
import type { MatchRule } from '../matching/match-rules.ts';
import { fillBlanks } from '../matching/net-reference-number.ts';
import { StandingRoots } from '../matching/standing-roots.ts';
import type { Authorization } from '../records/authorization.ts';
import type { Records } from '../records/clearing.ts';
import { asSent, type Clearing, isFinal, match_rule_by_hand, type ReplacedFields } from '../records/clearing.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { barredOf, chosenOf } from '../records/match-choice.ts';
import { inCanonicalOrder } from './canonical-order.ts';
import { classOf } from './clearing-class.ts';
import {
  effectOf,
  exceedsPurchase,
  holdTaken,
  limitAmountOf,
  settledRoot,
  withoutClearings,
} from './clearing-effect.ts';
import { ownWindow } from './past-window.ts';

/** A clearing with its match, its class and its effect, and its authorization after that effect. */
interface Settlement {
  readonly clearing: Clearing;
  readonly root: Authorization | null;
}

/** What a clearing is settled against: its card after the clearings that come before it. */
interface SettleContext {
  readonly card: LedgerCard;
  readonly roots: StandingRoots;
  readonly earlier: EarlierClearings;
  /** The window of the clearing when it belongs to no record. */
  readonly own_window_start_ms: number;
}

/** Matches one clearing and returns it with its class and effect. Changes nothing. */
export function settleClearing(context: SettleContext, clearing: Clearing): Settlement {
  const { card, earlier, own_window_start_ms } = context;
  const message = asSent(clearing);
  const match = isFinal(clearing) ? finalMatch(context, clearing) : provisionalMatch(context, clearing);
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
      review: match.review || !sure || exceedsPurchase(earlier.all, message, match, effect.cleared_effect),
      class: classOf({ message, match, card, clearings: earlier, amount }),
      window_start_ms: effect.window_start_ms,
      cleared_effect: money(effect.cleared_effect),
      hold_effect: money(effect.hold_effect),
      uses: effect.uses,
    },
    root: root === null ? null : settledRoot(root, message, effect),
  };
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
  const standing = new StandingRoots(roots.map((root) => withoutClearings(root, now_ms)));
  const earlier = new EarlierClearings();
  for (const clearing of inCanonicalOrder(clearings)) {
    const own_window_start_ms = ownWindow(card, clearing);
    const context = { card, roots: standing, earlier, own_window_start_ms };
    const settlement = isKept(clearing) ? keepMatch(context, clearing) : settleClearing(context, clearing);
    earlier.add(settlement.clearing);
    if (settlement.root !== null) standing.put(settlement.root);
  }
  return { roots: standing.all, clearings: earlier.all };
}

function keepMatch({ roots }: SettleContext, clearing: Clearing): Settlement {
  const root = roots.get(clearing.authorization_id);
  return { clearing, root: root === null ? null : rootAfter(root, clearing) };
}

/**
 * The authorizations after these clearings, which stay as they were matched, and after no others.
 */
export function rootsAfter({ roots, clearings }: Records, now_ms: number): readonly Authorization[] {
  const after = new Map(roots.map((root) => [root.id, withoutClearings(root, now_ms)]));
  for (const clearing of inCanonicalOrder(clearings)) {
    const root = clearing.authorization_id === null ? undefined : after.get(clearing.authorization_id);
    if (root !== undefined) after.set(root.id, rootAfter(root, clearing));
  }
  return [...after.values()];
}

function finalMatch({ roots, earlier }: SettleContext, clearing: Clearing): Match {
  const referred = earlier.all.find(({ id }) => id === clearing.clearing_id) ?? null;
  const root_id = referred === null ? clearing.authorization_id : referred.authorization_id;
  const authorization = roots.get(root_id);
  return { rule: clearing.match_rule as MatchRule, authorization, clearing: referred, review: false };
}

/**
 * The match by the rules, unless a person chose the authorization. A refund that a person matched
 * still refers to the clearing of that authorization that rule 7 finds.
 */
function provisionalMatch({ card, roots, earlier }: SettleContext, clearing: Clearing): Match {
  const { choices } = clearing;
  const message = asSent(clearing);
  const match = matchClearing({
    message,
    card,
    authorizations: roots,
    clearings: earlier,
    barred: barredOf(choices),
  });
  const chosen = roots.get(chosenOf(choices));
  if (chosen === null) return match;
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

/** The fields that a matched authorization replaces, and `sent`: their values in the message. */
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
