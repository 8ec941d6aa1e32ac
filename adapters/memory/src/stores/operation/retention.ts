import { isSettled, reduceAuthorization, reduceClearing } from '@tallystick/cards';
import { mayBeRemoved } from '@tallystick/consents';
import {
  type ArchivedRow,
  type AuditMac,
  isGenuineChain,
  purgeableAuditEntries,
  type RetentionBatch,
  type RetentionBounds,
  type RetentionKind,
  type RetentionStore,
  retention_batch_max,
  signAuditChain,
  walked_kinds,
} from '@tallystick/kernel';
import type { State } from '../../storage/state.ts';
import type { Table } from '../../storage/table.ts';
import { dropDelivery } from '../webhooks/deliveries.ts';
import { sealedAuditRows } from './audit.ts';

/** A row with what decides whether it may go. */
interface Candidate {
  readonly id: number;
  readonly row: object;
  readonly at_ms: number;
  /** It must stay, whatever its age. */
  readonly is_needed: boolean;
  remove(): void;
}

export function retentionStore(state: State, audit_mac: AuditMac): RetentionStore {
  return {
    async claim(kind, lease, now_ms) {
      const known = state.retention.get(kind);
      if (known?.lease && known.lease.until_machine_ms > lease.machine_ms) return null;
      const progress = known ?? { after_id: 0, left_id: null, began_at_ms: now_ms };
      const { after_id, left_id, began_at_ms } = state.retention.set(kind, { ...progress, lease });
      return { after_id, left_id, began_at_ms };
    },

    async progress(kind) {
      const known = state.retention.get(kind);
      if (known === undefined) return null;
      const { lease: _, ...progress } = known;
      return progress;
    },

    async due(kind, bounds, after): Promise<RetentionBatch> {
      if (kind === 'audit_entries') return dueAuditEntries(state, bounds, after);
      const all = candidatesOf(state, kind, bounds);
      if (!walked_kinds.has(kind)) {
        const old = all.filter(({ at_ms, is_needed }) => at_ms < bounds.before_ms && !is_needed);
        const rows = old.sort((a, b) => a.at_ms - b.at_ms).slice(after, after + retention_batch_max);
        const is_last = rows.length < retention_batch_max;
        return { rows: rows.map(archived), after: after + rows.length, left_id: null, is_last };
      }
      const next = all.filter(({ id }) => id > after).sort((a, b) => a.id - b.id);
      const batch = next.slice(0, retention_batch_max);
      const young = batch.findIndex(({ at_ms }) => at_ms >= bounds.before_ms);
      const old = young === -1 ? batch : batch.slice(0, young);
      return {
        rows: old.filter(({ is_needed }) => !is_needed).map(archived),
        after: old.at(-1)?.id ?? after,
        left_id: old.find(({ is_needed }) => is_needed)?.id ?? null,
        is_last: old.length < retention_batch_max,
      };
    },

    async remove(kind, bounds, rows) {
      if (kind === 'audit_entries') return removeAuditEntries(state, audit_mac, bounds, rows);
      const wanted = new Set(rows.map((row) => JSON.stringify(keyOf(row))));
      const going = candidatesOf(state, kind, bounds).filter(
        ({ row, at_ms, is_needed }) =>
          wanted.has(JSON.stringify(keyOf(row as ArchivedRow))) && at_ms < bounds.before_ms && !is_needed,
      );
      for (const one of going) one.remove();
      return going.length;
    },

    async save(kind, lease, progress) {
      if (state.retention.get(kind)?.lease?.token !== lease.token) return false;
      state.retention.set(kind, { ...progress, lease });
      return true;
    },

    async release(kind, { token }) {
      const known = state.retention.get(kind);
      if (known?.lease?.token === token) state.retention.set(kind, { ...known, lease: null });
    },
  };
}

function keyOf({ id, delivery_id, number }: ArchivedRow): unknown {
  return id ?? [delivery_id, number];
}

function archived({ row }: Candidate): ArchivedRow {
  return row as ArchivedRow;
}

