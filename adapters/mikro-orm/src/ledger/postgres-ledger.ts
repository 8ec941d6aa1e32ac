import { CardsHeld, type Fold, LeaseLost, type Ledger, type LedgerChanges, type PassBounds } from '@tallystick/cards';
import { type AuditMac, checkDeadline, createSettleBy, type Deadline, Fault, missedDeadline } from '@tallystick/kernel';
import type { Pool, PoolClient } from 'pg';
import { closeNow } from '../connection/closing.ts';
import type { PostgresConnection } from '../connection/connection.ts';
import { faultOf, isConflict } from '../connection/faults.ts';
import { named } from '../connection/postgres/named-query.ts';
import { sendTogether } from '../connection/postgres/send-together.ts';
import { auditRows, type NewAuditRow } from '../schema/records/audit-rows.ts';
import type { PassPorts } from './ledger-rows.ts';
import { TemplateRules } from './ledger-rows.ts';
import { type Load, loadDue, loadState } from './postgres-ledger-state.ts';
import {
  codeOf,
  drawAuditIds,
  lease_lost_state,
  lock_not_available,
  missed_deadline_state,
  stillInTime,
  writes,
} from './postgres-ledger-statements.ts';

/**
 * While one pass waits for the disk or the server, the other is read, decided and sent. With more,
 * passes have fewer messages, and each pass costs as much as the decisions of ten.
 */
const passes_at_once = 2;

/** How often a pass is attempted after conflicts before it fails. */
const attempts_max = 5;

/** How long a pass without bounds waits for a card that another transaction holds. */
const held_ms_max_default = 5_000;

/**
 * The ledger on Postgres: a pass is two round trips. The first locks the cards in id order and
 * reads. Its reads follow the locks on the same connection, so each statement sees all earlier
 * commits. The second writes and commits. The statements of a round trip are one write.
 *
 * At its deadline a pass closes its connection, because the server may not answer any more. The
 * server refuses to commit what it reads after the deadline (`stillInTime`).
 */
export function postgresLedger(
  { passes: pool, runOutermost, timers }: Pick<PostgresConnection, 'passes' | 'runOutermost' | 'timers'>,
  { clock, audit_mac }: PassPorts,
): Ledger {
  const templates = new TemplateRules();
  const settleBy = createSettleBy(timers);

  async function run<Result>(load: Load, fold: Fold<Result>, bounds: PassBounds = {}): Promise<Result> {
    const place: Place = { pool, client: null, audit_mac };

    async function attempts(deadline: Deadline | undefined): Promise<Result> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runOutermost(() => transaction(place, load, fold, { ...bounds, deadline }));
        } catch (error) {
          if (!(error instanceof Fault && mayBeginAgain(error)) || attempt === attempts_max) throw error;
        }
      }
    }

    return await settleBy(bounds.deadline, attempts, () => {
      if (place.client !== null) closeNow(place.client);
    });
  }

  return {
    passes_at_once,
    /** Answers arrive in microtasks: without this wait, the next messages of their callers miss the pass. */
    gather: timers.nextTurn,
    pass: (messages, fold, bounds) => run((reads) => loadState(reads, templates, clock, messages), fold, bounds),
    passDue: (limit, fold) => run((reads) => loadDue(reads, templates, clock, limit), fold),
  };
}

/** The connection that a pass uses at present. */
interface Place {
  readonly pool: Pool;
  client: PoolClient | null;
  readonly audit_mac: AuditMac;
}

async function transaction<Result>(
  place: Place,
  load: Load,
  fold: Fold<Result>,
  { deadline, held_ms_max, onHolding }: PassBounds,
): Promise<Result> {
  const client = await place.pool.connect().catch((error: unknown) => {
    throw faultOf(error);
  });
  place.client = client;
  let folding = false;
  let broken = false;
  try {
    checkDeadline(deadline);
    onHolding?.();
    const { state, database_ms } = await load({
      client,
      // Before the deadline, so that the pass can name the cards that are held.
      held_ms_max:
        deadline === undefined
          ? (held_ms_max ?? held_ms_max_default)
          : Math.min(held_ms_max ?? Number.POSITIVE_INFINITY, 0.9 * deadline.leftMs()),
    });
    checkDeadline(deadline);
    folding = true;
    const { changes, result } = fold(state);
    folding = false;
    const audit_rows = await numberAudit(place, client, changes.audit_entries);
    // Everything is encoded before anything is sent. A failed statement turns the commit after it
    // into a rollback.
    const in_time =
      deadline === undefined || database_ms === null ? [] : [stillInTime(database_ms + deadline.leftMs())];
    const answers = await sendTogether(client, [
      ...writes(state, changes, audit_rows),
      ...in_time,
      named('ledger_commit', 'commit', []),
    ]);
    if (answers.at(-1)?.command !== 'COMMIT') throw new Fault('the transaction was rolled back', { retryable: true });
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    if (codeOf(error) === missed_deadline_state && !folding) throw missedDeadline(error);
    if (codeOf(error) === lease_lost_state && !folding) throw new LeaseLost();
    throw folding ? error : faultOf(error);
  } finally {
    place.client = null;
    client.release(broken);
  }
}

/**
 * The rows of the audit entries. Most passes have none; the others draw ids in one round trip more.
 */
async function numberAudit(
  { audit_mac }: Place,
  client: PoolClient,
  entries: LedgerChanges['audit_entries'],
): Promise<readonly NewAuditRow[]> {
  if (entries.length === 0) return [];
  const { rows } = await client.query<{ id: number }>(drawAuditIds(entries.length));
  return auditRows(
    audit_mac,
    entries,
    rows.map(({ id }) => id),
  );
}

/**
 * A unique row that another process inserted first also restarts a pass, which then sees what the
 * other recorded. So does a lock that was held and is free now.
 */
function mayBeginAgain(error: Fault): boolean {
  if (error instanceof CardsHeld) return false;
  const { cause } = error;
  return isConflict(cause) || codeOf(cause) === '23505' || codeOf(cause) === lock_not_available;
}
