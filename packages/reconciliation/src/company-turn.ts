/**
 * The items and entries of a company are made with one setting of the statement key. Another
 * setting has other keys, under which the records would not find each other, so only a rebuild
 * changes it:
 *
 *   made with one ──a rebuild with another begins──> remade ──it ends──> made with the other
 *   remade ──another rebuild begins──> remade from the beginning
 *
 * A process takes the turn of a company only when the items were made with its own setting. While
 * they are remade, only the rebuild that began last does. Records arrive in the inbox meanwhile. If
 * the rebuild stops, the company stays as it is until another one completes it.
 */
import { Fault } from '@tallystick/kernel';
import type { CompanyProgress, MadeItems, ReconciliationStore, Remake } from './ports.ts';
import type { StatementKeySetting } from './statement-key.ts';

/**
 * The items of a company were made with another setting of the statement key than that of this
 * process, or are being remade. Retryable, because a rebuild ends it.
 */
export class OtherStatementKey extends Fault {
  readonly made: MadeItems;
  /** The setting of this process. */
  readonly setting: StatementKeySetting;

  constructor(made: MadeItems, setting: StatementKeySetting) {
    super(describe(made, setting), { retryable: true });
    this.made = made;
    this.setting = setting;
  }
}

function describe({ company_id, statement_key, remake }: MadeItems, setting: StatementKeySetting): string {
  const made = `the items of company ${company_id} were made with the statement key ${statement_key}`;
  if (remake === null) return `${made}, and the setting is ${setting}: a rebuild makes them with it`;
  const since = Temporal.Instant.fromEpochMilliseconds(remake.began_at_ms).toString();
  const begun = `a rebuild that began at ${since} makes them with ${remake.statement_key}`;
  return `${made}, and ${begun} and has not ended; the setting is ${setting}`;
}

/** Locks the company, as the store does. Throws `OtherStatementKey`. */
export async function takeTurn(store: ReconciliationStore, company_id: number): Promise<CompanyProgress> {
  return withOwnKey(store, await store.lockCompany(company_id));
}

/** The same without waiting: null when another transaction has the company. */
export async function takeTurnIfFree(store: ReconciliationStore, company_id: number): Promise<CompanyProgress | null> {
  const progress = await store.lockCompanyIfFree(company_id);
  return progress === null ? null : withOwnKey(store, progress);
}

function withOwnKey({ statement_key }: ReconciliationStore, progress: CompanyProgress): CompanyProgress {
  if (isMadeWith(progress, statement_key)) return progress;
  throw new OtherStatementKey(progress, statement_key);
}

/**
 * Throws `OtherStatementKey` unless the items of all companies, or of this one, were made with the
 * setting of this process. For the start of a program that reads or writes items.
 */
export async function refuseOtherStatementKey(
  store: Pick<ReconciliationStore, 'statement_key' | 'findOtherStatementKey'>,
  company_id: number | null = null,
): Promise<void> {
  const other = await store.findOtherStatementKey(company_id);
  if (other !== null) throw new OtherStatementKey(other, store.statement_key);
}

/**
 * Begins to remake the items of a company with the setting of this process; null when they were made
 * with it.
 */
export async function beginRemake(
  store: ReconciliationStore,
  company_id: number,
  now_ms: number,
): Promise<Remake | null> {
  const progress = await store.lockCompany(company_id);
  if (isMadeWith(progress, store.statement_key)) return null;
  const remake: Remake = { statement_key: store.statement_key, began_at_ms: now_ms };
  await store.updateProgress({ ...progress, remake });
  return remake;
}

/** Locks the company for a step of this remake. Throws `OtherStatementKey` once another has begun. */
export async function continueRemake(
  store: ReconciliationStore,
  company_id: number,
  { statement_key, began_at_ms }: Remake,
): Promise<CompanyProgress> {
  const progress = await store.lockCompany(company_id);
  const { remake } = progress;
  if (remake?.statement_key === statement_key && remake.began_at_ms === began_at_ms) return progress;
  throw new OtherStatementKey(progress, store.statement_key);
}

/** Ends it: from now on the items are those of its setting. */
export async function endRemake(store: ReconciliationStore, company_id: number, remake: Remake): Promise<void> {
  const progress = await continueRemake(store, company_id, remake);
  await store.updateProgress({ ...progress, statement_key: remake.statement_key, remake: null });
}

function isMadeWith({ statement_key, remake }: MadeItems, setting: StatementKeySetting): boolean {
  return statement_key === setting && remake === null;
}
