import { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { SqliteDriver } from '@mikro-orm/sql';
import type { Dialect } from '../dialect.ts';
import { described_entities } from '../entities.ts';
import { triggers } from './triggers.ts';

/**
 * The tables of the entities, what entities cannot describe, and the first rows. It follows the
 * entities until the first release, whose text then stands here unchanged.
 */
export async function tables(dialect: Dialect): Promise<readonly string[]> {
  return [...(await tablesOfEntities(dialect)), ...storage[dialect], ...triggers(dialect), ...firstRows(dialect)];
}

/** Tables without a row number of their own on SQLite: their keys are the order of their rows. */
const without_rowid = [
  'tallystick_authorization_keys',
  'tallystick_reconciliation_entries',
  'tallystick_reconciliation_cells',
  'tallystick_reconciliation_break_days',
  'tallystick_reconciliation_match_cells',
  'tallystick_reconciliation_act_records',
  'tallystick_reconciliation_approval_records',
  'tallystick_activity',
];

/** Settings of MikroORM's own connection. */
const setting = /^(set|pragma) /;

async function tablesOfEntities(dialect: Dialect): Promise<readonly string[]> {
  // Neither opens a connection.
  const options = { ...described_entities, dbName: ':memory:' };
  const orm =
    dialect === 'sqlite'
      ? await MikroORM.init({ ...options, driver: SqliteDriver })
      : await MikroORM.init({ ...options, driver: PostgreSqlDriver });
  const text = await orm.schema.getCreateSchemaSQL();
  const statements = text
    .split(/;\s*\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '' && !setting.test(statement));
  if (dialect === 'postgres') return statements;
  const isWithoutRowid = (statement: string) =>
    without_rowid.some((table) => statement.startsWith(`create table \`${table}\``));
  return statements.map((statement) => (isWithoutRowid(statement) ? `${statement} without rowid` : statement));
}

const storage: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: [],
  postgres: [
    // Room on each new page for the next versions of its rows: a change of counters then stays on
    // the page and writes none of the nine indexes.
    'alter table tallystick_virtual_cards set (fillfactor = 80)',
    // The records are encrypted, so they cannot be compressed.
    'alter table tallystick_import_batches alter column sealed set storage external',
  ],
};

const segment_size = 512;
const volume_size = 8_192;

function firstRows(dialect: Dialect): readonly string[] {
  const random = dialect === 'sqlite' ? 'lower(hex(randomblob(16)))' : "replace(gen_random_uuid()::text, '-', '')";
  return [
    // The shared defaults, which allow every MCC: a DENY rule with an empty list.
    defaultTemplate(1, 'VELOCITY'),
    defaultTemplate(2, 'AGING_VELOCITY'),
    ...(dialect === 'postgres' ? [`select setval('tallystick_purchase_templates_id_seq', 2)`] : []),
    `insert into tallystick_sandbox_clock (id, offset_ms, frozen_at_ms) values (1, 0, null)`,
    `insert into tallystick_installation (id, index_fingerprint, installation_id) values (1, null, ${random})`,
    `insert into tallystick_event_index (id, segment_size, volume_size, indexed_below, merged_below)
      values (1, ${segment_size}, ${volume_size}, 0, 0)`,
    `insert into tallystick_audit_chain (id, number, link, removed_number, removed_link, accepted_number, mac)
      values (1, 0, '', 0, '', 0, null)`,
  ];
}

function defaultTemplate(id: number, required_control: 'VELOCITY' | 'AGING_VELOCITY'): string {
  return `insert into tallystick_purchase_templates (
      id, company_id, name, description, mcc_list, mcc_rule, required_control, status, transaction_key,
      copy_from_template, customer_number, environment, created_at_ms, updated_at_ms
    ) values (
      ${id}, null, 'Allow all, ${required_control}', 'Shared default that allows every MCC', '[]', 'DENY', '${required_control}', 'ACTIVE',
      '00000000-0000-4000-8000-00000000000${id}', '${id}', '', 'live', 0, 0
    )`;
}
