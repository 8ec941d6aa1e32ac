/**
 * Inserts keys on Postgres. Its parameter is a JSON list of `{card_id, id, keys}`, where `id` is
 * that of the authorization.
 */
export const insert_keys_sql = `insert into tallystick_authorization_keys (card_id, key, authorization_id)
  select m.card_id, k.key, m.id from json_to_recordset($1::json) as m (card_id bigint, id bigint, keys json)
    cross join json_array_elements_text(m.keys) as k (key)`;
