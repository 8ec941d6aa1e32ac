import type { Dialect } from '../dialect.ts';
import { type Look, startBackfill } from './start-backfill.ts';
import { words } from './words.ts';

/**
 * The progress of backfills (src/backfill), and one tree of keys in place of five indexes. Keys of
 * stored authorizations are copied beside the service; without any the indexes are dropped at once.
 */
export async function authorizationKeys(dialect: Dialect, look: Look): Promise<readonly string[]> {
  const { text } = words(dialect);
  const last_id = await look.largest('authorizations', 'id');
  return [
    `create table backfills (
      name ${text} not null primary key,
      state ${text} not null,
      checkpoint bigint not null,
      until bigint not null,
      copied_at_ms bigint
    )`,
    `create table authorization_keys (
      card_id bigint not null,
      "key" ${text} not null,
      authorization_id bigint not null,
      primary key (card_id, "key")
    )${dialect === 'sqlite' ? ' without rowid' : ''}`,
    startBackfill('authorization-keys', last_id),
    ...(last_id === 0 ? dropIndexes(dialect) : []),
    // Room on each new page for the next versions of its rows: a change of counters then stays on
    // the page and writes none of the nine indexes.
    ...(dialect === 'postgres' ? ['alter table virtual_cards set (fillfactor = 80)'] : []),
  ];
}

function dropIndexes(dialect: Dialect): readonly string[] {
  return [
    'drop index authorizations_page',
    'drop index authorizations_approval',
    'drop index authorizations_network_reference',
    'drop index authorizations_aging',
    dialect === 'sqlite'
      ? 'drop index authorizations_message'
      : 'alter table authorizations drop constraint authorizations_message',
  ];
}
