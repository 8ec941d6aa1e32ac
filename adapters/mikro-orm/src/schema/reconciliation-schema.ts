import { defineEntity, p } from '@mikro-orm/core';
import type { RecordKind } from '@tallystick/reconciliation';

const int = () => p.bigint('number');

/**
 * Records that reconciliation has not taken into account yet. Triggers write it, so that a server
 * of an older version does, too.
 */
export const ReconciliationInbox = defineEntity({
  name: 'ReconciliationInbox',
  tableName: 'tallystick_reconciliation_inbox',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    company_id: int(),
    /** `account`: the first statement of an account changed, so more clearings need a line. */
    kind: p.text().$type<RecordKind | 'account'>(),
    record_id: int(),
  },
  indexes: [{ name: 'tallystick_reconciliation_inbox_company', properties: ['company_id', 'id'] }],
});
