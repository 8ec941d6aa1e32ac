import type { DecisionEndpoint, DecisionEndpointStore, StandInRule } from '@tallystick/cards';
import { type Selectable, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';

export function decisionEndpointStore(session: Session): DecisionEndpointStore {
  const { db } = session;
  const endpoints = () => db.selectFrom('tallystick_decision_endpoints').selectAll();

  /** What a pass of the ledger reads with the card. */
  async function raiseVersion(company_id: number, is_asked: boolean): Promise<void> {
    const changes = sql<number>`abs(endpoint_version) + 1`;
    const endpoint_version = is_asked ? changes : sql<number>`-(${changes})`;
    await db.updateTable('tallystick_companies').set({ endpoint_version }).where('id', '=', company_id).execute();
  }

  return {
    async find(company_id, options) {
      if (options?.for_update) {
        // The company, because the endpoint may not exist yet.
        const company = db.selectFrom('tallystick_companies').select('id').where('id', '=', company_id);
        await lockForUpdate(session, company).execute();
      }
      const row = await endpoints().where('company_id', '=', company_id).executeTakeFirst();
      return row === undefined ? null : endpointOf(row);
    },

    async put({ company_id, created_at_ms, stand_in, ...changing }) {
      const changed = { ...changing, stand_in: JSON.stringify(stand_in) };
      await db
        .insertInto('tallystick_decision_endpoints')
        .values({ company_id, created_at_ms, ...changed })
        .onConflict((conflict) => conflict.column('company_id').doUpdateSet(changed))
        .execute();
      await raiseVersion(company_id, changing.status === 'active');
    },

    async delete(company_id) {
      await db.deleteFrom('tallystick_decision_endpoints').where('company_id', '=', company_id).execute();
      await raiseVersion(company_id, false);
    },

    async listAfter(company_id, limit) {
      const next = endpoints().where('company_id', '>', company_id).orderBy('company_id').limit(limit);
      return (await lockForUpdate(session, next).execute()).map(endpointOf);
    },
  };
}

function endpointOf(row: Selectable<Tables['tallystick_decision_endpoints']>): DecisionEndpoint {
  return { ...row, stand_in: JSON.parse(row.stand_in) as readonly StandInRule[] };
}
