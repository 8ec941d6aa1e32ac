import {
  auditEntry,
  type Call,
  type Page,
  type PageRequest,
  Refusal,
  RequestFields,
  Temporal,
} from '@tallystick/kernel';
import { day_ms } from '@tallystick/velocity';
import { findCard } from '../issuing/read-cards.ts';
import { type Backtest, backtest_kept_days, backtests_max, type RecordedDifference } from './backtest.ts';
import { readControlsChange } from './controls-change.ts';
import type { BacktestTx } from './ports.ts';

/** What a company asks for. */
export type BacktestRequest = Readonly<Record<'vcn_id' | 'changes' | 'from' | 'to', unknown>>;

/**
 * Begins a backtest: recorded messages will be decided again with changed controls, in the
 * background. Refuses `validation_failed` with every invalid field, `not_found` an unknown card, and
 * `conflict` when `backtests_max` of the company wait or run.
 */
export async function createBacktest(tx: BacktestTx, call: Call, request: Partial<BacktestRequest>): Promise<Backtest> {
  const { company_id, now_ms } = call;
  const fields = new RequestFields(request);
  const vcn_id = fields.readId('vcn_id');
  const card = vcn_id === null ? null : await findCard(tx, call, vcn_id);
  fields.require('changes');
  const changes = fields.within('changes', request.changes ?? {});
  const template_id = changes.readId('template_id');
  const template = template_id === null ? null : await tx.templates.find(company_id, template_id);
  const change = readControlsChange(changes, { template, card });
  const from_ms = readInstant(fields, 'from') ?? 0;
  // What is decided after this millisecond is no part of it. A frozen clock stays within one.
  const end_ms = now_ms + 1;
  const to_ms = readInstant(fields, 'to') ?? end_ms;
  if (fields.areSound('from', 'to') && from_ms >= to_ms) {
    if (fields.has('to')) fields.addProblem('to', 'must be after from');
    else fields.addProblem('from', 'must not be in the future');
  }
  if (from_ms > 0 && changes.carries('currency')) {
    const why = 'the amounts of a card are in one currency from its beginning';
    fields.addProblem('from', `cannot be sent with a change of currency: ${why}`);
  }
  fields.refuseInvalid();
  const inserted = await tx.backtests.insert({
    company_id,
    vcn_id,
    change,
    from_ms,
    to_ms: Math.min(to_ms, end_ms),
    status: 'pending',
    error: null,
    last_card_id: 0,
    cards_done: 0,
    cards_total: card === null ? await tx.backtests.countCards(company_id) : 1,
    messages: 0,
    card_messages: 0,
    differences: 0,
    sums: [],
    created_at_ms: now_ms,
    finished_at_ms: null,
  });
  if (inserted === null) {
    const what = `${backtests_max} backtests of the company wait or run`;
    throw new Refusal('conflict', `${what}: wait for one, or delete one`);
  }
  await tx.audit.record(
    auditEntry(call, 'backtest.created', `backtest:${inserted.id}`, { vcn_id, changes: change }),
    now_ms,
  );
  return inserted;
}

/** One backtest. Refuses `not_found`. */
export async function readBacktest(
  tx: Pick<BacktestTx, 'backtests'>,
  { company_id }: Pick<Call, 'company_id'>,
  id: number,
): Promise<Backtest> {
  const found = await tx.backtests.find(company_id, id);
  if (found === null) throw unknown(id);
  return found;
}

/** The backtests of the company, newest first. */
export function listBacktests(
  tx: Pick<BacktestTx, 'backtests'>,
  { company_id }: Pick<Call, 'company_id'>,
  page: PageRequest,
): Promise<Page<Backtest>> {
  return tx.backtests.list(company_id, page);
}

/** The messages that would have been decided otherwise. Refuses `not_found`. */
export async function listDifferences(
  tx: Pick<BacktestTx, 'backtests'>,
  call: Pick<Call, 'company_id'>,
  id: number,
  page: PageRequest,
): Promise<Page<RecordedDifference>> {
  await readBacktest(tx, call, id);
  return await tx.backtests.differences(id, page);
}

/** Stops a backtest, and deletes it with its result. Refuses `not_found`. */
export async function deleteBacktest(tx: BacktestTx, call: Call, id: number): Promise<void> {
  if (!(await tx.backtests.remove(call.company_id, id))) throw unknown(id);
  await tx.audit.record(auditEntry(call, 'backtest.deleted', `backtest:${id}`), call.now_ms);
}

function unknown(id: number): Refusal {
  return new Refusal('not_found', `there is no backtest ${id}`);
}

/** An instant, or the beginning of a date (UTC); epoch milliseconds. */
function readInstant(fields: RequestFields, name: string): number | null {
  return fields.readParsed(name, instantOf, 'a date, as YYYY-MM-DD, or an instant in ISO 8601 with an offset');
}

function instantOf(text: string): number {
  const is_date = /^\d{4}-\d{2}-\d{2}$/.test(text);
  return Temporal.Instant.from(is_date ? `${text}T00:00:00Z` : text).epochMilliseconds;
}

/** Deletes rows of old and deleted backtests, at most `limit`; returns how many. */
export function purgeBacktests(tx: Pick<BacktestTx, 'backtests'>, now_ms: number, limit: number): Promise<number> {
  return tx.backtests.purge(now_ms - backtest_kept_days * day_ms, limit);
}
