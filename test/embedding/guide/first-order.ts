// first-order.ts
import { company_id } from './create-company.ts';
import { placeOrder } from './place-order.ts';
import { pool, tally } from './tally.ts';

const card_id = await placeOrder(company_id, 50_000);
const { last4, status } = await tally.company(company_id).cards.read(card_id);
console.log(`card ${card_id}, number ending in ${last4}: ${status}`);
await tally.close();
await pool.end();
