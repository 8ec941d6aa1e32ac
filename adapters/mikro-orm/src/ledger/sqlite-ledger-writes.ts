import { type FileProgress, LeaseLost, type LedgerChanges, type LedgerState } from '@tallystick/cards';
import type { AuditMac } from '@tallystick/kernel';
import { auditRows } from '../schema/records/audit-rows.ts';
import { event_columns, eventRecord } from '../schema/records/event-row.ts';
import { authorization_columns, clearing_change_columns, clearing_columns } from '../schema/records/record-rows.ts';
import type { ColumnKind } from '../schema/tables/columns.ts';
import { refused_columns } from '../schema/tables/imports.ts';
import { consultation_columns } from '../schema/tables/network.ts';
import { keyChangesOf } from './key-changes.ts';
import { idsAfter } from './ledger-rows.ts';
import type { LedgerStatements } from './sqlite-ledger-statements.ts';

/** Writes what a pass changes, in its transaction. */
export function writeChanges(
  statements: LedgerStatements,
  state: LedgerState,
  changes: LedgerChanges,
  audit_mac: AuditMac,
): void {
  const ends = new Map(state.cards.map(({ id, counters }) => [id, counters.next_hold_end_ms]));
  for (const { card_id, counters } of changes.counters) {
    const { window_start_ms, held, cleared, uses, next_hold_end_ms, code_failures, code_failures_on } = counters;
    statements.update_counters.run(window_start_ms, held, cleared, uses, code_failures, code_failures_on, card_id);
    if (ends.get(card_id) !== next_hold_end_ms) statements.update_next_hold_end.run(next_hold_end_ms, card_id);
  }
  for (const { id, frozen_at_ms } of changes.cards_frozen ?? []) statements.freeze_card.run(frozen_at_ms, id);
  for (const window of changes.windows) statements.upsert_window.run(window);
  for (const authorization of changes.authorizations_inserted) {
    statements.insert_authorization.run(valuesOf(authorizations, authorization));
  }
  for (const change of changes.authorizations_changed) {
    const { id, status, authorized, held, cleared, uses, hold_end_ms, uncleared_status, uncleared_uses } = change;
    const uncleared = [uncleared_status, uncleared_uses];
    statements.update_authorization.run(status, authorized, held, cleared, uses, hold_end_ms, ...uncleared, id);
  }
  const { removed, added } = keyChangesOf(state, changes);
  for (const { card_id, key } of removed) statements.delete_key.run(card_id, key);
  for (const { card_id, id, keys } of added) {
    const values: unknown[] = [];
    for (const key of keys) values.push(card_id, key, id);
    statements.insert_keys[keys.length - 1]!.run(values);
  }
  for (const clearing of changes.clearings_inserted) {
    statements.insert_clearing.run(valuesOf(clearings, clearing));
  }
  for (const change of changes.clearings_changed) {
    statements.update_clearing.run([...valuesOf(clearing_changes, change), change.id]);
  }
  for (const event of changes.events) {
    statements.insert_event.run(valuesOf(events, eventRecord(event)));
    statements.insert_outbox.run(event.id, event.company_id, event.event_type);
  }
  writeAudit(statements, changes.audit_entries, audit_mac);
  for (const { card_id, event_id, at_ms, act } of changes.card_acts ?? []) {
    statements.insert_card_act.run(card_id, event_id, at_ms, JSON.stringify(act));
    statements.use_event_id.run(event_id, event_id);
  }
  for (const act of changes.acts ?? []) {
    const { company_id, at_ms, actor, action, item_id, subject, note, reason, request_id } = act;
    statements.insert_act.run(company_id, at_ms, actor, action, item_id, subject, note, reason, request_id);
  }
  for (const { card_id, version, state, ended_at_ms, ended_by, request_id } of changes.card_versions ?? []) {
    statements.keep_version.run(card_id, version, JSON.stringify(state), ended_at_ms, ended_by, request_id);
    statements.raise_version.run(version + 1, card_id);
  }
  for (const consultation of changes.consultations ?? []) {
    statements.keep_consultation.run(valuesOf(consultations, consultation));
  }
  for (const refused of changes.quarantined) {
    statements.keep_refused.run(['quarantined', ...valuesOf(quarantine, refused)]);
  }
  for (const unknown of changes.unknown_numbers) {
    const { number_index, last4, message, recorded_at_ms, request_id } = unknown;
    statements.insert_unknown.run(number_index, last4, JSON.stringify(message), recorded_at_ms, request_id);
  }
  if (changes.file_progress !== undefined) progressImport(statements, changes.file_progress);
}

function writeAudit(statements: LedgerStatements, entries: LedgerChanges['audit_entries'], audit_mac: AuditMac): void {
  if (entries.length === 0) return;
  const ids = idsAfter(statements.last_id.get('tallystick_audit_entries') ?? 0, entries.length);
  for (const row of auditRows(audit_mac, entries, ids)) {
    const { id, company_id, actor, action, object, request_id, source_address, details, at_ms, content_hash } = row;
    statements.insert_audit.run(
      id,
      company_id,
      actor,
      action,
      object,
      request_id,
      source_address,
      details,
      at_ms,
      content_hash,
    );
  }
}

function progressImport(statements: LedgerStatements, { batch_number, lease, ...progress }: FileProgress): void {
  const { import_id, to } = progress;
  const { token, until_machine_ms } = lease;
  const batch = to === null ? statements.remove_batch : statements.batch;
  const is_ours =
    batch.get(import_id, batch_number) !== undefined &&
    statements.progress_import.get({ ...progress, to: to ?? 0, token, until_machine_ms }) !== undefined;
  if (!is_ours) throw new LeaseLost();
}

const authorizations = Object.entries(authorization_columns);
const clearings = Object.entries(clearing_columns);
const clearing_changes = Object.entries(clearing_change_columns);
const events = Object.entries(event_columns);
const quarantine = Object.entries(refused_columns);
const consultations = Object.entries(consultation_columns);

/** The values of a record in the order of its columns, in types that SQLite accepts. */
function valuesOf(columns: readonly (readonly [string, ColumnKind | 'bytes'])[], record: object): unknown[] {
  const fields = record as Readonly<Record<string, unknown>>;
  const values: unknown[] = [];
  for (const [column, kind] of columns) {
    const value = fields[column] ?? null;
    if (value === null) values.push(null);
    else if (kind === 'json') values.push(JSON.stringify(value));
    else values.push(kind === 'boolean' ? Number(value) : value);
  }
  return values;
}
