import { match_rules } from '@tallystick/cards';
import type { Results } from '@tallystick/operations';
import { type Content, html, when } from '../look/html.ts';
import { link } from '../look/parts.ts';
import { badge, dash, foreign, money } from '../look/values.ts';
import type { Visit } from '../visit.ts';

export type Item = Results['reconciliation.items.list']['items'][number];
export type ItemWithHistory = Results['reconciliation.items.read'];
export type Approval = Results['reconciliation.approvals.read'];
export type Suggestion = Item['suggestions'][number];

/** The records that a match names. */
export type Records = Pick<Suggestion, 'authorization_id' | 'clearing_ids' | 'line_ids'>;

const kinds: Readonly<Record<NonNullable<Item['kind']>, readonly [title: string, meaning: string]>> = {
  late_change: ['Late change', 'A record came for an item that a closed period froze.'],
  bank_line_differs: ['Bank line differs', 'The bank reported a line that its statement has otherwise, or lacks.'],
  suspected_duplicate: ['Suspected duplicate', 'The same purchase was cleared twice.'],
  unauthorized: ['Unauthorized', 'A clearing came without an authorization.'],
  amount: ['Amount', 'The amounts of two sides differ.'],
  uncleared: ['Uncleared', 'The hold has ended without a clearing.'],
  unstated: ['Unstated', 'The bank has not booked a clearing.'],
  unexplained_line: ['Unexplained line', 'The bank booked a line for which no clearing came.'],
};

const statuses: Readonly<Record<Item['status'], readonly [title: string, tone: Parameters<typeof badge>[1]]>> = {
  break: ['Break', 'bad'],
  proposed: ['Proposed', 'info'],
  awaiting: ['Awaiting', 'quiet'],
  accepted: ['Accepted', 'ok'],
  ignored: ['Ignored', 'quiet'],
  matched: ['Matched', 'ok'],
};

export const kind_choices = Object.entries(kinds).map(([kind, [title]]) => [kind, title] as const);
export const status_choices = Object.entries(statuses).map(([status, [title]]) => [status, title] as const);

export function kindTitle(kind: Item['kind']): string {
  return kind === null ? '' : kinds[kind][0];
}

/** The kind of a break, or of what was one; nothing without a kind. */
export function kindBadge({ kind, status }: Item): Content {
  return kind === null ? '' : badge(kinds[kind][0], status === 'break' ? 'bad' : 'quiet');
}

/** What is wrong with an item, in a sentence; empty: nothing is. */
export function kindMeaning(kind: Item['kind']): string {
  return kind === null ? '' : kinds[kind][1];
}

export function statusBadge(status: Item['status']): Content {
  return badge(...statuses[status]);
}

/** The link to an item by its id. */
export function itemLink(visit: Visit, id: string | number, text: Content = `Item ${id}`): Content {
  return link(visit.path(`/items/${id}`), html`<span class="nowrap">${text}</span>`);
}

/** The merchant of an item, or the text of its line. */
export function whatOf({ merchant_name, bank_text }: Item): Content {
  return foreign(merchant_name ?? bank_text);
}

/** What made a match, by its name: `network reference`. */
export function madeBy(rule: NonNullable<Item['rule']>): string {
  if (rule === 'ard') return 'acquirer reference';
  return match_rules.find((one) => String(one.rule) === rule)?.name ?? rule.replaceAll('_', ' ');
}

/** Words of the age of a break. */
export function ageOf({ age_days }: Item): Content {
  return age_days === null ? dash : html`<span class="nowrap">${age_days === 1 ? '1 day' : `${age_days} days`}</span>`;
}

/** The difference of an item. A 0 is not shown: a side may be missing. */
export function differenceOf({ difference, currency }: Pick<Item, 'difference' | 'currency'>): Content {
  return difference === 0 ? html`<span class="quiet">– ${currency}</span>` : money(difference, currency);
}

/** The name under which the visitor takes care of items. */
export function handleOf({ identity }: Visit): string {
  return identity.actor.replace(/^person:/, '');
}

/** Records as a person writes and reads them: `line:408 clearing:45`. */
export function namesOf({ authorization_id, clearing_ids, line_ids }: Records): string {
  return [
    ...(authorization_id === null ? [] : [`authorization:${authorization_id}`]),
    ...clearing_ids.map((id) => `clearing:${id}`),
    ...line_ids.map((id) => `line:${id}`),
  ].join(' ');
}

/** What is asked for, with a link to its item. */
export function askedFor(visit: Visit, { action, item_id, closed_through }: Approval): Content {
  if (closed_through !== null) return `${action.replace('_period', ' the days through')} ${closed_through}`;
  return html`${action} ${when(item_id, (id) => itemLink(visit, id))}`;
}
