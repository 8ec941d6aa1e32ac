import { type AuditEntry, amount_max, auditEntry } from '@tallystick/kernel';
import { type Clearing, isSameClearing, type Records } from '../records/clearing.ts';
import { settleInOrder } from '../settling/settle.ts';
import type { Pass } from './pass.ts';
import { passesSumLimit, window_sum_max } from './sum-limit.ts';
import type { WorkingCard } from './working-card.ts';

/** The caller in the audit entries of matches that were made again. */
const actor = 'network';

interface SettleOptions {
  /** The states that the clearings had before the message; as they are now when absent. */
  readonly previous?: readonly Clearing[];
  /**
   * The clearings that stay as they were matched. Then records around the others may be missing, if
   * all clearings of the authorizations are there.
   */
  readonly isKept?: ((clearing: Clearing) => boolean) | undefined;
}

/**
 * Settles clearings and their authorizations in the canonical order, on the working copy. Returns
 * false, and changes nothing, when they cannot be settled: when there are too many, records around
 * them were not loaded, or a sum would be too large (docs/adr/0033).
 */
export function settleAgain(working: WorkingCard, asked: Records, { previous, isKept }: SettleOptions = {}): boolean {
  const before = stateOf(working, asked);
  const records = {
    roots: before.roots,
    clearings: asked.clearings.map((clearing) => working.clearing(clearing.id) ?? clearing),
  };
  const is_settleable = isKept === undefined ? isSettleable(working, records) : hasAllClearings(working, records);
  if (!is_settleable) return false;
  const { roots, clearings } = settleInOrder(working.card, records, working.now_ms, isKept);
  const known = new Map((previous ?? before.clearings).map((clearing) => [clearing.id, clearing]));
  const settled = { roots, clearings: clearings.map((clearing) => keepHoldEffect(known.get(clearing.id), clearing)) };
  putRecords(working, settled);
  // A window that a credit leaves rises, too.
  if (![before, settled].some((records) => passesSumLimit(working, records))) return true;
  putRecords(working, before);
  const recorded = new Set(before.clearings.map(({ id }) => id));
  for (const { id } of clearings) if (!recorded.has(id)) working.removeClearing(id);
  return false;
}

/**
 * So many clearings of the largest amount are within the bound of a sum, whatever they belong to.
 */
const clearings_max = Math.floor(window_sum_max / amount_max);

/**
 * Whether these records can be settled again: there are not too many, none around them is missing,
 * all clearings of the authorizations are among them, and all records that the clearings refer to.
 */
export function isSettleable(working: WorkingCard, records: Records): boolean {
  const { roots, clearings } = records;
  if (working.is_cut) return false;
  const root_ids = new Set(roots.map(({ id }) => id));
  const clearing_ids = new Set(clearings.map(({ id }) => id));
  const isKnown = ({ authorization_id, clearing_id }: Clearing) =>
    (authorization_id === null || root_ids.has(authorization_id)) &&
    (clearing_id === null || clearing_ids.has(clearing_id));
  return clearings.every(isKnown) && hasAllClearings(working, records);
}

/** Whether there are not too many clearings, and none of the authorizations is missing. */
export function hasAllClearings(working: WorkingCard, { roots, clearings }: Records): boolean {
  if (clearings.length > clearings_max) return false;
  const cleared = new Map<number | null, number>();
  for (const { authorization_id: id, cleared_effect } of clearings) {
    cleared.set(id, (cleared.get(id) ?? 0) + cleared_effect);
  }
  return roots.every((root) => (cleared.get(root.id) ?? 0) === (working.entry(root.id)?.now ?? root).cleared);
}

export function stateOf(working: WorkingCard, { roots, clearings }: Records): Records {
  return {
    roots: roots.flatMap(({ id }) => {
      const entry = working.entry(id);
      return entry === undefined ? [] : [{ ...entry.now }];
    }),
    clearings: clearings.flatMap(({ id }) => working.clearing(id) ?? []),
  };
}

/** The items, and those of the others with another id. */
export function joined<Item extends { readonly id: number }>(
  items: readonly Item[],
  others: readonly Item[],
): readonly Item[] {
  const ids = new Set(items.map(({ id }) => id));
  return [...items, ...others.filter(({ id }) => !ids.has(id))];
}

/** Replaces the states of these records on the working copy. */
export function putRecords(working: WorkingCard, { roots, clearings }: Records): void {
  for (const root of roots) working.settle(root);
  for (const clearing of clearings) if (working.clearing(clearing.id) !== clearing) working.putClearing(clearing);
}

/**
 * A clearing that differs only in what it took from a hold stays as it is: the hold may have ended
 * since. So does what it took when only a person chose the match that it has.
 */
function keepHoldEffect(previous: Clearing | undefined, next: Clearing): Clearing {
  if (previous === undefined) return next;
  const { hold_effect, match_rule, review, choices } = previous;
  if (isSameClearing(previous, { ...next, hold_effect })) return previous;
  return isSameClearing(previous, { ...next, hold_effect, match_rule, review, choices })
    ? { ...next, hold_effect }
    : next;
}

/** Records in the audit log what changed of clearings that had been matched before. */
export function auditChanges(
  pass: Pass,
  working: WorkingCard,
  before: readonly Clearing[],
  request_id: string | null,
): void {
  const { company_id } = working.card;
  for (const previous of before) {
    const now = working.clearing(previous.id)!;
    if (isSameClearing(previous, now)) continue;
    const details = { from: matchOf(previous), to: matchOf(now) };
    const entry = auditEntry(
      { company_id, actor, request_id },
      'clearing.rematched',
      `clearing:${previous.id}`,
      details,
    );
    pass.audit_entries.push({ ...entry, at_ms: pass.now_ms });
  }
}

/** The match of a clearing as the audit log shows it. */
export function matchOf({
  match_rule,
  authorization_id,
  clearing_id,
  class: clearing_class,
}: Clearing): AuditEntry['details'] {
  return { match_rule, authorization_id, clearing_id, class: clearing_class };
}
