import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** Consents of Open Banking, and the third parties that create them. */
export function consents(dialect: Dialect): readonly string[] {
  const { id, text, boolean, unique } = words(dialect);
  return [
    `create table consents (
      id ${id},
      consent_id ${text} not null,
      client_id ${text} not null,
      kind ${text} not null,
      status ${text} not null,
      created_at_ms bigint not null,
      status_updated_at_ms bigint not null,
      expiration_date_time ${text},
      expires_at_ms bigint,
      user_id ${text},
      company_id bigint,
      account_numbers ${text} not null,
      authorised_at_ms bigint,
      withdrawn_at_ms bigint,
      decided_ahead ${boolean} not null,
      deleted_at_ms bigint,
      permissions ${text},
      transaction_from_date_time ${text},
      transaction_to_date_time ${text},
      debtor_account ${text}
    )`,
    unique('consents_consent_id', 'consents', 'consent_id'),
    'create index consents_of_user on consents (user_id, id) where user_id is not null',
    `create table third_parties (
      id ${id},
      client_id ${text} not null,
      name ${text} not null,
      scopes ${text} not null,
      redirect_uris ${text} not null,
      jwks ${text},
      jwks_uri ${text},
      certificate_subject ${text},
      is_sandbox ${boolean} not null,
      status ${text} not null,
      created_at_ms bigint not null
    )`,
    unique('third_parties_client_id', 'third_parties', 'client_id'),
  ];
}
