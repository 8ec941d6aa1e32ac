import { showDecimal } from '@tallystick/kernel';
import { type MatchedIds, matchedIdsOf } from '../item-id.ts';
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
  return `${recordNamesOf(suggestion)} (${showDecimal(amount, currency)} on ${date}, ${describeDays(differs.days)})`;
}

/**
 * The records of each suggestion of a cell that `suggestionCell` wrote, by its number. What does not
 * read as a suggestion is left out. Only numbers and names are read, so a person or a spreadsheet
 * may have changed the rest.
 */
export function readSuggestionCell(cell: string): ReadonlyMap<number, MatchedIds> {
  const found = new Map<number, MatchedIds>();
  for (const [, number, names] of cell.matchAll(/(?:^|[;\s])([1-9]\d?)\s*=\s*((?:[a-z]+:\d+\s*)+)/g)) {
    const records = names!.trim().split(/\s+/).map(readRecordName);
    const known = records.filter((record) => record !== null);
    const matched_with = matchedIdsOf(known);
    const is_sound = known.length === records.length && matched_with !== null && !found.has(Number(number));
    if (is_sound) found.set(Number(number), matched_with);
  }
  return found;
}
