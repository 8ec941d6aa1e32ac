import type { Act, StatementPair } from '@tallystick/reconciliation';

/** A match of an item that a person made, to insert. */
export function newAct(company_id: number, item_id: number, pairs: readonly StatementPair[] = []): Omit<Act, 'id'> {
  return {
    company_id,
    at_ms: 5,
    actor: 'key:1',
    action: 'match',
    item_id,
    subject: {
      fingerprint: 'f',
      pairs,
      authorization: null,
      rule: null,
      confirmed: [],
      accepted: null,
      kept_line_id: null,
      approved: null,
    },
    note: 'é😀',
    reason: null,
    request_id: null,
  };
}
