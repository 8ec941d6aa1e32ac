import {
  type Authorization,
  type Clearing,
  type ClearingChange,
  type ConsultationEntry,
  type FileProgress,
  LeaseLost,
  type LedgerChanges,
  type RefusedRecord,
} from '@tallystick/cards';
import { type AuditMac, assert, Fault, toHex } from '@tallystick/kernel';
import { type State, windowKey } from '../storage/state.ts';
import { keepCardVersion } from '../stores/cards/cards.ts';
import { appendEvent } from '../stores/events/events.ts';
import { appendAuditEntry } from '../stores/operation/audit.ts';
import { actOf, insertAct } from '../stores/reconciliation/reconciliation.ts';
import { enterAuthorization, enterClearing } from './reconciliation-inbox.ts';

/**
 * Writes the changes of a pass. Rejects with a `Fault` rows that the unique indexes of a database
 * reject. Throws a `Violation` when the pass writes a row twice, or changes a row that does not
 * exist.
 */
export function writeChanges(state: State, changes: LedgerChanges, audit_mac: AuditMac): void {
  const { authorizations, cards, card_windows, unknown_numbers } = state;
  assertDistinct(changes.counters.map(({ card_id }) => card_id));
  assertDistinct(changes.windows.map(windowKey));
  assertDistinct(changes.authorizations_changed.map(({ id }) => id));
  assertDistinct(changes.clearings_changed.map(({ id }) => id));
  for (const { card_id, counters } of changes.counters) {
    const card = cards.get(card_id);
    assert(card !== undefined, `a pass changes card ${card_id}, which does not exist`);
    cards.set(card_id, { ...card, counters });
  }
  for (const { id, frozen_at_ms } of changes.cards_frozen ?? []) {
    const card = cards.get(id);
    assert(card !== undefined, `a pass freezes card ${id}, which does not exist`);
    cards.set(id, { ...card, frozen_at_ms });
  }
  for (const window of changes.windows) {
    assert(cards.has(window.card_id), `a pass writes a window of card ${window.card_id}, which does not exist`);
    card_windows.set(windowKey(window), window);
  }
  for (const authorization of changes.authorizations_inserted) {
    insertAuthorization(state, authorization);
    enterAuthorization(state, null, authorization);
  }
  for (const { id, card_id, ...change } of changes.authorizations_changed) {
    const row = authorizations.get(id);
    assert(row?.card_id === card_id, `a pass changes authorization ${id}, which card ${card_id} does not have`);
    const changed = { ...row, ...change } as Authorization;
    authorizations.set(id, changed);
    enterAuthorization(state, row, changed);
  }
  for (const clearing of changes.clearings_inserted) {
    insertClearing(state, clearing);
    enterClearing(state, null, clearing);
  }
  for (const change of changes.clearings_changed) changeClearing(state, change);
  for (const ended of changes.card_versions ?? []) {
    keepCardVersion(state, ended);
    cards.change(ended.card_id, { controls_version: ended.version + 1 });
  }
  for (const event of changes.events) appendEvent(state, event);
  for (const entry of changes.audit_entries) appendAuditEntry(state, audit_mac, entry);
  for (const act of changes.card_acts ?? []) {
    state.card_acts.set(act.event_id, act);
    state.events.use(act.event_id);
  }
  for (const act of changes.acts ?? []) insertAct(state, actOf(act));
  for (const consultation of changes.consultations ?? []) keepConsultation(state, consultation);
  for (const refused of changes.quarantined) keepRefused(state, refused);
  for (const unknown of changes.unknown_numbers) unknown_numbers.set(unknown_numbers.nextId(), unknown);
  if (changes.file_progress !== undefined) progressImport(state, changes.file_progress);
}

