import type { AuditRow } from '@tallystick/kernel';
import type { Invariant, Step } from './invariant.ts';
import { CallReader } from './messages.ts';

type Entry = Omit<AuditRow, 'content_hash' | 'number' | 'link' | 'details'> & { readonly details: object };

/** The keyed hash of an entry by its writer (ADR 0036). */
function contentHash({ audit_mac }: Step, id: number, entry: Omit<Entry, 'id'>): string {
  const { company_id, actor, action, object, request_id, source_address, details, at_ms } = entry;
  const text = JSON.stringify(details);
  return audit_mac(
    JSON.stringify(['entry', 'writer', id, company_id, actor, action, object, request_id, source_address, text, at_ms]),
  );
}

/** The operations that a person must account for. */
const audited: ReadonlySet<string> = new Set(['releaseHold']);

export const the_audit_chain_verifies: Invariant = {
  name: 'the audit chain verifies',
  says: 'entries never change, are numbered without gaps, hash to what is stored, and only the oldest are removed',
  begin() {
    let number = 0;
    let link = '';
    let removed = 0;
    return {
      *step(step) {
        for (const { key, before, after } of step.changes('audit')) {
          if (before !== undefined && after !== undefined) yield `audit entry ${key} changed`;
        }
        const sealed: { id: number; number: number; content_hash: string | null; link: string | null }[] = [];
        for (const { key, before, after } of step.changes('audit_hashes')) {
          if (after === undefined) {
            if (before === undefined || before.number === null)
              yield `audit entry ${key} was removed before it was sealed`;
            else removed += 1;
            continue;
          }
          const entry = step.state.audit.get(key);
          if (entry === undefined) {
            yield `audit entry ${key} has a hash, and is not stored`;
          } else if (after.content_hash !== contentHash(step, key, entry)) {
            yield `audit entry ${key} does not have the hash of its content`;
          }
          if (before?.number != null && (before.number !== after.number || before.link !== after.link)) {
            yield `audit entry ${key} was sealed again`;
          } else if (before?.number == null && after.number !== null) {
            sealed.push({ id: key, number: after.number, content_hash: after.content_hash, link: after.link });
          }
        }
        for (const seal of sealed.sort((a, b) => a.number - b.number)) {
          number += 1;
          link = step.audit_mac(JSON.stringify(['link', link, number, seal.content_hash]));
          if (seal.number !== number) yield `audit entry ${seal.id} has number ${seal.number}, not ${number}`;
          if (seal.link !== link) yield `audit entry ${seal.id} does not have the link of its place`;
        }
        const chain = step.state.audit_chain.get(1);
        if (chain === undefined) yield 'the head of the audit chain is gone';
        else if (chain.number !== number || (number > 0 && chain.link !== link)) {
          yield `the head of the audit chain is number ${chain.number}, and ${number} are sealed`;
        } else if (chain.removed_number !== removed) {
          yield `the head says that ${chain.removed_number} entries were removed, and ${removed} were`;
        }
      },
      *end({ state }) {
        if (state.audit.size !== state.audit_hashes.size) {
          yield `${state.audit.size} audit entries have ${state.audit_hashes.size} hashes`;
        }
        for (const [id, hash] of state.audit_hashes.entries())
          if (hash.number === null) yield `audit entry ${id} was never sealed`;
      },
    };
  },
};

export const acts_are_audited: Invariant = {
  name: 'acts are audited',
  says: 'an answered act of a person has an entry in the audit log',
  begin() {
    const reader = new CallReader();
    const known = new Set<string>();
    return {
      *step(step) {
        for (const { after } of step.changes('audit')) if (after?.request_id) known.add(after.request_id);
        reader.sent(step.history);
        for (const { operation, request_id, outcome } of reader.answered()) {
          if (audited.has(operation) && outcome?.kind === 'done' && !known.has(request_id)) {
            yield `${operation} ${request_id} is answered, and has no audit entry`;
          }
        }
      },
    };
  },
};
