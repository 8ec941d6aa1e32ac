import {
  type AuditChainRow,
  type AuditFinding,
  type AuditMac,
  type AuditRow,
  auditContentHash,
  auditLink,
} from '@tallystick/kernel';
import fc from 'fast-check';

/** All rows of the audit log and of its chain. */
export interface AuditTables {
  /** In the order of their numbers. */
  readonly rows: readonly AuditRow[];
  readonly chain: AuditChainRow | null;
}

/** What someone does who can write to the database, and has no key. */
export interface Tampering {
  readonly does: string;
  readonly tables: AuditTables;
  /** Null: the tables are as they were. */
  readonly finding: Pick<AuditFinding, 'kind' | 'number' | 'id'> | null;
}

type Content = Omit<AuditRow, 'id' | 'content_hash' | 'number' | 'link'>;

const text = fc.constantFrom('x', 'key:9', "it's", 'é 𝄞', '');
const hash = fc.constantFrom('0'.repeat(64), 'f'.repeat(64));

const content: fc.Arbitrary<Partial<Content>> = fc.oneof(
  fc.record({ company_id: fc.constantFrom(null, 8_191) }),
  fc.record({ actor: text }),
  fc.record({ action: text }),
  fc.record({ object: text }),
  fc.record({ request_id: fc.option(text) }),
  fc.record({ source_address: fc.constantFrom(null, '203.0.113.7', '2001:db8::1') }),
  fc.record({ details: fc.constantFrom('{}', '{"place":99}', '[]') }),
  fc.record({ at_ms: fc.constantFrom(0, 17, 1_900_000_000_000) }),
);

/** One change of sealed entries of a log, at least three, or of its chain. */
export function tamperingWith(mac: AuditMac, tables: AuditTables): fc.Arbitrary<Tampering> {
  const { rows, chain } = tables;
  const place = fc.nat(rows.length - 1);
  const at = (of: number): AuditRow & { readonly number: number } => rows[of] as AuditRow & { readonly number: number };
  const free_id = Math.max(...rows.map(({ id }) => id)) + 1_000;
  const newest = at(rows.length - 1).number;
  const first = at(0).number;

  const change = (of: number, changes: Partial<AuditRow>, finding: Tampering['finding']): Tampering => ({
    does: `changes entry ${at(of).id}: ${JSON.stringify(changes)}`,
    tables: { rows: rows.with(of, { ...at(of), ...changes }), chain },
    finding,
  });
  const without = (from: number, to = from): readonly AuditRow[] => rows.filter((_, one) => one < from || one > to);

  const content_changed = fc.tuple(place, content).map(([of, changes]) => {
    const is_same = Object.entries(changes).every(([name, value]) => at(of)[name as keyof Content] === value);
    const { number, id } = at(of);
    return change(of, changes, is_same ? null : { kind: 'changed', number, id });
  });
  const hash_changed = fc.tuple(place, fc.option(hash)).map(([of, content_hash]) => {
    return change(of, { content_hash }, { kind: 'changed', number: at(of).number, id: at(of).id });
  });
  const link_changed = fc.tuple(place, fc.option(hash)).map(([of, link]) => {
    return change(of, { link }, { kind: 'changed', number: at(of).number, id: at(of).id });
  });
  const id_changed = place.map((of) => {
    return change(of, { id: free_id }, { kind: 'changed', number: at(of).number, id: free_id });
  });
  const number_changed = fc.tuple(place, fc.integer({ min: -2, max: newest + 3 })).map(([of, number]) => {
    const { id, number: own } = at(of);
    if (number === own) return change(of, {}, null);
    // Also below the first number of a purged log.
    if (number < own) return change(of, { number }, { kind: 'inserted', number, id });
    return change(of, { number }, { kind: 'removed', number: own, id: null });
  });
  const removed = fc.tuple(place, place).map(([one, other]): Tampering => {
    const [from, to] = [Math.min(one, other), Math.max(one, other)];
    return {
      does: `removes numbers ${at(from).number} to ${at(to).number}`,
      tables: { rows: without(from, to), chain },
      finding: { kind: 'removed', number: at(from).number, id: null },
    };
  });
  const closed_gap = fc.nat(rows.length - 2).map((of): Tampering => {
    const { number } = at(of);
    const moved = without(of).map((row) => (row.number! > number ? { ...row, number: row.number! - 1 } : row));
    return {
      does: `removes number ${number}, and moves those after it`,
      tables: { rows: moved, chain },
      finding: { kind: 'removed', number, id: null },
    };
  });
  const swapped = fc.tuple(place, place).map(([one, other]): Tampering => {
    const [from, to] = [Math.min(one, other), Math.max(one, other)];
    const asAnother = (row: AuditRow, { id, content_hash, number, link, ...content }: AuditRow) => ({
      ...row,
      ...content,
    });
    const swap = rows.with(from, asAnother(at(from), at(to))).with(to, asAnother(at(to), at(from)));
    return {
      does: `swaps the content of numbers ${at(from).number} and ${at(to).number}`,
      tables: { rows: swap, chain },
      finding: from === to ? null : { kind: 'changed', number: at(from).number, id: at(from).id },
    };
  });
  const forged_number = fc.integer({ min: first - 2, max: newest + 3 });
  const inserted = fc.tuple(place, forged_number, fc.boolean(), content).map(([of, number, is_low, changes]) => {
    const id = is_low ? -5 : free_id;
    // With a hash that a key made, but not this one.
    const wrong: AuditMac = (message) => mac(`not the key ${message}`);
    const row = { ...at(of), ...changes, id, number };
    const content_hash = auditContentHash(wrong, row);
    const forged: AuditRow = { ...row, content_hash, link: auditLink(wrong, at(of).link!, number, content_hash) };
    return {
      does: `inserts an entry with number ${number}`,
      tables: { rows: [...rows, forged], chain },
      finding: { kind: 'inserted' as const, number, id },
    };
  });
  const shifted = fc.tuple(place, fc.boolean()).map(([of, is_low]): Tampering => {
    const { number } = at(of);
    const id = is_low ? -5 : free_id;
    const moved = rows.map((row) => (row.number! >= number ? { ...row, number: row.number! + 1 } : row));
    return {
      does: `inserts an entry with number ${number}, and moves those after it`,
      tables: { rows: [...moved, { ...at(of), id }], chain },
      finding: { kind: 'inserted', number, id },
    };
  });
  const head_changed = fc
    .constantFrom<Partial<AuditChainRow>>(
      { number: newest - 1 },
      { number: newest + 1 },
      { link: at(0).link! },
      { removed_number: first },
      { removed_link: at(0).link! },
      { accepted_number: newest + 1 },
      { mac: null },
      { mac: '0'.repeat(64) },
    )
    .map(
      (changes): Tampering => ({
        does: `changes the head: ${JSON.stringify(changes)}`,
        tables: { rows, chain: { ...chain!, ...changes } },
        finding: { kind: 'head_altered', number: null, id: null },
      }),
    );
  const head_removed = fc.constant<Tampering>({
    does: 'removes the head',
    tables: { rows, chain: null },
    finding: { kind: 'head_removed', number: null, id: null },
  });
  return fc.oneof(
    content_changed,
    hash_changed,
    link_changed,
    id_changed,
    number_changed,
    removed,
    closed_gap,
    swapped,
    inserted,
    shifted,
    head_changed,
    head_removed,
  );
}