/** Removes a batch that is applied whole, and counts the records of the pass on their import. */
function progressImport({ imports, import_batches }: State, progress: FileProgress): void {
  const { import_id, batch_number, from, to, lease, ...counts } = progress;
  const row = imports.get(import_id);
  const batch = import_batches
    .entries()
    .find(([, one]) => one.import_id === import_id && one.kind === 'clearings' && one.number === batch_number);
  if (row?.lease?.token !== lease.token || row.applied_of_batch !== from || batch === undefined) throw new LeaseLost();
  if (to === null) import_batches.delete(batch[0]);
  imports.set(import_id, {
    ...row,
    lease,
    applied_of_batch: to ?? 0,
    applied: row.applied + counts.applied,
    duplicates: row.duplicates + counts.duplicates,
    quarantined: row.quarantined + counts.quarantined,
    matched: row.matched + counts.matched,
    breaks: row.breaks + counts.breaks,
  });
}

/** Adds to the record of the same message, or inserts one. */
function keepConsultation({ consultations }: State, entry: ConsultationEntry): void {
  const known = consultations.values().find(({ consultation_id }) => consultation_id === entry.consultation_id);
  if (known === undefined) {
    const id = consultations.nextId();
    consultations.set(id, { ...entry, id, late_answer: null, late_amount: null, late_ms: null });
  } else if (known.authorization_id === null && entry.authorization_id !== null) {
    const { asked, sent_at_ms, request_id } = known;
    consultations.set(known.id, { ...known, ...entry, asked, sent_at_ms, request_id });
  }
}

function keepRefused({ quarantine }: State, refused: RefusedRecord): void {
  const identity = toHex(refused.identity_sha256);
  const known = quarantine.values().find(({ identity_sha256 }) => toHex(identity_sha256) === identity);
  if (known === undefined) {
    const id = quarantine.nextId();
    quarantine.set(id, { ...refused, id, status: 'quarantined', applied_at_ms: null, clearing_id: null });
    return;
  }
  const { reason, explanation, last_seen_at_ms, count } = refused;
  const { source, import_id, ordinal, position } = refused.import_id === null ? known : refused;
  const place = { source, import_id, ordinal, position };
  quarantine.set(known.id, { ...known, ...place, reason, explanation, last_seen_at_ms, count: known.count + count });
}

function insertAuthorization({ authorizations }: State, row: Authorization): void {
  const is_taken = authorizations.has(row.id) || authorizations.values().some((other) => isSameMessage(other, row));
  if (is_taken) throw duplicate('authorization');
  authorizations.set(row.id, row);
}

function isSameMessage(a: Authorization, b: Authorization): boolean {
  return (
    a.card_id === b.card_id &&
    a.trace_id === b.trace_id &&
    a.message_type === b.message_type &&
    a.system_trace_audit_number === b.system_trace_audit_number &&
    a.transaction_date_time_ms === b.transaction_date_time_ms
  );
}

function changeClearing(state: State, change: ClearingChange): void {
  const { clearing_ids, clearings } = state;
  const row = clearings.get(change.id);
  assert(row?.card_id === change.card_id, `a pass changes clearing ${change.id}, which its card does not have`);
  keepTransactionIds(clearing_ids, change);
  const changed = { ...row, ...change };
  clearings.set(change.id, changed);
  enterClearing(state, row, changed);
}

function insertClearing({ clearing_ids, clearings }: State, row: Clearing): void {
  if (clearings.has(row.id)) throw duplicate('clearing');
  keepTransactionIds(clearing_ids, row);
  clearings.set(row.id, row);
}

/** Notes both ids of a clearing. No other clearing may have one of them. */
function keepTransactionIds(clearing_ids: State['clearing_ids'], clearing: Clearing | ClearingChange): void {
  for (const id of [clearing.network_financial_transaction_id, clearing.paired_transaction_id]) {
    if (id === null) continue;
    if ((clearing_ids.get(id) ?? clearing.id) !== clearing.id) throw duplicate('clearing');
    clearing_ids.set(id, clearing.id);
  }
}

function duplicate(what: string): Fault {
  return new Fault(`this ${what} is recorded already`, { retryable: false });
}

function assertDistinct(ids: readonly (number | string)[]): void {
  assert(new Set(ids).size === ids.length, 'a pass writes a row twice');
}
