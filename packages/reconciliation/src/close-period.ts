import {
  auditEntry,
  type Call,
  type Page,
  type PageRequest,
  Refusal,
  RequestFields,
  showValue,
} from '@tallystick/kernel';
import type { ActPorts, ActTx } from './act-plan.ts';
import { dateOf, daysAfter } from './calendar.ts';
import { type RecordKey, recordsOf } from './item-id.ts';
import { catchUp } from './keep-up.ts';
import { placesOf } from './open-group.ts';
import type { FrozenBatch, Period, PeriodPlace } from './ports.ts';
import { refresh } from './refresh-items.ts';
import { conflict } from './refuse-act.ts';

/**
 * A period ends with the last day that was closed (decision: reconciliation, periods).
 *
 *   closing ──all its finished items are frozen──> closed ──reopen──> reopening ──> reopened
 *
 * Items are frozen and freed in batches, so that no decision and no import waits long. When a
 * process ends in between, the same request continues. Only the newest period is reopened.
 */
export type PeriodPorts = Omit<ActPorts, 'network'>;

/** How many items one transaction looks at. */
const batch_size = 500;

/**
 * Closes the days up to `closed_through`. Freezes the matched, accepted and ignored items of the
 * period; the others stay open. Writes the audit log. A repeated request returns the period.
 * Refuses `validation_failed` a date that does not exist or is not over in UTC, and `conflict` a
 * date before the end of the newest period, or while another one is being closed or reopened.
 */
export async function closePeriod(ports: PeriodPorts, call: Call, request: object): Promise<Period> {
  const closed_through = readClosedThrough(request, call.now_ms);
  await catchUp(ports, call.company_id);
  const period = await ports.unitOfWork.run((tx) => beginClosing(tx, call, closed_through));
  if (period.status === 'closed') return period;
  let counted = { frozen: 0, open_breaks: 0 };
  let after: PeriodPlace | null = null;
  do {
    const place: PeriodPlace | null = after;
    const step: FrozenBatch = await ports.unitOfWork.run((tx) => freezeBatch(tx, call, period, place));
    counted = {
      frozen: counted.frozen + step.frozen_ids.length,
      open_breaks: counted.open_breaks + step.open_breaks,
    };
    after = step.after;
  } while (after !== null);
  return await ports.unitOfWork.run((tx) =>
    endBatches(tx, call, { ...period, ...counted, status: 'closed' }, 'closing'),
  );
}

/**
 * A clearing or line that has no partner is none for others either once it is frozen: sets that it
 * made ambiguous are recomputed.
 */
async function freezeBatch(tx: ActTx, call: Call, period: Period, after: PeriodPlace | null): Promise<FrozenBatch> {
  const { reconciliation } = tx;
  await reconciliation.lockCompany(call.company_id);
  const step = await reconciliation.freeze(period, after, batch_size);
  await refresh(tx, call, await leftoversAmong(tx, call, step.frozen_ids));
  return step;
}

/** The clearings and lines of these items that are stored as candidates of covering sets. */
async function leftoversAmong(
  { reconciliation }: ActTx,
  { company_id }: Call,
  item_ids: readonly number[],
): Promise<readonly RecordKey[]> {
  const items = await reconciliation.items(company_id, item_ids);
  const clearing_ids = items.flatMap((item) => item.clearing_ids);
  const line_ids = items.flatMap((item) => item.line_ids);
  const places = placesOf({
    clearings: await reconciliation.clearings(company_id, clearing_ids),
    lines: await reconciliation.lines(company_id, line_ids),
  });
  return (await reconciliation.entriesOf(company_id, places)).map(({ record }) => record);
}

function readClosedThrough(request: object, now_ms: number): string {
  const fields = new RequestFields(request);
  fields.require('closed_through', 'the last day of the period, YYYY-MM-DD');
  const date = fields.readDate('closed_through');
  const today = dateOf(now_ms);
  if (date !== null && date >= today) {
    const last = daysAfter(today, -1);
    fields.addProblem(
      'closed_through',
      `must be ${last} or earlier, not ${showValue(date)}: that day is not over in UTC`,
    );
  }
  fields.refuseInvalid();
  return date!;
}

