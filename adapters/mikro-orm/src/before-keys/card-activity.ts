import { type RawBuilder, sql } from 'kysely';
import type { Session } from '../connection/session.ts';

/**
 * The reads of a card's authorizations by the indexes of before `authorization_keys`, until the
 * keys of all authorizations are copied.
 */
export function activityBeforeKeys({ db }: Pick<Session, 'db'>) {
  return {
    async heldPastEnd(card_ids: readonly number[], now_ms: number): Promise<ReadonlyMap<number, number>> {
      const { rows } = await sql<{ card_id: number; held: number }>`
        select a.card_id, cast(sum(a.held) as bigint) as held
        from authorizations a join virtual_cards v on v.id = a.card_id and v.window_start_ms = a.window_start_ms
        where a.card_id in (${sql.join(card_ids)}) and a.hold_end_ms is not null and a.hold_end_ms <= ${now_ms}
          and a.status in ('open', 'partially_cleared')
        group by a.card_id`.execute(db);
      return new Map(rows.map(({ card_id, held }) => [card_id, held]));
    },

    /** The newest ids of the card `c.column1`. */
    newestIds: (limit: number): RawBuilder<unknown> =>
      sql`select n.id from authorizations n where n.card_id = c.column1 order by n.id desc limit ${limit}`,

    /** The condition and the order of a page of `authorizations a`. */
    ofPage: (card_id: number, company_id: number, after: number | null): RawBuilder<unknown> =>
      sql`a.card_id = ${card_id} and a.company_id = ${company_id}
        ${after === null ? sql`` : sql`and a.id < ${after}`} order by a.id desc`,
  };
}
