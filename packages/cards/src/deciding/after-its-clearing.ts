import { money } from '@tallystick/kernel';
import { type Authorization, type AuthorizationMessage, isStandingRoot } from '../records/authorization.ts';
import { type Clearing, isFinal, type Records } from '../records/clearing.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { ownWindow } from '../settling/past-window.ts';
import { rootsAfter, settleInOrder } from '../settling/settle.ts';
import type { Pass } from '../working/pass.ts';
import { auditChanges, isSettleable, joined, putRecords, settleAgain, stateOf } from '../working/settle-again.ts';
import type { WorkingCard } from '../working/working-card.ts';
import type { AuthorizationOutcome } from './answer.ts';

/** The clearings of an authorization that came before it. */
export interface OwnClearings {
  /** The earliest window in which one of them was recorded. Reversals and disputes do not count. */
  readonly window_start_ms: number;
  /** The approval code of the first that the network reference settles; null when it has none. */
  readonly approval_code: string | null;
}

interface DecisionSteps {
  /** The authorization that it changes as the clearings are now; null when there is none. */
  readonly target: () => Authorization | null;
  /** The root that it would be if it were approved as one now; null when it cannot be one. */
  readonly asRoot: () => Authorization | null;
  readonly fold: (own: OwnClearings | null) => AuthorizationOutcome;
}

/**
 * Decides an authorization message on a card that has clearings. The message is decided with the
 * effects of its own clearings taken out: those of the authorization that it changes, or those that
 * came before their authorization, which it is. Then the clearings that it concerns are settled
 * again in the canonical order, with an audit entry for each that changes (clearing files:
 * matching). A message that is declined leaves them as they were.
 */
export function foldBesideClearings(
  pass: Pass,
  working: WorkingCard,
  message: AuthorizationMessage,
  steps: DecisionSteps,
): AuthorizationOutcome {
  const found = steps.target();
  for (const target of found === null ? tracedRoots(working, message) : [found]) {
    const concerned = working.around({ roots: [target] });
    if (!isSettleable(working, concerned)) continue;
    const before = stateOf(working, concerned);
    if (concerned.clearings.length > 0) {
      takeOut(working, before, ({ authorization_id }) => authorization_id === target.id);
      const is_target = steps.target()?.id === target.id;
      if (!is_target) putRecords(working, before);
      if (!is_target && found === null) continue;
    } else if (found === null) continue;
    const answer = steps.fold(null);
    if (recordedBy(working, message, answer) === null) putRecords(working, before);
    else settleAround(pass, working, message, { target, before });
    return answer;
  }
  const root = steps.asRoot();
  return root === null ? steps.fold(null) : foldNewRoot(pass, working, message, { root, fold: steps.fold });
}

/**
 * Settles the clearings again that an authorization concerned before it was changed, and those that
 * it concerns since: its amount may fit others now. All of them stay as they were matched when they
 * cannot be settled.
 */
function settleAround(
  pass: Pass,
  working: WorkingCard,
  message: AuthorizationMessage,
  { target, before }: { readonly target: Authorization; readonly before: Records },
): void {
  const since = working.around({ roots: [target] });
  const all = { roots: joined(before.roots, since.roots), clearings: joined(before.clearings, since.clearings) };
  if (all.clearings.length === 0) return;
  const previous = all.clearings;
  if (!settleAgain(working, all, { previous })) putBack(working, before);
  auditChanges(pass, working, previous, message.request_id);
}

/**
 * The authorizations that the message may be about by its trace id, the newest first: a clearing may
 * have closed one. To a request that is no increment a known trace id means nothing.
 */
function tracedRoots(
  working: WorkingCard,
  { message_type, incremental, trace_id }: AuthorizationMessage,
): readonly Authorization[] {
  if (message_type === '0100' && !incremental) return [];
  const traced = working.findByTraceId(trace_id).map(({ now }) => now);
  return traced.filter(isStandingRoot).reverse();
}

