/**
 * The decision about a staged file of statements.
 *
 *   queued ──no other file is checked or recorded──> checking ──everything fits──> recording
 *                                                    └──it does not──> held
 *
 *   held ──released, or what it waits for is there──> queued
 *
 * One file of statements at a time is checked and recorded, so that what a check found still holds
 * when the lines are recorded. Each phase can be continued by another process: a check begins
 * again, and a recording goes on after the last recorded batch.
 */
import type { Account, AccountStore, Statement } from '@tallystick/accounts';
import { LeaseLost } from '@tallystick/cards';
import type { ImportProblem } from '../import.ts';
import type { ImportRecord } from '../import-store.ts';
import { isClaimed } from '../importing/import-lease.ts';
import type { ImportRun } from '../importing/import-run.ts';
import { type CheckedStatement, type CheckedStatements, checkStatements } from './check-statements.ts';
import { checkLines, findRepeatedReference } from './known-lines.ts';
import { stagedLines, stagedTotals } from './staged-statements.ts';
import { type StatementProblem, worstProblem } from './statement-problem.ts';

/** How often a process looks whether it is its turn. */
const poll_ms = 250;

/** How many statements one call of the store inserts. */
const inserted_at_once = 1_000;

/**
 * Decides about a claimed import whose statements are staged: makes it `recording`, or holds it.
 * `finishOther` ends the import of a process that died in its turn. Rejects with `LeaseLost` when
 * another process continues it.
 */
export async function decideStatements(
  run: ImportRun,
  begun: ImportRecord,
  finishOther: (other: ImportRecord) => Promise<void>,
): Promise<ImportRecord> {
  const record = await takeTurn(run, begun, finishOther);
  const { statements, problem } = await checkStaged(run, record);
  return await run.ports.unitOfWork.run(async (tx) => {
    const own = await run.claim.lock(tx.imports, record.id);
    const decided = problem === null ? beginRecording(run, own) : hold(run, own, problem);
    if (problem === null) await recordStatements(run, tx.accounts, own, statements);
    await tx.imports.update(decided);
    return decided;
  });
}

/** Waits until no other file of statements is checked or recorded. */
async function takeTurn(
  run: ImportRun,
  begun: ImportRecord,
  finishOther: (other: ImportRecord) => Promise<void>,
): Promise<ImportRecord> {
  const { ports, claim } = run;
  const failed = new Set<number>();
  for (;;) {
    const turn = await ports.unitOfWork.run(async ({ imports }) => {
      await imports.lockDecisions();
      const own = await claim.lock(imports, begun.id);
      const others = (await imports.listCheckingStatements()).filter(({ id }) => id !== own.id && !failed.has(id));
      const other = others[0] ?? null;
      if (other !== null) return { own, other };
      const ours: ImportRecord = { ...own, phase: 'checking', lease: claim.renewed() };
      await imports.update(ours);
      return { own: ours, other };
    });
    const { other } = turn;
    if (other === null) return turn.own;
    run.report(progressOf(turn.own, 0));
    if (isClaimed(other, ports)) {
      await ports.pause(poll_ms);
      continue;
    }
    try {
      await finishOther(other);
    } catch (error) {
      // Its process lives after all, or its own records keep it from its end: it is not waited for.
      if (!(error instanceof LeaseLost)) failed.add(other.id);
    }
  }
}

/** Checks what an import staged against what is recorded. Writes nothing. */
async function checkStaged(run: ImportRun, record: ImportRecord): Promise<CheckedStatements> {
  const { ports } = run;
  const totals = await stagedTotals(ports, record.id);
  const checked = await checkStatements(ports, totals, record.accepted_problems);
  const { statements } = checked;
  const problems: (StatementProblem | null)[] = [checked.problem];
  let lines_read = 0;
  for await (const lines of stagedLines(ports, record.id)) {
    const { problem } = await checkLines(ports, lines, statements);
    if (problem !== null && problems.length === 1) problems.push(problem);
    lines_read += lines.length;
    run.report(progressOf(record, lines_read));
  }
  problems.push(await findRepeatedReference(() => stagedLines(ports, record.id), lines_read, statements));
  return { statements, problem: worstProblem(problems) };
}

/**
 * Inserts the new statements of a file. From now on every other file is checked against them.
 */
async function recordStatements(
  { call }: ImportRun,
  accounts: Pick<AccountStore, 'lockByNumber' | 'insertStatements'>,
  { id: import_id }: ImportRecord,
  checked: CheckedStatements['statements'],
): Promise<void> {
  const all = [...checked.values()];
  const numbers = [...new Set(all.map(({ account }) => account.number))].sort();
  for (const number of numbers) await accounts.lockByNumber(number);
  const rows = all.filter(({ repeats }) => repeats === null).map((one) => rowOf(one, import_id, call.now_ms));
  for (let at = 0; at < rows.length; at += inserted_at_once) {
    await accounts.insertStatements(rows.slice(at, at + inserted_at_once));
  }
}

function rowOf(
  { statement, account, position }: CheckedStatement,
  import_id: number,
  recorded_at_ms: number,
): Omit<Statement, 'id'> {
  const { as_of, reference, opening_balance, closing_balance } = statement;
  const { id: account_id, company_id }: Account = account;
  return {
    account_id,
    company_id,
    as_of,
    position,
    reference,
    opening_balance,
    closing_balance,
    import_id,
    recorded_at_ms,
  };
}

function beginRecording({ claim }: ImportRun, own: ImportRecord): ImportRecord {
  return { ...own, phase: 'recording', problem: null, waits_for: null, lease: claim.renewed() };
}

function hold(run: ImportRun, own: ImportRecord, problem: StatementProblem): ImportRecord {
  const { waits_for, ...shown }: StatementProblem = problem;
  return {
    ...own,
    status: 'held',
    phase: null,
    problem: shown satisfies ImportProblem,
    waits_for,
    finished_at_ms: run.endedAt(),
    lease: null,
  };
}

function progressOf({ bytes, records: records_total }: ImportRecord, records: number) {
  return { phase: 'checking', bytes, bytes_total: bytes, records, records_total } as const;
}
