import { refuseTakenClientId, type ThirdParty, type ThirdPartyStore } from '@tallystick/consents';
import { isStorable } from '@tallystick/kernel';
import type { Insertable, Selectable } from 'kysely';
import { lockForUpdate, parseOrNull, type Session, type Tables, toJsonOrNull } from '../../connection/session.ts';
import { isOneOfTexts } from '../queries/json-rows.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function thirdPartyStore(session: Session): ThirdPartyStore {
  const { db } = session;
  const thirdParties = () => db.selectFrom('tallystick_third_parties').selectAll();
  return {
    async insert(third_party) {
      const row = await db
        .insertInto('tallystick_third_parties')
        .values(toRow(third_party))
        // Waits for another transaction that inserts the same client id.
        .onConflict((conflict) => conflict.column('client_id').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw refuseTakenClientId(third_party.client_id);
      return thirdPartyOf(row);
    },

    async find(id) {
      return thirdPartyOrNull(await thirdParties().where('id', '=', id).executeTakeFirst());
    },

    async lock(id) {
      const row = await lockForUpdate(session, thirdParties().where('id', '=', id)).executeTakeFirst();
      return thirdPartyOrNull(row);
    },

    async findByClientId(client_id) {
      if (!isStorable(client_id)) return null;
      return thirdPartyOrNull(await thirdParties().where('client_id', '=', client_id).executeTakeFirst());
    },

    async findByClientIds(client_ids) {
      if (client_ids.length === 0) return [];
      const its = thirdParties().where(isOneOfTexts(session.dialect, 'client_id', client_ids.filter(isStorable)));
      return (await its.execute()).map(thirdPartyOf);
    },

    async update({ id, ...third_party }) {
      await db.updateTable('tallystick_third_parties').set(toRow(third_party)).where('id', '=', id).execute();
    },

    list(page) {
      return readNewestFirst('third_parties', thirdParties(), page, thirdPartyOf);
    },
  };
}

function toRow({
  scopes,
  redirect_uris,
  jwks,
  ...third_party
}: Omit<ThirdParty, 'id'>): Omit<Insertable<Tables['tallystick_third_parties']>, 'id'> {
  return {
    ...third_party,
    scopes: JSON.stringify(scopes),
    redirect_uris: JSON.stringify(redirect_uris),
    jwks: toJsonOrNull(jwks),
  };
}

function thirdPartyOf({
  scopes,
  redirect_uris,
  jwks,
  ...row
}: Selectable<Tables['tallystick_third_parties']>): ThirdParty {
  return {
    ...row,
    is_sandbox: Boolean(row.is_sandbox),
    scopes: JSON.parse(scopes) as ThirdParty['scopes'],
    redirect_uris: JSON.parse(redirect_uris) as ThirdParty['redirect_uris'],
    jwks: parseOrNull<NonNullable<ThirdParty['jwks']>>(jwks),
  };
}

function thirdPartyOrNull(row: Selectable<Tables['tallystick_third_parties']> | undefined): ThirdParty | null {
  return row === undefined ? null : thirdPartyOf(row);
}
