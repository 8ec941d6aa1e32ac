import { type AuditEntry, auditEntry, type FieldError, Refusal, type UnitOfWork } from '@tallystick/kernel';
import type { BankCaller, BankTx } from '../bank/bank-caller.ts';
import { type BankReference, isSameLine, type LineKey, type ReportedLine } from '../statement-line.ts';
import { accountsByNumbers, numberOfAccount } from './accounts-by-numbers.ts';
import { type BankRecord, type BankRecordKind, type ContentOfKinds, naming_fields, readRecord } from './bank-record.ts';
import { storeProfiles } from './put-profile.ts';
import { knownOfUsers, storeUsers } from './put-user.ts';
import type { ReportedTransaction } from './read-transaction.ts';

/** A line of a report: its JSON value, or why it has none. */
export type RecordLine =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly problem: FieldError };

/** A problem of a line. The path is empty when the whole line is at fault. */
export interface RecordError extends FieldError {
  /** From 1. */
  readonly line: number;
}

/** What became of the lines of a report. */
export interface RecordReport {
  /** Lines that are not empty: the sum of the next three. */
  readonly lines: number;
  readonly applied: number;
  /** Transactions that were recorded before, and balances older than the one that is known. */
  readonly duplicates: number;
  /** Lines with a problem. They have no effect. */
  readonly rejected: number;
  /** The first problems, in the order of the lines. */
  readonly errors: readonly RecordError[];
}

/** The most problems that a report names. */
export const record_errors_max = 1_000;

/** The most lines of one transaction. On SQLite decisions wait for it. */
export const record_batch_max = 200;

export interface RecordPorts<Tx extends BankTx> {
  readonly unitOfWork: UnitOfWork<Tx>;
  /** Refuses (`validation_failed`) each value with the number of a card, by its name (ADR 0026). */
  readonly refuseCardNumbers: (tx: Tx, values: Readonly<Record<string, unknown>>) => Promise<void>;
}

/**
 * Records what the bank reports, in the order of the lines. Each batch is one transaction with an
 * audit entry for each company. A bad line has no effect and stops no other. A repeat of the same
 * lines changes nothing: what is known by its reference is replaced, and a known transaction is a
 * duplicate. A known transaction with other content is a problem of its line.
 */
export async function reportRecords<Tx extends BankTx>(
  ports: RecordPorts<Tx>,
  call: BankCaller,
  batches: AsyncIterable<readonly RecordLine[]>,
): Promise<RecordReport> {
  const total = { lines: 0, applied: 0, duplicates: 0, rejected: 0 };
  const errors: RecordError[] = [];
  for await (const lines of batches) {
    const outcome = await ports.unitOfWork.run((tx) => applyBatch(ports, tx, call, lines));
    total.lines += lines.length;
    total.applied += outcome.applied;
    total.duplicates += outcome.duplicates;
    total.rejected += outcome.rejected;
    errors.push(...outcome.errors.slice(0, record_errors_max - errors.length));
  }
  return { ...total, errors };
}

/** The checked lines of a batch, and the problems of the others. */
class Batch {
  readonly records = new Map<number, BankRecord>();
  readonly #problems = new Map<number, readonly FieldError[]>();
  duplicates = 0;

  reject(line: number, ...problems: readonly FieldError[]): void {
    this.records.delete(line);
    this.#problems.set(line, [...(this.#problems.get(line) ?? []), ...problems]);
  }

  /** It is known already, and nothing changes. */
  skip(line: number): void {
    this.records.delete(line);
    this.duplicates += 1;
  }

  /** The records of a kind with their lines, in the order of the lines. */
  of<Kind extends BankRecordKind>(kind: Kind): [number, ContentOfKinds[Kind]][] {
    return [...this.records].flatMap(([line, record]): [number, ContentOfKinds[Kind]][] =>
      record.kind === kind ? [[line, record.content as ContentOfKinds[Kind]]] : [],
    );
  }

  outcome() {
    const by_line = [...this.#problems].toSorted(([a], [b]) => a - b);
    const errors = by_line.flatMap(([line, problems]) =>
      problems.map((problem): RecordError => ({ line, ...problem })),
    );
    return { applied: this.records.size, duplicates: this.duplicates, rejected: this.#problems.size, errors };
  }
}

async function applyBatch<Tx extends BankTx>(
  ports: RecordPorts<Tx>,
  tx: Tx,
  call: BankCaller,
  lines: readonly RecordLine[],
) {
  const batch = new Batch();
  const known = await knownOf(tx, call, lines);
  const names: Record<string, unknown> = {};
  for (const one of lines) {
    if ('problem' in one) {
      batch.reject(one.line, one.problem);
      continue;
    }
    const read = readRecord(one.value, call, known);
    if ('problems' in read) {
      batch.reject(one.line, ...read.problems);
      continue;
    }
    batch.records.set(one.line, read.record);
    const content = read.record.content as object as Readonly<Record<string, unknown>>;
    for (const name of naming_fields) {
      if (typeof content[name] === 'string') names[`${one.line} ${name}`] = content[name];
    }
  }
  await rejectCardNumbers(ports, tx, batch, names);
  await storeUsersAndProfiles(tx, batch, call.now_ms);
  await storeBalances(tx, batch);
  await storeTransactions(tx, batch);
  await tx.bank.putDirectDebits(lastOfEach(batch.of('direct_debit'), ({ mandate_reference }) => mandate_reference));
  await tx.bank.putStandingOrders(lastOfEach(batch.of('standing_order'), ({ reference }) => reference));
  await tx.bank.putScheduledPayments(lastOfEach(batch.of('scheduled_payment'), ({ reference }) => reference));
  const entries = entriesOf(call, batch);
  if (entries.length > 0) await tx.audit.recordAll(entries, call.now_ms);
  return batch.outcome();
}

/** Looks up what the lines name, all at once. */
async function knownOf(tx: BankTx, call: BankCaller, lines: readonly RecordLine[]) {
  const objects = lines.flatMap((one) =>
    'value' in one && typeof one.value === 'object' && one.value !== null
      ? [one.value as Readonly<Record<string, unknown>>]
      : [],
  );
  const users = objects.filter(({ kind }) => kind === 'user');
  const of_users = await knownOfUsers(tx, call, users);
  const numbers = new Set(objects.flatMap(({ account }) => numberOfAccount(account) ?? []));
  const accounts = await accountsByNumbers(tx.bank, numbers);
  return { ...of_users, account: (number: string) => accounts.get(number) ?? of_users.account(number) };
}

async function rejectCardNumbers<Tx extends BankTx>(
  { refuseCardNumbers }: Pick<RecordPorts<Tx>, 'refuseCardNumbers'>,
  tx: Tx,
  batch: Batch,
  names: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await refuseCardNumbers(tx, names);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'validation_failed') throw error;
    for (const { path, message } of error.fields) {
      const [line = '', name = ''] = path.split(' ');
      batch.reject(Number(line), { path: name, message });
    }
  }
}

