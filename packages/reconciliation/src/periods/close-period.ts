import { auditEntry, type Call, RequestFields, showValue } from '@tallystick/kernel';
import type { ActTx } from '../acts/act-plan.ts';
import { conflict } from '../acts/refuse-act.ts';
import { dateOf, daysAfter } from '../calendar.ts';
import type { Item } from '../item.ts';
import type { RecordKey } from '../item-id.ts';
import { catchUp, refresh } from '../keeping/keep-up.ts';
import { leftoverPlacesOf } from '../pairing/entry-key.ts';
import { type Period, type PeriodPlace, placeAfter } from '../ports.ts';
import { endBatches, isFrozenBy, isOpenBreakOf, objectOf, type PeriodPorts, period_batch_size } from './period.ts';

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
  let [frozen, open_breaks] = [0, 0];
  let after: PeriodPlace | null = null;
  do {
    const place: PeriodPlace | null = after;
    const items = await ports.unitOfWork.run((tx) => freezeBatch(tx, call, period, place));
    frozen += items.filter((item) => isFrozenBy(item, closed_through)).length;
    open_breaks += items.filter((item) => isOpenBreakOf(item, closed_through)).length;
    after = placeAfter(items, period_batch_size);
  } while (after !== null);
  const closed: Period = { ...period, frozen, open_breaks, status: 'closed' };
  return await ports.unitOfWork.run((tx) => endBatches(tx, call, closed, 'closing'));
}

/**
 * Returns the items that it looked at. A clearing or line that has no partner is none for others
 * either once it is frozen: sets that it made ambiguous are recomputed.
 */
async function freezeBatch(tx: ActTx, call: Call, period: Period, after: PeriodPlace | null): Promise<readonly Item[]> {
  const { reconciliation } = tx;
  const { company_id, closed_through } = period;
  await reconciliation.lockCompany(company_id);
  const items = await reconciliation.itemsByPeriod(company_id, { to: closed_through }, after, period_batch_size);
  const finished = items.filter((item) => isFrozenBy(item, closed_through));
  await reconciliation.freeze(period, finished);
  await refresh(tx, call, await leftoversAmong(tx, call, finished));
  return items;
}

/** The clearings and lines of these items that are stored as candidates of covering sets. */
async function leftoversAmong(
  { reconciliation }: ActTx,
  { company_id }: Call,
  items: readonly Item[],
): Promise<readonly RecordKey[]> {
  const clearing_ids = items.flatMap((item) => item.clearing_ids);
  const line_ids = items.flatMap((item) => item.line_ids);
  const places = leftoverPlacesOf({
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
    reopened_note: null,
    reopened_reason: null,
  });
  const entry = auditEntry(call, 'reconciliation.period_closed', objectOf(period), { closed_through });
  await audit.record(entry, now_ms);
  return period;
}
