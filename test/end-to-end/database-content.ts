import { payloadOf } from '@tallystick/mikro-orm';
import { type Row, readRows, type ScratchDatabase } from '@tallystick/test-support';

/** Columns that two runs of the same work may give other values: ids of new rows, and times. */
const forgotten = ['id', 'import_id', 'recorded_at_ms', 'event_id', 'request_id', 'identity_sha256', 'message_sealed'];

const forgotten_times = /_at_ms$|_machine_ms$/;

/**
 * Everything that an import changes, but for ids and times: cards, authorizations, clearings with
 * what they refer to, quarantined records, events, and the imports themselves. Two databases that
 * began as copies of each other are compared by it.
 */
export async function contentOf(database: ScratchDatabase): Promise<Readonly<Record<string, readonly string[]>>> {
  const clearings = await readRows(database, 'select * from tallystick_clearings');
  const references = new Map(clearings.map((row) => [row.id, row.network_financial_transaction_id]));
  const events = await readRows<{ event_type: string; payload: string }>(
    database,
    // Breaks name items, whose ids come from those of rows, and depend on when they were looked at.
    `select event_type, payload from tallystick_events where event_type not like 'reconciliation.%'`,
  );
  return {
    virtual_cards: linesOf(
      await readRows(database, 'select id as card, held, cleared, uses from tallystick_virtual_cards'),
    ),
    authorizations: linesOf(
      await readRows(
        database,
        'select id as authorization, status, authorized, held, cleared, uses from tallystick_authorizations',
      ),
    ),
    clearings: linesOf(
      clearings.map((row) => ({
        ...row,
        clearing_id: row.clearing_id === null ? null : references.get(row.clearing_id),
      })),
    ),
    quarantine: linesOf(
      (await readRows(database, 'select * from tallystick_quarantine')).map((row) => ({ ...row, clearing_id: null })),
    ),
    events: linesOf(
      events.map(({ event_type, payload }) => {
        const { id, clearing_id, ...rest } = payloadOf(payload) as Row;
        return { event_type, ...rest };
      }),
    ),
    imports: linesOf(
      await readRows(
        database,
        'select name, format, sha256, status, bytes, records, applied, duplicates, quarantined, matched, breaks from tallystick_imports',
      ),
    ),
    batches: linesOf(await readRows(database, 'select count(*) as left_over from tallystick_import_batches')),
  };
}

function linesOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => JSON.stringify(withoutForgotten(row))).sort();
}

function withoutForgotten(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !forgotten.includes(name) && !forgotten_times.test(name)),
  );
}
