// lists.ts
import { tally } from './tally.ts';

export async function openCards(company_id: string): Promise<readonly string[]> {
  const { cards } = tally.company(company_id);
  const page = await cards.list({ limit: 10, filter: { status: 'Approved' } });
  if (page.next !== null) await cards.list({ limit: 10, filter: { status: 'Approved' }, after: page.next });
  const last4: string[] = [];
  for await (const card of cards.list({ filter: { status: 'Approved' } })) last4.push(card.last4);
  return last4;
}
