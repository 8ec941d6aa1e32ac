/**
 * The decision about the staged statements of a file, each by itself.
 *
 *   queued ──no other file is checked or recorded──> checking ──one of them fits──> recording
 *                                                    └──none does──> the import ends
 *
 *   a held statement ──released, or what it waits for is there──> staged, and its import is queued
 *
 * One file of statements at a time is checked and recorded, so that what a check found still holds
 * when the lines are recorded. Each phase can be continued by another process: a check begins
 * again, and a recording goes on after the last recorded batch.
 */
import type { AccountStore, Statement } from '@tallystick/accounts';
import { LeaseLost } from '@tallystick/cards';
import type { ImportRecord } from '../import-store.ts';
import { isClaimed } from '../importing/import-lease.ts';
import type { ImportRun } from '../importing/import-run.ts';
import { Occurrences } from '../staging/occurrences.ts';
import { endStatements } from './end-statements.ts';
import type { ImportStatement } from './import-statement.ts';
import { type ComparedStatement, compareLines } from './known-lines.ts';
import { type FittingStatement, type Placing, placeStatements } from './place-statements.ts';
import type { StagedLine } from './staged-line.ts';
import { stagedLines } from './staged-lines.ts';
import { nameStatement, type StatementProblem, showLine } from './statement-problem.ts';

/** How often a process looks whether it is its turn. */
const poll_ms = 250;

/** How many statements one call of the store inserts. */
const inserted_at_once = 1_000;

/**
 * Decides about a claimed import whose statements are staged: makes it `recording`, or ends it when
 * none of them can be recorded. `finishOther` ends the import of a process that died in its turn.
 * Rejects with `LeaseLost` when another process continues it.
 */
