import { showValue } from '@tallystick/kernel';
import { idsOfKind, type MatchedIds, matchedIdsOf, type RecordKey, recordsOf } from '../../item-id.ts';
import { readRecordName } from '../../record-name.ts';
import { readSuggestionCell } from '../../suggestions/suggestion-cell.ts';
import { type ActRequest, act_members_max } from '../act-request.ts';

/** The word by which a match also accepts what is left. */
const accepting_word = 'accept_difference';

export interface NamedMatch extends Pick<ActRequest, 'accept_difference'> {
  readonly with: MatchedIds;
}

/**
 * Reads the cell `with` of a row: words such as `line:408 line:409` or `suggestion:1`, separated by
 * blanks, line breaks, commas or semicolons, and `accept_difference`. A suggestion stands for the
 * records that the row's own cell `suggestions` names, which are those that the person saw. Null:
 * there is no row, and a suggestion is refused, because its number may be another one by now. Returns
 * what is wrong as a text.
 */
export function readWithCell(cell: string, suggestions: string | null): NamedMatch | string {
  const words = new Set(cell.toLowerCase().split(/[\s,;]+/));
  words.delete('');
  const accept_difference = words.delete(accepting_word);
  if (words.size === 0) return 'must also name the records of the other side, as line:408';
  const named: RecordKey[] = [];
  for (const word of words) {
    const records = word.startsWith('suggestion:')
      ? suggested(word, suggestions)
      : recordOf(word, suggestions !== null);
    if (typeof records === 'string') return records;
    named.push(...records);
  }
  const matched_with = matchedIdsOf(named);
  if (matched_with === null) {
    const authorization_ids = idsOfKind('authorization', named);
    const all = authorization_ids.map((id) => `authorization:${id}`).join(' and ');
    return `must name one authorization at most, and names ${all}`;
  }
  if (Math.max(matched_with.clearing_ids.length, matched_with.line_ids.length) > act_members_max) {
    return `must name at most ${act_members_max} clearings and ${act_members_max} lines`;
  }
  return { with: matched_with, accept_difference };
}

function recordOf(word: string, has_suggestions: boolean) {
  const record = readRecordName(word);
  if (record !== null) return [record];
  if (word.startsWith('item:')) {
    return `must name records, not items: write the authorization, clearing or line of ${showValue(word)}, as line:408`;
  }
  const words = has_suggestions ? 'clearing:45, line:408 or suggestion:1' : 'clearing:45 or line:408';
  return `must be words such as authorization:9, ${words}, separated by blanks, and ${showValue(word)} is none`;
}

function suggested(word: string, suggestions: string | null) {
  if (suggestions === null) return 'must name the records of a suggestion, as line:408';
  const known = readSuggestionCell(suggestions);
  const matched_with = known.get(Number(word.slice('suggestion:'.length)));
  if (matched_with !== undefined) return recordsOf(matched_with);
  if (known.size === 0) return `must name records: the column suggestions of the row has none for ${showValue(word)}`;
  const numbers = [...known.keys()].join(', ');
  return `must name a suggestion of the row, and ${showValue(word)} is none: its column suggestions has ${numbers}`;
}