/** Decides a message that becomes an authorization of its own if it is approved. */
function foldNewRoot(
  pass: Pass,
  working: WorkingCard,
  message: AuthorizationMessage,
  { root, fold }: Pick<DecisionSteps, 'fold'> & { readonly root: Authorization },
): AuthorizationOutcome {
  const concerned = working.aroundNew({ root });
  if (concerned.clearings.length === 0 || !isSettleable(working, concerned)) return fold(null);
  const before = stateOf(working, concerned);
  const own = ownClearings(working, before, root);
  if (own.length > 0) {
    const ids = new Set(own.map(({ id }) => id));
    takeOut(working, before, ({ id }) => ids.has(id));
  }
  const answer = fold(own.length === 0 ? null : summaryOf(working.card, own));
  const recorded = recordedBy(working, message, answer);
  const roots = recorded === null ? null : [...concerned.roots, recorded];
  const is_settled =
    roots !== null && settleAgain(working, { roots, clearings: concerned.clearings }, { previous: before.clearings });
  if (!is_settled) putRecords(working, before);
  auditChanges(pass, working, before.clearings, message.request_id);
  return answer;
}

/** The row that the message recorded; null when it was refused or declined, or is not decided yet. */
function recordedBy(
  working: WorkingCard,
  { trace_id }: AuthorizationMessage,
  answer: AuthorizationOutcome,
): Authorization | null {
  if (answer.kind !== 'answered') return null;
  const recorded = working.findByTraceId(trace_id).at(-1)?.now;
  return recorded === undefined || recorded.status === 'declined' ? null : recorded;
}

/**
 * The clearings that would belong to the authorization, in the windows in which they count now,
 * with the rules that lead to it. A request takes the approval code of the first that its reference
 * settles, and has those that belong to it with this code.
 */
function ownClearings(working: WorkingCard, { roots, clearings }: Records, root: Authorization): readonly Clearing[] {
  const own = (approval_code: string | null) => {
    const records = { roots: [...roots, { ...root, approval_code }], clearings };
    const settled = settleInOrder(working.card, records, working.now_ms).clearings;
    return settled.filter(({ authorization_id }) => authorization_id === root.id);
  };
  const found = own(root.approval_code);
  const code = root.approval_code === null ? codeOf(found) : null;
  const rules = new Map((code === null ? found : own(code)).map(({ id, match_rule }) => [id, match_rule]));
  return clearings.flatMap((clearing) => {
    const match_rule = rules.get(clearing.id);
    return match_rule === undefined ? [] : [{ ...clearing, match_rule }];
  });
}

function codeOf(own: readonly Clearing[]): string | null {
  return own.find(({ match_rule, approval_code }) => match_rule === 3 && approval_code !== null)?.approval_code ?? null;
}

function summaryOf(card: LedgerCard, own: readonly Clearing[]): OwnClearings {
  const windows = own.filter((clearing) => !isFinal(clearing)).map((clearing) => ownWindow(card, clearing));
  return {
    window_start_ms: Math.min(...windows),
    approval_code: codeOf(own),
  };
}

/** Takes the effects of clearings out. The others stay as they were matched. */
function takeOut(working: WorkingCard, { roots, clearings }: Records, isAsked: (clearing: Clearing) => boolean): void {
  const [none, no_uses] = [money(0), 0] as const;
  const taken = clearings.filter(isAsked);
  const rest = clearings.filter((clearing) => !isAsked(clearing));
  const idle = taken.map((clearing) => ({
    ...clearing,
    cleared_effect: none,
    hold_effect: none,
    uses: no_uses,
  }));
  putRecords(working, { roots: rootsAfter({ roots, clearings: rest }, working.now_ms), clearings: idle });
}

/** Puts clearings back as they were matched, with their effects on the authorizations as these are now. */
function putBack(working: WorkingCard, { roots, clearings }: Records): void {
  const changed = stateOf(working, { roots, clearings: [] }).roots;
  putRecords(working, { roots: rootsAfter({ roots: changed, clearings }, working.now_ms), clearings });
}
