import { eventsNeeded, type LedgerCard, type Lookup } from '@tallystick/cards';
import type { AuditMac, Clock } from '@tallystick/kernel';
import { type TemplateRow, templateRuleOf } from '../schema/records/card-rows.ts';

/** The largest number of new ids that a pass over these messages needs. */
export function idsNeeded(messages: readonly Lookup[]): {
  readonly authorizations: number;
  readonly clearings: number;
  readonly events: number;
} {
  const count = { authorization: 0, clearing: 0, release: 0, freeze: 0, rematch: 0 };
  for (const { kind } of messages) count[kind] += 1;
  return { authorizations: count.authorization, clearings: count.clearing, events: eventsNeeded(messages) };
}

/** `count` ids that follow `last`. */
export function idsAfter(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, offset) => last + 1 + offset);
}

/**
 * The rules of templates by id, cached for the life of the process. The rules and the version of a
 * template that cards have never change, and a list may have a thousand entries, too many to read
 * again for each message.
 */
export class TemplateRules {
  readonly #kept = new Map<number, LedgerCard['template']>();
  static readonly #kept_max = 10_000;

  get(id: number): LedgerCard['template'] | undefined {
    return this.#kept.get(id);
  }

  keep(id: number, row: TemplateRow): LedgerCard['template'] {
    if (this.#kept.size >= TemplateRules.#kept_max) this.#kept.clear();
    const rule = templateRuleOf(row);
    this.#kept.set(id, rule);
    return rule;
  }
}

/** What a pass needs besides the database. */
export interface PassPorts {
  readonly clock: Clock;
  /** Hashes the audit entries of a pass. */
  readonly audit_mac: AuditMac;
}
