import { readReleaseNote } from '@tallystick/cards';
import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import type { ImportRecord } from '../import-store.ts';
import { requireImport } from '../manage-imports.ts';
import type { ImportPorts } from '../ports.ts';
import { chooseHeld } from '../statements/held-statements.ts';
import type { ImportStatement } from '../statements/import-statement.ts';
import { releasable_statement_codes } from '../statements/statement-problem.ts';
import { type ImportOutcome, proceed } from './import-file.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';

export interface ReleaseOptions extends Pick<ImportOptions, 'signal' | 'onProgress' | 'onStaged' | 'onWaitingEnded'> {
  /** The number of one held statement of the file. Absent: all that can be released. */
  readonly statement?: number | undefined;
}

/**
 * Applies a held import, or held statements of one. Writes the audit log. Refuses `not_found`,
 * `conflict` unless it is held with a problem that may be accepted, and `validation_failed` without
 * a note. Statements are checked again, so they can be held with another problem. Rejects with
 * `ImportStopped` when the signal is aborted: after `onStaged` it is released, and
 * `continueImports` applies the rest.
 */
export async function releaseImport(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  note: string,
  { statement, ...options }: ReleaseOptions = {},
): Promise<ImportOutcome> {
  const kept_note = readReleaseNote({ note });
  const run = new ImportRun(ports, call, options);
  const released = await ports.unitOfWork.run(async ({ imports, audit }) => {
    const record = requireImport(await imports.lock(id), id);
    const held = record.status === 'running' ? [] : await imports.statements(id, ['held']);
    if (record.status !== 'held' && held.length === 0) {
      throw new Refusal('conflict', `import ${id} is ${record.status}, and nothing of it is held`);
    }
    const accepted =
      held.length === 0 && statement === undefined ? [] : acceptHeld(chooseHeld(held, id, statement), id);
    await imports.putStatements(accepted);
    const codes = accepted.length === 0 ? [record.problem?.code ?? null] : accepted.map(({ problem }) => problem!.code);
    const details = {
      note: kept_note,
      reason: [...new Set(codes)].join(', '),
      ...(accepted.length === 0 ? {} : { statements: accepted.map(({ number }) => number).join(', ') }),
    };
    await audit.record(
      auditEntry({ ...call, company_id: null }, 'import.released', `import:${id}`, details),
      call.now_ms,
    );
    const applying: ImportRecord = {
      ...record,
      status: 'running',
      phase: record.statements > 0 ? 'queued' : 'applying',
      problem: null,
      finished_at_ms: null,
      note: kept_note,
      lease: run.claim.renewed(),
    };
    await imports.update(applying);
    return applying;
  });
  try {
    return await proceed(run, { kind: 'apply', import: released });
  } finally {
    await run.claim.release();
  }
}

/** What to do instead of a release, by the problem of the statement. */
const remedies: Readonly<Record<string, string>> = {
  unknown_account: 'create the account, and it is applied by itself',
  statement_currency:
    'ask the bank for statements in the currency of the account, or create the account of their currency',
};

/**
 * The statements that can be released, with their problems accepted. Refuses `conflict` when none
 * can be.
 */
function acceptHeld(held: readonly ImportStatement[], import_id: number): readonly ImportStatement[] {
  const accepted = held.flatMap((one): ImportStatement[] => {
    const code = one.problem?.code ?? '';
    if (!releasable_statement_codes.includes(code)) return [];
    return [{ ...one, status: 'staged', accepted_problems: [...one.accepted_problems, code] }];
  });
  if (accepted.length > 0) return accepted;
  const { number, problem } = held[0]!;
  const code = problem?.code ?? '';
  const remedy = remedies[code] ?? 'ask the bank for a file with a right one';
  throw new Refusal(
    'conflict',
    `statement ${number} of import ${import_id} cannot be released with ${code}: ${remedy}`,
  );
}
