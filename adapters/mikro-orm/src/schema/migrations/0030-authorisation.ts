import type { Dialect } from '../dialect.ts';
import { words } from './words.ts';

/** The records of the authorisation server. */
export function authorisation(dialect: Dialect): readonly string[] {
  const { id, text, bytes, unique } = words(dialect);
  const indexOf = (name: string, column: string) =>
    `create index authorisation_records_${name} on authorisation_records (${column}) where ${column} is not null`;
  return [
    `create table authorisation_records (
      id ${id},
      model ${text} not null,
      id_hash ${text} not null,
      payload_sealed ${bytes} not null,
      client_id ${text},
      consent_id ${text},
      user_id ${text},
      grant_id ${text},
      expires_at_ms bigint,
      ends_by ${text} not null,
      consumed_at_ms bigint
    )`,
    unique('authorisation_records_key', 'authorisation_records', 'model, id_hash'),
    indexOf('client', 'client_id'),
    indexOf('consent', 'consent_id'),
    indexOf('grant', 'grant_id'),
    indexOf('age', 'expires_at_ms'),
  ];
}
