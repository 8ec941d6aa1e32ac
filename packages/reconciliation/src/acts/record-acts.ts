import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import type { Act } from '../act.ts';
import { itemIdOf, type RecordKey, recordsOf } from '../item-id.ts';
import { findItems } from '../items/find-item.ts';
import { refresh } from '../keeping/keep-up.ts';
import { type ActOfPass, newActOf, type PlannedAct, recordsOfPlan, withSeenActs } from './act-in-pass.ts';
import type { ActTx } from './act-plan.ts';
import { auditActionOf } from './act-sentence.ts';

/**
 * Writes acts and their audit entries, and keeps or lets go the lines that they name. Returns the
 * acts, in the order of those planned.
 */
async function recordActs(
  tx: Pick<ActTx, 'reconciliation' | 'audit'>,
  call: Call,
  planned: readonly PlannedAct[],
): Promise<readonly Act[]> {
  const { company_id, now_ms } = call;
  const acts = planned.map((one) => ({ ...newActOf(one), at_ms: now_ms }));
  const recorded = await tx.reconciliation.insertActs(acts);
  for (const [is_kept, its] of Map.groupBy(acts, ({ action }) => action !== 'reopen')) {
    const line_ids = its.flatMap(({ subject }) => subject.kept_line_id ?? []);
    if (line_ids.length > 0) await tx.reconciliation.keepLines(company_id, line_ids, is_kept);
  }
  const entries = planned.map(({ situation: { item, request }, plan: { subject } }) => {
    const { action, note, reason, approved } = request;
    const { pairs, authorization, accepted, kept_line_id } = subject;
    const details = { version: item.version, note, reason, pairs, authorization, accepted, kept_line_id, approved };
    return auditEntry(call, auditActionOf(action), `reconciliation_item:${item.id}`, details);
  });
  await tx.audit.recordAll(entries, now_ms);
  return recorded;
}

/** Acts that were recorded, and those that are recorded by their passes. */
export interface RecordedBatch<Planned> {
  readonly recorded: readonly { readonly planned: Planned; readonly act: Act }[];
  readonly of_pass: readonly (Planned & ActOfPass)[];
}

/**
 * Thrown when the rules came to something else than acts that left it to them ask for. Rolls back
 * what was recorded: these acts are planned again, against the rules.
 */
export class RulesDecideOtherwise extends Refusal {
  readonly item_ids: ReadonlySet<number>;

  constructor(item_ids: readonly number[]) {
    super('conflict', `the rules keep item ${item_ids[0]} as it is`);
    this.item_ids = new Set(item_ids);
  }
}

/**
 * Records the acts without matches of cards, and prepares the others for their passes. Throws
 * `RulesDecideOtherwise`.
 */
export async function recordBatch<Planned extends PlannedAct>(
  tx: ActTx,
  call: Call,
  planned: readonly Planned[],
): Promise<RecordedBatch<Planned>> {
  const now = planned.filter(({ plan }) => plan.rematches.length === 0);
  const later = planned.filter(({ plan }) => plan.rematches.length > 0);
  const acts = await recordActs(tx, call, now);
  if (now.length > 0) {
    await refresh(tx, call, now.flatMap(recordsOfPlanned));
    await refuseUnmet(tx, call, now);
  }
  return {
    recorded: now.map((one, at) => ({ planned: one, act: acts[at]! })),
    of_pass: await withSeenActs(tx, call, later),
  };
}

/** The records whose items an act may change. */
function recordsOfPlanned({ situation, plan }: PlannedAct): readonly RecordKey[] {
  return [...recordsOf(situation.item), ...recordsOfPlan(plan)];
}

async function refuseUnmet(tx: ActTx, { company_id }: Call, planned: readonly PlannedAct[]): Promise<void> {
  const open = planned.filter(({ plan }) => plan.isMet !== undefined);
  if (open.length === 0) return;
  const records = open.map(recordsOfPlanned);
  const found = await findItems(tx.reconciliation, company_id, records.flat());
  const unmet = open.filter(({ plan }, at) => {
    const after = new Set(records[at]!.flatMap((record) => found.get(itemIdOf(record)) ?? []));
    return !plan.isMet!([...after]);
  });
  if (unmet.length > 0) throw new RulesDecideOtherwise(unmet.map(({ situation }) => situation.item.id));
}