/** One transaction at a time stores users and profiles. */
async function storeUsersAndProfiles(tx: BankTx, batch: Batch, now_ms: number): Promise<void> {
  const [users, profiles] = [batch.of('user'), batch.of('profile')];
  if (users.length + profiles.length === 0) return;
  await tx.bank.lockNames();
  rejectRefused(batch, 'user_id', users, await storeUsers(tx, contentsOf(users)));
  rejectRefused(batch, 'identification', profiles, await storeProfiles(tx, contentsOf(profiles), now_ms));
}

function contentsOf<Content>(records: readonly (readonly [number, Content])[]): readonly Content[] {
  return records.map(([, content]) => content);
}

/** Rejects the records that were not stored, each for its field at this path. */
function rejectRefused(
  batch: Batch,
  path: string,
  records: readonly (readonly [number, unknown])[],
  stored: readonly unknown[],
): void {
  for (const [at, [line]] of records.entries()) {
    const outcome = stored[at];
    if (outcome instanceof Refusal) batch.reject(line, { path, message: outcome.message });
  }
}

async function storeBalances({ bank }: Pick<BankTx, 'bank'>, batch: Batch): Promise<void> {
  const balances = batch.of('balance');
  const are_stored = await bank.putBalances(contentsOf(balances));
  for (const [at, [line]] of balances.entries()) if (!are_stored[at]) batch.skip(line);
}

const changed_message = 'was recorded before with another date, amount or code; a booked transaction never changes';

/**
 * Records transactions, each once: a repeat of the same content is a duplicate, and so is one that a
 * statement brought before. One of a date that a statement covers differs from it.
 */
async function storeTransactions({ accounts }: Pick<BankTx, 'accounts'>, batch: Batch): Promise<void> {
  const reported = batch.of('transaction');
  if (reported.length === 0) return;
  await accounts.lockAll([...new Set(reported.map(([, { account_id }]) => account_id))]);
  const transactions = contentsOf(reported);
  const same = new Map((await accounts.linesByKey(transactions)).map((line) => [keyOf(line), line as ReportedLine]));
  const known = new Set((await accounts.linesByReference(transactions)).map(referenceOf));
  const added: ReportedTransaction[] = [];
  for (const [line, transaction] of reported) {
    const recorded = same.get(keyOf(transaction));
    if (recorded !== undefined && isSameLine(recorded, transaction)) batch.skip(line);
    else if (known.has(referenceOf(transaction))) {
      batch.reject(line, { path: 'bank_reference', message: changed_message });
    } else {
      known.add(referenceOf(transaction));
      same.set(keyOf(transaction), transaction);
      added.push(transaction);
    }
  }
  const covered = await accounts.areCovered(added);
  await accounts.recordLines(added.map((line, at) => ({ ...line, standing: covered[at] ? 'differs' : null })));
}

function referenceOf({ account_id, bank_reference }: LineKey | BankReference): string {
  return `${account_id} ${bank_reference}`;
}

function keyOf(line: LineKey): string {
  return `${line.booking_date} ${line.amount} ${line.bai_code} ${referenceOf(line)}`;
}

/** The last record of each account and reference, in the order in which all processes lock rows. */
function lastOfEach<Content extends { readonly account_id: number }>(
  records: readonly (readonly [number, Content])[],
  referenceOf: (content: Content) => string,
): readonly Content[] {
  const last = new Map(records.map(([, content]) => [`${content.account_id} ${referenceOf(content)}`, content]));
  return [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, content]) => content);
}

/** One entry for each company, with the number of records by kind. */
function entriesOf(call: BankCaller, { records }: Batch): readonly AuditEntry[] {
  const counts = new Map<number, Record<string, number>>();
  for (const { company_id, kind } of records.values()) {
    const of_company = counts.get(company_id) ?? {};
    of_company[kind] = (of_company[kind] ?? 0) + 1;
    counts.set(company_id, of_company);
  }
  return [...counts].map(([company_id, details]) =>
    auditEntry({ ...call, company_id }, 'bank_records.reported', `company:${company_id}`, details),
  );
}
