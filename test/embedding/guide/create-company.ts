// create-company.ts
import { tally } from './tally.ts';

const company = await tally.operator.companies.create({ name: 'Example', customer_number: '4711' });
export const company_id = company.id;
await tally.operator.realCards.create({
  company_id,
  alias: 'Travel',
  billing_currency: 'EUR',
  account_range: '555555',
});
