import type { ClearingAnswer } from '../network/answer.ts';
import { isBreak, isMatched } from '../network/clearing-item.ts';
import type { AppliedRecord } from './quarantined-record.ts';

/** The record as the clearing that the ledger answered. */
export function becameClearing(
  id: number,
  { item, duplicate }: Extract<ClearingAnswer, { readonly kind: 'answered' }>,
): AppliedRecord {
  const is_new = !duplicate;
  return {
    id,
    clearing_id: item.id,
    is_duplicate: duplicate,
    is_matched: is_new && isMatched(item),
    is_break: is_new && isBreak(item),
  };
}

/** The record as one that turned out to be no clearing. */
export function becameOther(id: number): AppliedRecord {
  return { id, clearing_id: null, is_duplicate: false, is_matched: false, is_break: false };
}
