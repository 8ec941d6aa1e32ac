import type { Company } from '@tallystick/access';

let numbers_drawn = 0;

/** Returns a company to insert, with a customer number that no other has. */
export function companyRow(changes: Partial<Omit<Company, 'id'>> = {}): Omit<Company, 'id'> {
  numbers_drawn += 1;
  return {
    name: 'Acme',
    customer_number: `CN ${numbers_drawn}`,
    full_details_in_mail: false,
    hold_days: null,
    status: 'active',
    rate_limit_per_minute: null,
    created_at_ms: 0,
    ...changes,
  };
}
