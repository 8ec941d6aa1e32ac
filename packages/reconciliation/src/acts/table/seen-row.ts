import { recordsOfAct } from '../../act.ts';
import { fingerprintOf, type ItemMatch } from '../../item.ts';
import { itemIdOf, type RecordKey, recordsOf } from '../../item-id.ts';
import type { SeenItem } from '../../items/read-items.ts';
import type { Situation } from '../act-plan.ts';

/** The item of a row as the check of the table found it. */
export interface SeenRow {
  readonly item_id: number;
  readonly records: readonly RecordKey[];
  readonly fingerprint: string;
  /** 0: there was none. */
  readonly newest_act_id: number;
}

export function seenRowOf({ item, history }: SeenItem): SeenRow {
  return {
    item_id: item.id,
    records: recordsOf(item),
    fingerprint: fingerprintOf(item),
    newest_act_id: history.at(-1)?.id ?? 0,
  };
}

/**
 * What a row is planned from while its table is written: the item as the check found it. The rules
 * take in what the rows before have done. They may list other alternatives, or propose the item of a
 * match as part of a covering set, or make the very match that the row asks for. Null: something
 * else has changed the item.
 */
export function asSeen(situation: Situation, seen: SeenRow): Situation | null {
  const { item, history, known, request, clearings } = situation;
  if (item.period_id !== null) return null;
  const ids = new Set(seen.records.map(itemIdOf));
  const isAbout = (records: readonly number[]) => records.some((id) => ids.has(id));
  if (history.some((act) => act.id > seen.newest_act_id && isAbout(recordsOfAct(act)))) return null;
  const planned = { ...situation, known: known.withoutCoveringSets(), is_of_table: true };
  if (fingerprintOf(item) === seen.fingerprint) return planned;
  if (request.with === null) return null;
  const asked = new Set([...ids, ...recordsOf(request.with).map(itemIdOf)]);
  const lasting = item.matches.filter(({ rule }) => rule !== 'covering_set').map(recordsOfMatch);
  if (lasting.some((records) => isAbout(records) && !records.every((id) => asked.has(id)))) return null;
  const has = (kind: RecordKey['kind']) => (id: number) => ids.has(itemIdOf({ kind, id }));
  return {
    ...planned,
    item: {
      ...item,
      id: seen.item_id,
      authorization_ids: item.authorization_ids.filter(has('authorization')),
      clearing_ids: item.clearing_ids.filter(has('clearing')),
      line_ids: item.line_ids.filter(has('line')),
      matches: item.matches.filter((match) => recordsOfMatch(match).every((id) => ids.has(id))),
    },
    clearings: clearings.filter(({ id }) => has('clearing')(id)),
  };
}

/** The records that a match joins, as `itemIdOf` numbers them. */
function recordsOfMatch({ values, ...match }: ItemMatch): readonly number[] {
  const earlier_ids = typeof values.earlier_clearing_id === 'number' ? [values.earlier_clearing_id] : [];
  return [...recordsOf(match), ...recordsOf({ clearing_ids: earlier_ids })].map(itemIdOf);
}
