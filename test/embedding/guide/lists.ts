// lists.ts
import { tally } from './tally.ts';

export async function openCards(company_id: string): Promise<readonly string[]> {
  const { cards } = tally.company(company_id);
  const filter = { status: 'Approved' } as const;
  const page = await cards.list({ limit: 10, filter });
  if (page.next !== null) await cards.list({ limit: 10, filter, after: page.next });
  const last4: string[] = [];
  for await (const card of cards.list({ filter })) last4.push(card.last4);
  return last4;
}