export async function decideStatements(
  run: ImportRun,
  begun: ImportRecord,
  finishOther: (other: ImportRecord) => Promise<void>,
): Promise<ImportRecord> {
  const record = await takeTurn(run, begun, finishOther);
  const staged = await run.ports.unitOfWork.read(({ imports }) => imports.statements(record.id, ['staged']));
  const { fitting, held } = await checkStaged(run, record, staged);
  return await run.ports.unitOfWork.run(async (tx) => {
    const own = await run.claim.lock(tx.imports, record.id);
    const recording = await recordStatements(run, tx.accounts, own, [...fitting.values()]);
    const others = staged.flatMap((one): ImportStatement[] => {
      const problem = held.get(one.number);
      return problem === undefined ? [] : [{ ...one, status: 'held', problem }];
    });
    await tx.imports.putStatements([...recording, ...others]);
    if (recording.length === 0) return await endStatements(run, tx, own);
    const decided: ImportRecord = { ...own, phase: 'recording', problem: null, lease: run.claim.renewed() };
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

/**
 * Places the statements, and compares their lines with what is recorded. One with lines that
 * contradict it is held, and the others are placed again without it. Writes nothing.
 */
async function checkStaged(run: ImportRun, record: ImportRecord, staged: readonly ImportStatement[]): Promise<Placing> {
  const differing = new Map<number, StatementProblem>();
  const as_new = new Set<number>();
  for (;;) {
    const placing = await placeStatements(run.ports, staged, { differing, as_new });
    const found = await differingOf(run, record, placing);
    if (found.differing.size === 0) return placing;
    for (const [number, problem] of found.differing) {
      const { or_position } = placing.fitting.get(number)!;
      // With some lines that are known, it may be a known one that was changed.
      if (or_position === null || found.with_known.has(number)) differing.set(number, problem);
      else as_new.add(number);
    }
  }
}

/**
 * The statements that were placed, and have lines that contradict what is recorded, and those that
 * have lines which are recorded.
 */
async function differingOf(run: ImportRun, record: ImportRecord, { fitting }: Placing) {
  const { ports } = run;
  const differing = new Map<number, StatementProblem>();
  const with_known = new Set<number>();
  const compared = new Map(
    [...fitting].filter(([, { statement }]) => !statement.accepted_problems.includes('statement_differs')),
  );
  if (compared.size === 0) return { differing, with_known };
  const in_file = new LinesOfFile(compared);
  let lines_read = 0;
  for await (const lines of stagedLines(ports, record.id)) {
    const found = await ports.unitOfWork.read(({ accounts }) => compareLines(accounts, lines, compared));
    for (const [number, problem] of [...found.differing, ...in_file.findRepeated(lines)]) {
      if (!differing.has(number)) differing.set(number, problem);
    }
    for (const { ordinal, statement_number } of lines) if (found.known.has(ordinal)) with_known.add(statement_number);
    lines_read += lines.length;
    run.report(progressOf(record, lines_read));
  }
  return { differing, with_known };
}

/** The lines of the new statements of a file: two of these statements have no line in common. */
export class LinesOfFile {
  readonly #statements: ReadonlyMap<number, ComparedStatement>;
  readonly #occurrences = new Occurrences();

  constructor(statements: ReadonlyMap<number, ComparedStatement>) {
    this.#statements = statements;
  }

  /** Adds lines. Returns those that another statement of the file has, by the numbers of theirs. */
  findRepeated(lines: readonly StagedLine[]): ReadonlyMap<number, StatementProblem> {
    const found = new Map<number, StatementProblem>();
    for (const { statement_number, line, occurrence, place, offset } of lines) {
      const its = this.#statements.get(statement_number);
      const { bank_reference, booking_date, amount, bai_code } = line;
      if (its === undefined || its.known_id !== null || bank_reference === null) continue;
      const { statement, account } = its;
      const key = JSON.stringify([account.id, bank_reference, booking_date, amount, bai_code, occurrence]);
      if (this.#occurrences.count(key) === 1) continue;
      const message = `line ${place} of ${nameStatement(statement)}, ${showLine(line, account.currency)}, is also a line of another statement of the file. A release records it as a further line`;
      found.set(statement_number, { code: 'statement_differs', message, offset, waits_for: null });
    }
    return found;
  }
}

/**
 * Inserts the new statements of a file: from now on every other file is checked against them.
 * Returns the statements with the stored ones of their lines.
 */
async function recordStatements(
  { call }: ImportRun,
  accounts: Pick<AccountStore, 'lockByNumber' | 'insertStatements' | 'lastPlace'>,
  { id: import_id }: ImportRecord,
  fitting: readonly FittingStatement[],
): Promise<readonly ImportStatement[]> {
  const numbers = [...new Set(fitting.map(({ account }) => account.number))].sort();
  for (const number of numbers) await accounts.lockByNumber(number);
  const added = fitting.filter(({ known_id }) => known_id === null);
  const ids = new Map<string, number>();
  for (let at = 0; at < added.length; at += inserted_at_once) {
    const rows = added.slice(at, at + inserted_at_once).map((one) => rowOf(one, import_id, call.now_ms));
    for (const { id, ...place } of await accounts.insertStatements(rows)) ids.set(placeKey(place), id);
  }
  const recording: ImportStatement[] = [];
  for (const { statement, account, known_id, position } of fitting) {
    const is_known = known_id !== null;
    const is_extended = is_known && statement.accepted_problems.includes('statement_differs');
    recording.push({
      ...statement,
      account_number: account.number,
      status: 'recording',
      problem: null,
      statement_id: known_id ?? ids.get(placeKey({ account_id: account.id, as_of: statement.as_of, position }))!,
      is_known,
      known_lines: is_extended ? await accounts.lastPlace(known_id) : 0,
    });
  }
  return recording;
}

type PlaceOfStatement = Pick<Statement, 'account_id' | 'as_of' | 'position'>;

function placeKey({ account_id, as_of, position }: PlaceOfStatement): string {
  return `${account_id} ${as_of} ${position}`;
}

function rowOf(
  { statement, account, position }: FittingStatement,
  import_id: number,
  recorded_at_ms: number,
): Omit<Statement, 'id'> {
  const { as_of, reference, opening_balance, closing_balance, first_booking_date } = statement;
  const { id: account_id, company_id } = account;
  return {
    account_id,
    company_id,
    as_of,
    position,
    reference,
    opening_balance,
    closing_balance,
    first_booking_date,
    covers_from: null,
    import_id,
    recorded_at_ms,
  };
}

function progressOf({ bytes, records: records_total }: ImportRecord, records: number) {
  return { phase: 'checking', bytes, bytes_total: bytes, records, records_total } as const;
}
