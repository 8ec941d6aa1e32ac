import type { AuditChain, AuditMac, AuditRow } from './audit-chain.ts';
import { beginningOfAuditChain, checkAuditEntry, type SealedAuditRow } from './check-audit-entry.ts';

/**
 * Which of the oldest sealed entries retention may remove, and the chain after their removal. Only
 * the beginning of the chain can go, and only while it is correct: an entry that was changed,
 * removed or inserted stays to be found, and so does everything after it.
 */
export function purgeableAuditEntries(
  mac: AuditMac,
  chain: AuditChain,
  entries: readonly SealedAuditRow[],
  mayGo: (entry: AuditRow) => boolean,
): { readonly ids: readonly number[]; readonly chain: AuditChain } {
  const ids: number[] = [];
  let position = beginningOfAuditChain(chain);
  for (const entry of entries) {
    if (!mayGo(entry)) break;
    const result = checkAuditEntry(mac, chain, position, entry, null);
    if ('kind' in result) break;
    position = result;
    ids.push(entry.id);
  }
  return { ids, chain: { ...chain, removed_number: position.number, removed_link: position.link } };
}
