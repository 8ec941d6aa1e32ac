import { toInstantText } from '@tallystick/kernel';
import {
  type Act,
  type Approval,
  type AuthorizedPurchase,
  ageOfItem,
  type Comment,
  type ExplainedItem,
  type Item,
  type ItemNames,
  type LineOfItem,
  namesOf,
  type Period,
  type Suggestion,
} from '@tallystick/reconciliation';
import { showAs } from '../fields.ts';
import { Interim } from '../operation.ts';
import { act } from './act-shapes.ts';
import { approval } from './approval-shapes.ts';
import { line } from './line-shapes.ts';
import { period } from './period-shapes.ts';
import {
  alternative,
  item,
  item_authorization,
  item_clearing,
  item_records_max,
  item_with_history,
  match,
  suggestion,
} from './shapes.ts';

export const items_path = '/v1/reconciliation/items';

/** An item as lists show it. `today` is the UTC date from which its age is counted. */
export function presentItem(found: Item, names: ItemNames, today: string, suggestions: readonly Suggestion[] = []) {
  return showAs(item, {
    ...found,
    ...names,
    account_id: names.account_number,
    pending_approval_id: names.open_approval_id === null ? null : String(names.open_approval_id),
    id: String(found.id),
    frozen_item_id: found.frozen_item_id === null ? null : String(found.frozen_item_id),
    age_days: ageOfItem(found, today),
    opened_at: toInstantText(found.opened_at_ms),
    matches: found.matches.map((one) => showAs(match, one)),
    alternatives: found.alternatives.map((one) => showAs(alternative, one)),
    suggestions: suggestions.map(presentSuggestion),
    type: 'reconciliation_item',
    url: `${items_path}/${found.id}`,
  });
}

function presentSuggestion(one: Suggestion) {
  return showAs(suggestion, { ...one, item_id: one.item_id === null ? null : String(one.item_id) });
}

/** A statement line. Its account is named by its number. */
export function presentLine({ line: found, item_id }: LineOfItem) {
  return showAs(line, {
    ...found,
    id: String(found.id),
    account_id: found.account_number,
    item_id: item_id === null ? null : String(item_id),
    type: 'reconciliation_line',
    url: `/v1/reconciliation/lines/${found.id}`,
  });
}

/** An item with what people did to it, the oldest act first. */
export function presentExplainedItem(
  {
    item,
    records,
    open_approval_id,
    statement_line,
    history,
    comments,
    suggestions,
    has_more_alternatives,
  }: ExplainedItem,
  today: string,
) {
  const listed = <Found>(found: readonly Found[]) => found.slice(0, item_records_max);
  return showAs(item_with_history, {
    ...presentItem(item, namesOf(records, open_approval_id), today, suggestions),
    lines: listed(records.lines).map((found) => presentLine({ line: found, item_id: item.id })),
    statement_line: statement_line === null ? null : presentLine(statement_line),
    clearings: listed(records.clearings).map((found) => showAs(item_clearing, found)),
    authorizations: listed(records.authorizations).map(presentAuthorized),
    has_more_alternatives,
    history: [...history.map(presentAct), ...comments.map(presentComment)].sort((a, b) =>
      a.at < b.at ? -1 : a.at > b.at ? 1 : 0,
    ),
  });
}

function presentAuthorized(found: AuthorizedPurchase) {
  return showAs(item_authorization, {
    ...found,
    amount: found.authorized,
    authorized_at: toInstantText(found.decided_at_ms),
  });
}

function presentAct(one: Act) {
  const { at_ms, item_id, subject } = one;
  const accepted_difference = subject.accepted?.amount ?? null;
  const approved_by = subject.approved?.approved_by ?? null;
  return showAs(act, { ...one, approved_by, at: toInstantText(at_ms), item_id: String(item_id), accepted_difference });
}

export function presentApproval({ request, ...found }: Approval) {
  const of_item = 'closed_through' in request ? { with: null, accept_difference: false, side: null } : request;
  const of_period = 'closed_through' in request ? request : { closed_through: null, period_id: null };
  return showAs(approval, {
    ...found,
    ...{ note: request.note, reason: request.reason },
    ...{ with: of_item.with, accept_difference: of_item.accept_difference, side: of_item.side },
    ...{ closed_through: of_period.closed_through, period_id: of_period.period_id },
    id: String(found.id),
    item_id: found.item_id === null ? null : String(found.item_id),
    asked_at: toInstantText(found.asked_at_ms),
    decided_at: found.decided_at_ms === null ? null : toInstantText(found.decided_at_ms),
    type: 'reconciliation_approval',
    url: `/v1/reconciliation/approvals/${found.id}`,
  });
}

/** The result of a call that waits for a second person. */
export function pending(found: Approval): Interim {
  return new Interim('accepted', presentApproval(found));
}

/** A comment as an entry of the history of its item. */
export function presentComment({ at_ms, actor, item_id, text: note }: Comment) {
  const said = { at: toInstantText(at_ms), actor, action: 'comment' as const, item_id: String(item_id), note };
  return showAs(act, { ...said, reason: null, accepted_difference: null, approved_by: null });
}

export function presentPeriod(closed: Period) {
  const { reopened_at_ms } = closed;
  return showAs(period, {
    ...closed,
    id: String(closed.id),
    closed_at: toInstantText(closed.closed_at_ms),
    reopened_at: reopened_at_ms === null ? null : toInstantText(reopened_at_ms),
    type: 'reconciliation_period',
  });
}
