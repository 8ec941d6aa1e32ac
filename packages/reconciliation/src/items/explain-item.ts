import { type CandidateRecords, findCandidates, isDispute } from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import type { Comment } from '../comment.ts';
import type { Alternative, Item } from '../item.ts';
import { type LineOfItem, withItems } from '../lines/read-lines.ts';
import { suggestFor } from '../suggestions/suggest.ts';
import type { Suggestion } from '../suggestions/suggestion.ts';
import { toCandidate } from './alternatives.ts';
import { isProposal } from './break-kind.ts';
import { commentsOf } from './comment-on-item.ts';
import { type NamedRecords, type NamesTx, openApprovalsOf, recordsOfItems } from './name-items.ts';
import type { SeenItem } from './read-items.ts';
import { readItem } from './read-items.ts';
import { withRivals } from './rival-sets.ts';
import { toleranceEntriesOf } from './tolerance-entries.ts';

/** How many candidate authorizations an item lists among its alternatives. */
const candidates_listed_max = 10;

const explained_clearings_max = 10;

/** An item with the authorizations that its proposed clearings may belong to, and suggestions. */
export interface ExplainedItem extends SeenItem {
  readonly records: NamedRecords;
  readonly open_approval_id: number | null;
  /** What people said about it, the oldest first. */
  readonly comments: readonly Comment[];
  /** The line `Item.statement_line_id`; null without one. */
  readonly statement_line: LineOfItem | null;
  /** What a break with a side missing may be matched with, best first. */
  readonly suggestions: readonly Suggestion[];
  /** More authorizations fit than the item lists. */
  readonly has_more_alternatives: boolean;
}

/**
 * Reads an item as `readItem` does, and lists among its alternatives the authorizations that rules
 * 3 to 6 find for its proposed clearings, other than those matched. A person picks one with
 * `match`. The history ends with what the rule `tolerance` accepts. For one item: a list does not
 * search for them. A break has its suggestions.
 */
export async function explainItem(
  tx: NamesTx,
  call: Pick<Call, 'company_id' | 'now_ms'>,
  id: number,
): Promise<ExplainedItem> {
  const { item: found_item, history: acts } = await readItem(tx, call, id);
  const item = { ...found_item, alternatives: await withRivals(tx.reconciliation, found_item) };
  const records = (await recordsOfItems(tx, item.company_id, [item])).get(item.id)!;
  const [statement_line = null] = await withItems(
    tx,
    item.company_id,
    records.statement_line === null ? [] : [records.statement_line],
  );
  const history = [...acts, ...(await toleranceEntriesOf(tx, { item, history: acts }, records))];
  const suggestions = (await suggestFor(tx.reconciliation, item.company_id, [item])).get(item.id) ?? [];
  const proposed = (isOpen(item) ? records.clearings : [])
    .filter((one) => isProposal(one) && !isDispute(one))
    .map((one) => one.id);
  const comments = await commentsOf(tx, item);
  const open_approval_id = (await openApprovalsOf(tx, item.company_id, [item])).get(item.id) ?? null;
  const explained = { open_approval_id, comments, item, records, statement_line, history, suggestions };
  if (proposed.length === 0) return { ...explained, has_more_alternatives: false };
  const explained_ids = proposed.sort((a, b) => a - b).slice(0, explained_clearings_max);
  const candidates = await tx.reconciliation.candidateRecords(item.company_id, explained_ids);
  const found = candidates
    .toSorted((a, b) => a.clearing.id - b.clearing.id)
    .flatMap((of_clearing) => candidatesOf(of_clearing, call.now_ms));
  const listed = found.slice(0, candidates_listed_max);
  const named = new Set(listed.flatMap(({ clearing_ids }) => clearing_ids));
  const others = item.alternatives.filter((one) => !isTie(one) || !named.has(one.clearing_ids[0]!));
  return {
    ...explained,
    item: { ...item, alternatives: [...listed, ...others] },
    has_more_alternatives: found.length > listed.length || proposed.length > explained_ids.length,
  };
}

function isOpen({ period_id, status }: Item): boolean {
  return period_id === null && status !== 'matched' && status !== 'awaiting';
}

/** The other authorizations of a clearing. */
function candidatesOf(records: CandidateRecords, now_ms: number): readonly Alternative[] {
  const { id, authorization_id } = records.clearing;
  return findCandidates(records, now_ms)
    .filter((candidate) => candidate.authorization_id !== authorization_id)
    .map((candidate) => toCandidate(id, candidate));
}

/** Whether the alternative stands for a tie whose authorizations are not named. */
function isTie({ authorization_id, line_ids }: Alternative): boolean {
  return authorization_id === null && line_ids.length === 0;
}
