import { isBlank, isStorable, isWithin, maskCardNumbers, RequestFields, showValue } from '@tallystick/kernel';
import type { ActKind, ApprovedBy } from '../act.ts';
import { itemIdOf, type MatchedIds, recordsOf } from '../item-id.ts';

/** The sides of an item whose matches can be undone. */
const match_sides = ['authorization', 'statement'] as const;

export type MatchSide = (typeof match_sides)[number];

/** The most characters (code points) of a note, and of a reason. */
export const act_note_length_max = 1_000;

/** The most clearings, and the most lines, of one act. */
export const act_members_max = 100;

/** A request to act on an item, as it was read. */
export interface ActRequest {
  readonly action: ActKind;
  /** Why, in the words of the caller. Card numbers in it are masked, as in `reason`. */
  readonly note: string;
  readonly reason: string | null;
  /** The version that the person saw; null: the one at the time of the request. */
  readonly version: number | null;
  /** The records of the other side; only of a match. */
  readonly with: MatchedIds | null;
  /** Only of a match: it also accepts what is left. Then there is a reason. */
  readonly accept_difference: boolean;
  /** Only of an unmatch; null: the match that was made last. */
  readonly side: MatchSide | null;
  /** When a second person has approved the act. */
  readonly approved: ApprovedBy | null;
}

/** The ids by which the items that an act concerns are found: its own, and those of what it names. */
export function concernedIds({
  item_id,
  request,
}: {
  readonly item_id: number;
  readonly request: Pick<ActRequest, 'with'>;
}): readonly number[] {
  return request.with === null ? [item_id] : [item_id, ...recordsOf(request.with).map(itemIdOf)];
}

interface RowWords
  extends Pick<ActRequest, 'note' | 'version'>,
    Partial<Pick<ActRequest, 'with' | 'accept_difference'>> {}

/** The request of a row of a table, or of its undoing. The note is the reason for what it accepts. */
export function rowRequest(
  action: ActKind,
  { note, version, with: matched_with = null, accept_difference = false }: RowWords,
): ActRequest {
  const reason = accept_difference ? note : null;
  return { action, note, reason, version, with: matched_with, accept_difference, side: null, approved: null };
}

/**
 * Reads a request to act on an item (decision: reconciliation, actions). `note` is required;
 * `reason` and `version` are optional. A match names with what: `{ authorization_id?,
 * clearing_ids?, line_ids? }`, and with `accept_difference` it needs a `reason`. Refuses
 * (`validation_failed`) every invalid field, also those of other actions.
 */
export function readActRequest(action: ActKind, request: object): ActRequest {
  const fields = new RequestFields(request);
  fields.require('note');
  const note = readNote(fields, 'note');
  const reason = readNote(fields, 'reason');
  const version = fields.readInteger('version', { min: 1, max: Number.MAX_SAFE_INTEGER });
  if (action === 'match') fields.require('with', '{ authorization_id?, clearing_ids?, line_ids? }');
  else if (fields.has('with')) fields.addProblem('with', `is only for a match, not for ${action}`);
  const accept_difference = fields.readFlag('accept_difference') ?? false;
  if (accept_difference && action !== 'match') {
    fields.addProblem('accept_difference', `is only for a match, not for ${action}`);
  } else if (accept_difference) fields.require('reason', `why the difference is accepted, ${note_expected}`);
  const side = fields.readChoice('side', match_sides);
  if (action !== 'unmatch' && fields.has('side')) fields.addProblem('side', `is only for unmatch, not for ${action}`);
  const matched_with = action === 'match' && fields.has('with') ? readWith(fields) : null;
  fields.refuseInvalid();
  return {
    action,
    note: note!,
    reason,
    version,
    with: matched_with,
    accept_difference,
    side,
    approved: null,
  };
}

/** What a note or a reason must be, for messages. */
export const note_expected = `text of 1 to ${act_note_length_max} characters, at least one of them visible`;

/** Reads a note or a reason as it is stored. Null: there is none, or it is added to the problems. */
export function readNote(fields: RequestFields, name: 'note' | 'reason'): string | null {
  const text = fields.readText(name, isNote, note_expected);
  return text === null ? null : cleanText(text);
}

/** Whether the text can be a note or a reason. */
export function isNote(text: string): boolean {
  return isWithin(text, act_note_length_max) && !isBlank(text) && isStorable(text);
}

/** The text as it is stored. */
export function cleanText(text: string): string {
  return maskCardNumbers(text.trim());
}

const with_fields: readonly string[] = ['authorization_id', 'clearing_ids', 'line_ids'] satisfies (keyof MatchedIds)[];

function readWith(fields: RequestFields): MatchedIds | null {
  const value = fields.get('with');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fields.addProblem('with', `must be { authorization_id?, clearing_ids?, line_ids? }, not ${showValue(value)}`);
    return null;
  }
  const named = new RequestFields(value);
  for (const name of Object.keys(value)) {
    if (with_fields.includes(name)) continue;
    const path = /^[a-z_]{1,64}$/i.test(name) ? `with.${name}` : `with[${showValue(name)}]`;
    fields.addProblem(path, `is not known: ${with_fields.join(', ')} are`);
  }
  const authorization_id = named.readId('authorization_id');
  if (named.has('authorization_id') && authorization_id === null) {
    fields.addProblem('with.authorization_id', `must be an id, not ${showValue(named.get('authorization_id'))}`);
  }
  const [clearing_ids, line_ids] = [readIds(fields, named, 'clearing_ids'), readIds(fields, named, 'line_ids')];
  const is_sound = fields.areSound('with', ...with_fields.map((name) => `with.${name}`));
  if (is_sound && authorization_id === null && clearing_ids.length === 0 && line_ids.length === 0) {
    fields.addProblem('with', 'must name an authorization, clearings or lines');
  }
  return { authorization_id, clearing_ids, line_ids };
}

function readIds(fields: RequestFields, named: RequestFields, name: 'clearing_ids' | 'line_ids'): readonly number[] {
  const value = named.get(name);
  if (value === null) return [];
  if (!Array.isArray(value) || value.length === 0 || value.length > act_members_max || !value.every(isId)) {
    fields.addProblem(`with.${name}`, `must be an array of 1 to ${act_members_max} ids, positive whole numbers`);
    return [];
  }
  return [...new Set(value)].sort((a, b) => a - b);
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
