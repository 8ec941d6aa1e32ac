import {
  type AccountAccessConsent,
  authorisation_ms,
  type Consent,
  type ConsentStore,
  type FundsConfirmationConsent,
} from '@tallystick/consents';
import { assert, isStorable } from '@tallystick/kernel';
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import { lockForUpdate, type Session, type Tables } from '../../connection/session.ts';
import { readNewestFirst } from '../queries/paging.ts';

export function consentStore(session: Session): ConsentStore {
  const { db } = session;
  const found = (consent_id: string) =>
    db.selectFrom('tallystick_consents').selectAll().where('consent_id', '=', consent_id);
  const ofUser = (user_id: string) => db.selectFrom('tallystick_consents').selectAll().where('user_id', '=', user_id);
  /** The rule is `hasAccess`. It is true or false of every row. */
  const hasAccessAt = (now_ms: number) => sql<SqlBool>`(status = 'Authorised' and withdrawn_at_ms is null
    and stopped_at_ms is null and tokens_revoked_at_ms is null and deleted_at_ms is null
    and (expires_at_ms is null or expires_at_ms > ${now_ms}) and authorised_at_ms is not null
    and coalesce(tokens_end_at_ms, authorised_at_ms + ${authorisation_ms}) > ${now_ms})`;
  return {
    async insert(consent) {
      const row = await db
        .insertInto('tallystick_consents')
        .values(toRow(consent))
        .returningAll()
        .executeTakeFirstOrThrow();
      return consentOf(row);
    },

    async find(consent_id) {
      if (!isStorable(consent_id)) return null;
      const row = await found(consent_id).executeTakeFirst();
      return row === undefined ? null : consentOf(row);
    },

    async lock(consent_id) {
      if (!isStorable(consent_id)) return null;
      const row = await lockForUpdate(session, found(consent_id)).executeTakeFirst();
      return row === undefined ? null : consentOf(row);
    },

    async update({ id, ...consent }) {
      await db.updateTable('tallystick_consents').set(toRow(consent)).where('id', '=', id).execute();
    },

    async stopOfClient(client_id, now_ms) {
      await db
        .updateTable('tallystick_consents')
        .set({ stopped_at_ms: now_ms })
        .where('client_id', '=', client_id)
        // As the index has it: SQLite does not use it for a parameter.
        .where(sql<SqlBool>`status = 'Authorised'`)
        .where('stopped_at_ms', 'is', null)
        .execute();
    },

    async listOfUser(user_id, page) {
      if (!isStorable(user_id)) return { items: [], next: null };
      return readNewestFirst('consents', ofUser(user_id), page, consentOf);
    },

    async listActiveOfUser(user_id, now_ms, page) {
      if (!isStorable(user_id)) return { items: [], next: null };
      const active = ofUser(user_id).where(hasAccessAt(now_ms));
      return readNewestFirst('active_consents', active, page, consentOf);
    },

    async listEndedOfUser(user_id, now_ms, page) {
      if (!isStorable(user_id)) return { items: [], next: null };
      const ended = ofUser(user_id).where(({ not }) => not(hasAccessAt(now_ms)));
      return readNewestFirst('ended_consents', ended, page, consentOf);
    },
  };
}

type NewRow = Omit<Insertable<Tables['tallystick_consents']>, 'id'>;

function toRow(consent: Omit<AccountAccessConsent, 'id'> | Omit<FundsConfirmationConsent, 'id'>): NewRow {
  const shared = { ...consent, account_numbers: JSON.stringify(consent.account_numbers) };
  if (consent.kind === 'funds_confirmation') {
    return {
      ...shared,
      permissions: null,
      transaction_from_date_time: null,
      transaction_to_date_time: null,
      debtor_account: JSON.stringify(consent.debtor_account),
    };
  }
  return { ...shared, permissions: JSON.stringify(consent.permissions), debtor_account: null };
}

function consentOf({
  kind,
  permissions,
  transaction_from_date_time,
  transaction_to_date_time,
  debtor_account,
  ...row
}: Selectable<Tables['tallystick_consents']>): Consent {
  const shared = {
    ...row,
    decided_ahead: Boolean(row.decided_ahead),
    account_numbers: JSON.parse(row.account_numbers) as readonly string[],
  };
  if (kind === 'funds_confirmation') {
    assert(debtor_account !== null, `the consent ${row.id} has no account`);
    return {
      ...shared,
      kind,
      debtor_account: JSON.parse(debtor_account) as FundsConfirmationConsent['debtor_account'],
    };
  }
  assert(permissions !== null, `the consent ${row.id} has no permissions`);
  return {
    ...shared,
    kind,
    permissions: JSON.parse(permissions) as AccountAccessConsent['permissions'],
    transaction_from_date_time,
    transaction_to_date_time,
  };
}
