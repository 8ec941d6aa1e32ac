import { readReleaseNote } from '@tallystick/cards';
import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import type { ImportRecord } from '../import-store.ts';
import { requireImport } from '../manage-imports.ts';
import type { ImportPorts } from '../ports.ts';
import { releasable_statement_codes, statement_problem_codes } from '../statements/statement-problem.ts';
import { type ImportOutcome, proceed } from './import-file.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';

/**
 * Applies a held import. Writes the audit log. Refuses `not_found`, `conflict` unless it is held
 * with a problem that may be accepted, and `validation_failed` without a note. Statements are
 * checked again, so they can be held with another problem. Rejects with `ImportStopped` when the
 * signal is aborted: after `onStaged` it is released, and `continueImports` applies the rest.
 */
export async function releaseImport(
  ports: ImportPorts,
  call: Omit<Call, 'company_id'>,
  id: number,
  note: string,
  options: Pick<ImportOptions, 'signal' | 'onProgress' | 'onStaged' | 'onWaitingEnded'> = {},
): Promise<ImportOutcome> {
  const kept_note = readReleaseNote({ note });
  const run = new ImportRun(ports, call, options);
  const released = await ports.unitOfWork.run(async ({ imports, audit }) => {
    const record = requireImport(await imports.lock(id), id);
    if (record.status !== 'held') {
      throw new Refusal('conflict', `import ${id} is ${record.status}; only a held one can be released`);
    }
    const code = record.problem?.code ?? null;
    refuseUnreleasable(record);
    const details = { note: kept_note, reason: code };
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
      waits_for: null,
      accepted_problems: [...new Set([...record.accepted_problems, ...(code === null ? [] : [code])])],
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

/** What to do instead of a release, by the problem of the file. */
const remedies: Readonly<Record<string, string>> = {
  unknown_account: 'create the account, and it is applied by itself',
  statement_currency: 'ask the bank for statements in the currency of the account',
  statement_differs: 'what is recorded is never changed; ask the bank to correct it by lines of a later statement',
};

function refuseUnreleasable({ id, problem }: ImportRecord): void {
  const code = statement_problem_codes.find((one) => one === problem?.code);
  if (code === undefined || releasable_statement_codes.includes(code)) return;
  throw new Refusal('conflict', `import ${id} cannot be released with ${code}: ${remedies[code]}`);
}
