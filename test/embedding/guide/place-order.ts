// place-order.ts
import { pool, tally } from './tally.ts';

export async function placeOrder(company_id: string, amount: number): Promise<string> {
  return await tally.transaction(pool, async (tx, client) => {
    const insert = 'insert into orders (amount) values ($1) returning id';
    const { rows } = await client.query(insert, [amount]);
    const order = Number(rows[0].id);
    const card = await tally
      .company(company_id)
      .cards.issue({ total_card_amount: amount, metadata: { order } }, { tx, actor: 'order desk' });
    await client.query('update orders set card_id = $1 where id = $2', [card.id, order]);
    return card.id;
  });
}
