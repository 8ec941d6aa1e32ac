import { showDecimal } from '@tallystick/kernel';
import type { MatchWith } from '../acts/act-request.ts';
import { readRecordName, recordNamesOf } from '../record-name.ts';
import { describeDays } from './compare-records.ts';
import type { Suggestion } from './suggestion.ts';

/**
 * The cell of a table that lists suggestions:
 * `1 = line:408 (3.33 on 2030-03-22, 2 days later); 2 = line:409 (3.30 on 2030-03-20, on the same day)`.
 */
export function suggestionCell(suggestions: readonly Suggestion[], currency: string): string {
  return suggestions.map((one) => `${one.number} = ${describeSuggestion(one, currency)}`).join('; ');
}

function describeSuggestion(suggestion: Suggestion, currency: string): string {
  const { amount, date, differs } = suggestion;
  return `${suggestedNames(suggestion)} (${showDecimal(amount, currency)} on ${date}, ${describeDays(differs.days)})`;
}

/** The names of the suggested records, as the column `with` takes them. */
export function suggestedNames(suggestion: Suggestion): string {
  return recordNamesOf({ ...suggestion, authorization_ids: authorizationIds(suggestion) });
}

/**
 * The records of each suggestion of a cell that `suggestionCell` wrote, by its number. What does not
 * read as a suggestion is left out. Only numbers and names are read, so a person or a spreadsheet
 * may have changed the rest.
 */
export function readSuggestionCell(cell: string): ReadonlyMap<number, MatchWith> {
  const found = new Map<number, MatchWith>();
  for (const [, number, names] of cell.matchAll(/(?:^|[;\s])([1-9]\d?)\s*=\s*((?:[a-z]+:\d+\s*)+)/g)) {
    const records = names!.trim().split(/\s+/).map(readRecordName);
    const idsOf = (kind: string) => records.flatMap((record) => (record?.kind === kind ? record.id : []));
    const [authorization_ids, clearing_ids, line_ids] = [idsOf('authorization'), idsOf('clearing'), idsOf('line')];
    const is_sound = !records.includes(null) && authorization_ids.length <= 1 && !found.has(Number(number));
    if (is_sound) {
      found.set(Number(number), { authorization_id: authorization_ids[0] ?? null, clearing_ids, line_ids });
    }
  }
  return found;
}

function authorizationIds({ authorization_id }: Suggestion): readonly number[] {
  return authorization_id === null ? [] : [authorization_id];
}
