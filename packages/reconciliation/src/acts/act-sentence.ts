import { toInstantText } from '@tallystick/kernel';
import type { Act, ActKind } from '../act.ts';
import type { Item } from '../item.ts';
import { recordsOf } from '../item-id.ts';

const past_tense: Readonly<Record<ActKind, string>> = {
  match: 'matched',
  unmatch: 'unmatched',
  ignore: 'ignored',
  accept: 'accepted',
  confirm: 'confirmed',
  reopen: 'reopened',
};

/** The action of the audit entry of an act: `reconciliation.matched`. */
export function auditActionOf(action: ActKind): string {
  return `reconciliation.${past_tense[action]}`;
}

/** Who did what when, and why: a clause for people. */
export function describeAct({ action, actor, at_ms, note, reason, subject }: Act): string {
  // Of a row of a table the note is the reason too.
  const because = reason === null || reason === note ? '' : `, reason ${JSON.stringify(reason)}`;
  const who = subject.approved === null ? actor : `${actor}, approved by ${subject.approved.approved_by},`;
  return `${who} ${past_tense[action]} it at ${toInstantText(at_ms)} (${JSON.stringify(note)}${because})`;
}

/** The records of an item: a clause for people. */
export function describeMembers(item: Item): string {
  const named = recordsOf(item).map(({ kind, id }) => `${kind} ${id}`);
  const shown = named.slice(0, shown_members_max).join(', ');
  return named.length > shown_members_max ? `${shown} and ${named.length - shown_members_max} more` : shown;
}

const shown_members_max = 6;
