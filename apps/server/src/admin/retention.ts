import {
  countDueRows,
  machine_timers,
  purgeRows,
  type RetentionBounds,
  type RetentionKind,
  retention_kinds,
  sealAuditLog,
} from '@tallystick/kernel';
import { boundsOf, openArchive } from 'tallystick/inversify';
import { formatTable } from '../terminal-text.ts';
import type { AdminServices, Command } from './command.ts';

/** How long the command waits for a server that is processing a kind, and between two attempts. */
const wait_ms_max = 90_000;
const try_every_ms = 250;

interface Outcome {
  readonly kind: RetentionKind;
  /** Null: kept without end. */
  readonly kept_days: number | null;
  readonly rows: number;
}

export const retention_command: Command = {
  name: 'retention run',
  summary: 'Archives and removes the rows whose retention time is over; a running server does the same',
  flags: { 'dry-run': 'Only counts them' },
  async run(services, given) {
    const is_dry = given.flags.has('dry-run');
    const outcomes: Outcome[] = [];
    for (const kind of retention_kinds) {
      const kept_days = services.config().kept_days[kind];
      outcomes.push({ kind, kept_days, rows: kept_days === null ? 0 : await runKind(services, kind, is_dry) });
    }
    const table = formatTable(
      ['kind', 'kept', is_dry ? 'due' : 'removed'],
      outcomes.map(({ kind, kept_days, rows }) => {
        return kept_days === null
          ? [kind, 'for ever', '-']
          : [kind, kept_days === 1 ? '1 day' : `${kept_days} days`, String(rows)];
      }),
    );
    const folder = services.config().archive_folder;
    const note = folder === null ? 'ARCHIVE_FOLDER is not set: rows are removed without a copy.' : `Archive: ${folder}`;
    return { data: { dry_run: is_dry, archive_folder: folder, kinds: outcomes }, text: `${table}\n${note}` };
  },
};

async function runKind(services: AdminServices, kind: RetentionKind, is_dry: boolean): Promise<number> {
  const { unitOfWork } = await services.persistence();
  const bounds = boundsOf(services.config().kept_days, services.clock(), kind)!;
  const report = (count: number) => services.reportProgress(() => `${kind}: ${count.toLocaleString('en-US')} rows`);
  const machineNow = machine_timers.nowMs;
  // Only sealed entries may be deleted. No server that seals them may be running.
  if (kind === 'audit_entries') await sealAuditLog({ unitOfWork, mac: services.vault().audit_mac });
  if (is_dry) return await countDueRows({ unitOfWork }, kind, bounds, report);
  let sum = 0;
  const ports = {
    unitOfWork,
    archive: openArchive(services.config()),
    random: services.vault().random,
    machineNow,
    afterStep: async (removed: number) => {
      sum += removed;
      report(sum);
      return true;
    },
  };
  for (const until_ms = machine_timers.monotonicNow() + wait_ms_max; ; await machine_timers.pause(try_every_ms)) {
    const removed = await purgeRows(ports, kind, bounds);
    if (removed !== null) {
      if (kind === 'audit_entries') await reportStuck(services, bounds);
      return removed;
    }
    if (machine_timers.monotonicNow() > until_ms)
      throw new Error(`another process is at work on ${kind}; run the command again`);
  }
}

/**
 * An entry that fails verification blocks the deletion of later entries, so that it can be found.
 */
async function reportStuck(services: AdminServices, bounds: RetentionBounds): Promise<void> {
  const { unitOfWork } = await services.persistence();
  const count = await countDueRows({ unitOfWork }, 'audit_entries', bounds, () => {});
  if (count === 0) return;
  const due =
    count === 1 ? '1 row of audit_entries is due and stays' : `${count} rows of audit_entries are due and stay`;
  services.report(`${due}: the first of them is not as it was sealed. "npm run admin -- audit verify" names it.`);
}
