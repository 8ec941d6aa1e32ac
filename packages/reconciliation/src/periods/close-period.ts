import { auditEntry, type Call, comparePlaces, RequestFields, showValue } from '@tallystick/kernel';
import type { ApprovedBy } from '../act.ts';
import type { ActTx } from '../acts/act-plan.ts';
import { lockCards, lockUpToDate } from '../acts/read-situations.ts';
import { conflict } from '../acts/refuse-act.ts';
import { type Approval, isApproval } from '../approvals/approval.ts';
import { askForPeriod } from '../approvals/ask.ts';
import { dateOf, daysAfter } from '../calendar.ts';
import type { Item } from '../item.ts';
import { type RecordKey, recordsOf } from '../item-id.ts';
import { catchUp, refresh } from '../keeping/keep-up.ts';
import { entryPlacesOf, isPairingKey, leftoverPlacesOf } from '../pairing/entry-key.ts';
import { type Period, type PeriodPlace, placeAfter } from '../ports.ts';
import { endBatches, isFrozenBy, isOpenBreakOf, objectOf, type PeriodPorts, period_batch_size } from './period.ts';

/**
 * Closes the days up to `closed_through`. Freezes the matched, accepted and ignored items of the
 * period; the others stay open. Writes the audit log. A repeated request returns the period.
 * Refuses `validation_failed` a date that does not exist or is not over in UTC, and `conflict` a
 * date before the end of the newest period, or while another one is being closed or reopened, or
 * waits for a second person. Where the company has the four-eyes setting, it waits for one, too: then
 * it returns the approval.
 */
export async function closePeriod(ports: PeriodPorts, call: Call, request: object): Promise<Period | Approval> {
  return await performClosing(ports, call, readClosedThrough(request, call.now_ms), null);
}

/** Closes as `closePeriod` does. A closing that was approved is not asked for again. */
export async function performClosing(
  ports: PeriodPorts,
  call: Call,
  closed_through: string,
  approved: ApprovedBy | null,
): Promise<Period | Approval> {
  await catchUp(ports, call.company_id);
  const period = await ports.unitOfWork.run((tx) => beginClosing(tx, call, closed_through, approved));
  if (isApproval(period) || period.status === 'closed') return period;
  let [frozen, open_breaks] = [0, 0];
  let after: PeriodPlace | null = null;
  do {
    const place: PeriodPlace | null = after;
    const step: FrozenBatch = await ports.unitOfWork.run((tx) => freezeBatch(tx, call, period, place));
    frozen += step.frozen;
    open_breaks += step.open_breaks;
    after = step.after;
  } while (after !== null);
  const closed: Period = { ...period, frozen, open_breaks, status: 'closed' };
  return await ports.unitOfWork.run((tx) => endBatches(tx, call, closed, 'closing'));
}

/** What a step of a closing did. */
interface FrozenBatch {
  /** How many items that it looked at the period has. */
  readonly frozen: number;
  readonly open_breaks: number;
  /** The last item that it looked at; null when there is none after it. */
  readonly after: PeriodPlace | null;
}

/**
 * Freezes items as their records and acts make them: cards and company are locked before, so that an
 * act is done or comes later.
 */
async function freezeBatch(tx: ActTx, call: Call, period: Period, after: PeriodPlace | null): Promise<FrozenBatch> {
  const { reconciliation } = tx;
  const { company_id, closed_through } = period;
  const listed = await reconciliation.itemsByPeriod(company_id, { to: closed_through }, after, period_batch_size);
  const last = placeAfter(listed, period_batch_size);
  const records = listed.flatMap(recordsOf);
  await lockCards(tx, call, records);
  await lockUpToDate(tx, call, records);
  const listed_ids = listed.map(({ id }) => id);
  // An item that has a later date by now is listed again.
  const items = (await reconciliation.items(company_id, listed_ids)).filter(
    ({ period_date, id }) => last === null || comparePlaces([period_date ?? '', id], [last.period_date, last.id]) <= 0,
  );
  const finished = items.filter((item) => isFrozenBy(item, closed_through));
  await reconciliation.freeze(period, finished);
  await refresh(tx, call, await concernedBy(tx, call, finished));
  return {
    frozen: finished.length + items.filter(({ period_id }) => period_id === period.id).length,
    open_breaks: items.filter((item) => isOpenBreakOf(item, closed_through)).length,
    after: last,
  };
}

/**
 * The records whose items depend on what is frozen. A clearing or line that has no partner is none
 * for others any more: sets that it made ambiguous are found again. What arrived during the closing
 * under the key of a frozen record is late for it.
 */
async function concernedBy(
  { reconciliation }: ActTx,
  { company_id }: Call,
  frozen: readonly Item[],
): Promise<readonly RecordKey[]> {
  const clearing_ids = frozen.flatMap((item) => item.clearing_ids);
  const line_ids = frozen.flatMap((item) => item.line_ids);
  const clearings = await reconciliation.clearings(company_id, clearing_ids);
  const lines = await reconciliation.lines(company_id, line_ids);
  const leftovers = await reconciliation.entriesOf(company_id, leftoverPlacesOf({ clearings, lines }));
  const keys = new Set(entryPlacesOf({ clearings, lines }).map(({ key }) => key));
  const of_keys = await reconciliation.entries(company_id, [...keys].filter(isPairingKey));
  const frozen_ids = new Set(frozen.map(({ id }) => id));
  const others = of_keys.filter(({ item_id }) => !frozen_ids.has(item_id));
  return [...leftovers, ...others].map(({ record }) => record);
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

async function beginClosing(
  tx: ActTx,
  call: Call,
  closed_through: string,
  approved: ApprovedBy | null,
): Promise<Period | Approval> {
  const { reconciliation, audit } = tx;
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
  const request = { action: 'close_period', closed_through, period_id: null, note: null, reason: null } as const;
  const approval = await askForPeriod(tx, call, request, approved);
  if (approval !== null) return approval;
  const period = await reconciliation.insertPeriod({
    company_id,
    closed_through,
    ...(await reconciliation.lastRecords()),
    status: 'closing',
    closed_at_ms: now_ms,
    closed_by: approved?.asked_by ?? actor,
    frozen: 0,
    open_breaks: 0,
    reopened_at_ms: null,
    reopened_by: null,
    reopened_note: null,
    reopened_reason: null,
  });
  const entry = auditEntry(call, 'reconciliation.period_closed', objectOf(period), { closed_through, approved });
  await audit.record(entry, now_ms);
  return period;
}