/** The oldest sealed entries, until one is too young. */
function dueAuditEntries(state: State, { before_ms }: RetentionBounds, after: number): RetentionBatch {
  const next = sealedAuditRows(state).slice(after, after + retention_batch_max);
  const young = next.findIndex(({ at_ms }) => at_ms >= before_ms);
  const old = young === -1 ? next : next.slice(0, young);
  const rows = old.map((row) => ({ ...row, details: JSON.parse(row.details) }));
  return { rows, after: after + old.length, left_id: null, is_last: old.length < retention_batch_max };
}

function removeAuditEntries(
  state: State,
  mac: AuditMac,
  { before_ms }: RetentionBounds,
  rows: readonly ArchivedRow[],
): number {
  const row = state.audit_chain.get(1);
  if (row === undefined || !isGenuineChain(mac, row, true)) return 0;
  const wanted = new Set(rows.map(({ id }) => id));
  const oldest = sealedAuditRows(state).slice(0, rows.length);
  const { ids, chain } = purgeableAuditEntries(
    mac,
    row,
    oldest,
    ({ id, at_ms }) => wanted.has(id) && at_ms < before_ms,
  );
  for (const id of ids) {
    state.audit.delete(id);
    state.audit_hashes.delete(id);
  }
  state.audit_chain.set(1, signAuditChain(mac, chain));
  return ids.length;
}

function candidatesOf(
  state: State,
  kind: Exclude<RetentionKind, 'audit_entries'>,
  bounds: RetentionBounds,
): Candidate[] {
  const { authorizations, cards, clearings, deliveries, delivery_attempts, events, mails, outbox } = state;
  const { authorisation_records, consents } = state;
  const heldBy = (id: number | null) => (id === null ? 0 : (authorizations.get(id)?.held ?? 0));
  switch (kind) {
    case 'delivery_attempts':
      return of(delivery_attempts, (row) => ({ at_ms: row.at_ms }));
    case 'deliveries':
      return deliveries.entries().map(([id, row]) => {
        const at_ms = row.finished_at_ms ?? Number.POSITIVE_INFINITY;
        return { id, row, at_ms, is_needed: row.state === 'pending', remove: () => dropDelivery(state, id) };
      });
    case 'events': {
      const delivered = new Set(deliveries.values().map(({ event_id }) => event_id));
      const positions = state.subscriptions.values().map(({ after_id }) => after_id);
      return of(events, ({ id, created_at_ms }) => ({
        at_ms: created_at_ms,
        is_needed: outbox.has(id) || delivered.has(id) || positions.some((after_id) => after_id < id),
      }));
    }
    case 'mails':
      return of(mails, ({ state: its, finished_at_ms }) => ({
        at_ms: finished_at_ms ?? Number.POSITIVE_INFINITY,
        is_needed: its !== 'sent',
      }));
    case 'consents': {
      const asked = new Set(authorisation_records.values().map(({ consent_id }) => consent_id));
      return of(consents, (row) => ({
        at_ms: row.created_at_ms,
        is_needed: !mayBeRemoved(row) || asked.has(row.consent_id),
      }));
    }
    case 'authorizations':
      return authorizations.entries().map(([id, row]) => {
        const held = Math.max(row.held, heldBy(row.root_id));
        const { recurring } = cards.get(row.card_id)!;
        const question = { record: row, at_ms: row.decided_at_ms, recurring, held };
        const remove = () => void authorizations.set(id, reduceAuthorization(row, bounds.now_ms));
        return { id, row, at_ms: row.decided_at_ms, is_needed: !isSettled(question, bounds), remove };
      });
    case 'clearings':
      return clearings.entries().map(([id, row]) => {
        const { recurring } = cards.get(row.card_id)!;
        const question = { record: row, at_ms: row.recorded_at_ms, recurring, held: heldBy(row.authorization_id) };
        const remove = () => void clearings.set(id, reduceClearing(row, bounds.now_ms));
        return { id, row, at_ms: row.recorded_at_ms, is_needed: !isSettled(question, bounds), remove };
      });
  }
}

function of<Row extends object>(
  table: Table<Row>,
  ask: (row: Row) => { readonly at_ms: number; readonly is_needed?: boolean },
): Candidate[] {
  return table
    .entries()
    .map(([id, row]) => ({ id, row, is_needed: false, ...ask(row), remove: () => table.delete(id) }));
}
