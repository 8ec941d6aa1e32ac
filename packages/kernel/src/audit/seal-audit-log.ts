import { Fault, Refusal } from '../errors.ts';
import type { Call, UnitOfWork } from '../transactions/unit-of-work.ts';
import { type AuditLog, auditEntry } from './audit.ts';
import {
  type AuditChainRow,
  type AuditChainStore,
  type AuditMac,
  audit_batch_max,
  isGenuineChain,
  sealAuditEntries,
  signAuditChain,
} from './audit-chain.ts';
import { type AuditFinding, altered_head, removed_head } from './check-audit-entry.ts';

export interface SealPorts {
  readonly unitOfWork: UnitOfWork<{ readonly audit_chain: AuditChainStore }>;
  readonly mac: AuditMac;
}

/** What a run of the sealer did. With a finding nothing can be sealed. */
export interface SealOutcome {
  readonly sealed: number;
  readonly finding: AuditFinding | null;
}

/**
 * Seals the committed entries that wait, batch by batch. Safe while other processes do the same:
 * the row of the chain is locked during a batch, so each entry is sealed once. Seals nothing on a
 * chain that is not genuine, because its seals would hide what happened. `afterBatch` is called
 * with the number of entries sealed so far, and resolves with false to end the run.
 */
export async function sealAuditLog(
  ports: SealPorts,
  afterBatch: (sealed: number) => Promise<boolean> = async () => true,
): Promise<SealOutcome> {
  const { unitOfWork } = ports;
  if (!(await unitOfWork.read((tx) => tx.audit_chain.isWaiting()))) return { sealed: 0, finding: null };
  for (let sealed = 0; ; ) {
    const batch = await unitOfWork.run(({ audit_chain }) => sealBatch(ports, audit_chain));
    sealed += batch.sealed;
    const is_last = batch.finding !== null || batch.sealed < audit_batch_max;
    if (is_last || !(await afterBatch(sealed))) return { sealed, finding: batch.finding };
  }
}

async function sealBatch({ mac }: SealPorts, store: AuditChainStore): Promise<SealOutcome> {
  const row = await lockGenuineChain(mac, store);
  if ('kind' in row) return { sealed: 0, finding: row };
  const entries = await store.unsealed(audit_batch_max);
  if (entries.length === 0) return { sealed: 0, finding: null };
  const { seals, chain } = sealAuditEntries(mac, row, entries);
  await store.seal(seals, signAuditChain(mac, chain));
  return { sealed: seals.length, finding: null };
}

async function lockGenuineChain(mac: AuditMac, store: AuditChainStore): Promise<AuditChainRow | AuditFinding> {
  const row = await store.lock();
  if (row === null) return removed_head;
  const has_seals = row.mac === null && (await store.sealedAfter(null, 1)).length > 0;
  return isGenuineChain(mac, row, has_seals) ? row : altered_head;
}

/** The error of work that cannot be done because the chain is not genuine. */
export function brokenAuditChain({ problem, expected }: AuditFinding): Fault {
  return new Fault(`the audit log cannot be sealed: ${problem}; expected: ${expected}`, { retryable: false });
}

/**
 * Accepts the sealed entries up to the number `through` that were written without the hash of a
 * writer, for example because rows were restored by hand. Leaves an audit entry. Refuses (`validation_failed`) a number that is not of a sealed entry, or is accepted
 * already. Throws a `Fault` when the chain is not genuine.
 */
export async function acceptUnhashedEntries(
  {
    unitOfWork,
    mac,
  }: Pick<SealPorts, 'mac'> & {
    readonly unitOfWork: UnitOfWork<{ readonly audit_chain: AuditChainStore; readonly audit: AuditLog }>;
  },
  call: Pick<Call, 'actor' | 'request_id' | 'now_ms'>,
  { through, note }: { readonly through: number; readonly note: string },
): Promise<void> {
  await unitOfWork.run(async ({ audit_chain, audit }) => {
    const row = await lockGenuineChain(mac, audit_chain);
    if ('kind' in row) throw brokenAuditChain(row);
    const refuse = (message: string) => new Refusal('validation_failed', message, [{ path: 'through', message }]);
    if (through > row.number) throw refuse(`is ${through}; the newest sealed entry has number ${row.number}`);
    if (through <= row.accepted_number)
      throw refuse(`is ${through}; entries up to ${row.accepted_number} are accepted`);
    const entry = auditEntry({ ...call, company_id: null }, 'audit_log.accepted', `audit_log:${through}`, {
      after: row.accepted_number,
      through,
      note,
    });
    await audit.record(entry, call.now_ms);
    await audit_chain.write(signAuditChain(mac, { ...row, accepted_number: through }));
  });
}
