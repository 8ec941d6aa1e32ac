import type { ClearingAnswer } from '../network/answer.ts';
import { isBreak, isMatched } from '../network/clearing-item.ts';
import type { AppliedRecord } from './quarantined-record.ts';

/** The quarantined record with this id, applied as the clearing that the ledger answered. */
export function appliedRecordOf(
  id: number,
  { item, duplicate: is_duplicate }: Extract<ClearingAnswer, { readonly kind: 'answered' }>,
): AppliedRecord {
  return {
    id,
    clearing_id: item.id,
    is_duplicate,
    is_matched: !is_duplicate && isMatched(item),
    is_break: !is_duplicate && isBreak(item),
  };
}

/** The same for a record that turned out to be no clearing. */
export function appliedOtherRecord(id: number): AppliedRecord {
  return { id, clearing_id: null, is_duplicate: false, is_matched: false, is_break: false };
}
