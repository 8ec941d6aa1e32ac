// cancel-order.ts
import { fromPg } from 'tallystick/tx';
import { pool, tally } from './tally.ts';

export async function cancelOrder(company_id: string, order: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const remove = 'delete from orders where id = $1 returning card_id';
    const { rows } = await client.query(remove, [order]);
    await tally.company(company_id).cards.cancel(rows[0].card_id, { tx: fromPg(client) });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