async function beginClosing({ reconciliation, audit }: ActTx, call: Call, closed_through: string): Promise<Period> {
  const { company_id, actor, now_ms } = call;
  await reconciliation.lockCompany(company_id);
  const newest = await reconciliation.newestPeriod(company_id);
  if (newest !== null) {
    if (newest.closed_through === closed_through && newest.status !== 'reopening') return newest;
    if (newest.status !== 'closed') {
      const through = `period ${newest.id}, through ${newest.closed_through}`;
      throw conflict(`${through}, is ${newest.status}: send that request again to complete it`);
    }
    if (closed_through <= newest.closed_through) {
      const newest_text = `period ${newest.id} is closed through ${newest.closed_through}`;
      throw conflict(`${newest_text}: closed_through must be later than that`);
    }
  }
  const period = await reconciliation.insertPeriod({
    company_id,
    closed_through,
    status: 'closing',
    closed_at_ms: now_ms,
    closed_by: actor,
    frozen: 0,
    open_breaks: 0,
    reopened_at_ms: null,
    reopened_by: null,
  });
  const entry = auditEntry(call, 'reconciliation.period_closed', objectOf(period), { closed_through });
  await audit.record(entry, now_ms);
  return period;
}

/**
 * Ends a closing or a reopening. When another process has ended it meanwhile, the period stays as
 * that one left it.
 */
async function endBatches(
  { reconciliation }: ActTx,
  { company_id }: Call,
  ended: Period,
  from: 'closing' | 'reopening',
): Promise<Period> {
  await reconciliation.lockCompany(company_id);
  const now = await reconciliation.findPeriod(company_id, ended.id);
  if (now?.status !== from) return now ?? ended;
  await reconciliation.updatePeriod(ended);
  return ended;
}

/**
 * Reopens the newest period: its items change again, and take up what came late for them. Writes
 * the audit log. Refuses `not_found`, and `conflict` for a period that is reopened, being closed,
 * or not the newest one.
 */
export async function reopenPeriod(ports: PeriodPorts, call: Call, period_id: number): Promise<Period> {
  const period = await ports.unitOfWork.run((tx) => beginReopening(tx, call, period_id));
  for (let freed = batch_size; freed === batch_size; ) {
    freed = await ports.unitOfWork.run(async (tx) => {
      await tx.reconciliation.lockCompany(call.company_id);
      const items = await tx.reconciliation.unfreeze(period, batch_size);
      await refresh(tx, call, items.flatMap(recordsOf));
      return items.length;
    });
  }
  return await ports.unitOfWork.run((tx) => endBatches(tx, call, { ...period, status: 'reopened' }, 'reopening'));
}

async function beginReopening({ reconciliation, audit }: ActTx, call: Call, period_id: number): Promise<Period> {
  const { company_id, actor, now_ms } = call;
  await reconciliation.lockCompany(company_id);
  const period = await reconciliation.findPeriod(company_id, period_id);
  if (period === null) throw new Refusal('not_found', 'there is no period with this id');
  const newest = await reconciliation.newestPeriod(company_id);
  if (period.status === 'reopened') throw conflict(`period ${period_id} was reopened by ${period.reopened_by} already`);
  if (period.status === 'closing') {
    throw conflict(`period ${period_id} is being closed: send the request to close it again to complete it`);
  }
  if (newest?.id !== period_id) {
    throw conflict(
      `only the newest period can be reopened, and that is ${newest?.id}, closed through ${newest?.closed_through}`,
    );
  }
  if (period.status === 'reopening') return period;
  const reopening: Period = { ...period, status: 'reopening', reopened_at_ms: now_ms, reopened_by: actor };
  await reconciliation.updatePeriod(reopening);
  const details = { closed_through: period.closed_through };
  await audit.record(auditEntry(call, 'reconciliation.period_reopened', objectOf(period), details), now_ms);
  return reopening;
}

function objectOf({ id }: Period): string {
  return `reconciliation_period:${id}`;
}

/** Lists the periods of the company, the newest first. */
export function listPeriods(
  { reconciliation }: Pick<ActTx, 'reconciliation'>,
  { company_id }: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<Period>> {
  return reconciliation.listPeriods(company_id, page);
}
