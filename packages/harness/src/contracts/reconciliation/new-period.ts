import type { Period } from '@tallystick/reconciliation';

/** A period whose closing has begun. */
export function newPeriod(company_id: number, closed_through: string): Omit<Period, 'id'> {
  return {
    company_id,
    closed_through,
    last_clearing_id: 0,
    last_line_id: 0,
    status: 'closing',
    closed_at_ms: 1,
    closed_by: 'key:1',
    frozen: 0,
    open_breaks: 0,
    reopened_at_ms: null,
    reopened_by: null,
    reopened_note: null,
    reopened_reason: null,
  };
}
