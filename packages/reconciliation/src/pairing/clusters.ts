import type { StatementPair } from '../act.ts';
import { itemIdOf, type RecordIds, recordsOf } from '../item-id.ts';

/** Lines and clearings of which each belongs together with some of the others. */
export interface Cluster {
  readonly line_ids: ReadonlySet<number>;
  readonly clearing_ids: ReadonlySet<number>;
}

/** Joins what has a line or a clearing in common, in the order of the last link of each. */
export function clustersOf(links: Iterable<RecordIds>): readonly Cluster[] {
  const groups = new Groups();
  const all = Array.from(links, (link) => {
    const [own, ...others] = recordsOf(link).map(itemIdOf) as [number, ...number[]];
    groups.add(own);
    for (const other of others) groups.join(other, own);
    return { link, own };
  });
  const clusters = new Map<number, { readonly line_ids: Set<number>; readonly clearing_ids: Set<number> }>();
  for (const { link, own } of all) {
    const root = groups.rootOf(own);
    const cluster = clusters.get(root) ?? { line_ids: new Set(), clearing_ids: new Set() };
    for (const id of link.line_ids) cluster.line_ids.add(id);
    for (const id of link.clearing_ids) cluster.clearing_ids.add(id);
    // The cluster of the last link is the last one.
    clusters.delete(root);
    clusters.set(root, cluster);
  }
  return [...clusters.values()];
}

/** Disjoint groups of records, which `itemIdOf` numbers. */
export class Groups {
  readonly #parents = new Map<number, number>();

  add(own: number): void {
    if (!this.#parents.has(own)) this.#parents.set(own, own);
  }

  join(one: number, other: number): void {
    this.add(one);
    this.add(other);
    this.#parents.set(this.rootOf(one), this.rootOf(other));
  }

  rootOf(own: number): number {
    const parents = this.#parents;
    let root = own;
    for (let above = parents.get(root) ?? root; above !== root; above = parents.get(root) ?? root) {
      // Path halving: the next search takes half as many steps.
      const further = parents.get(above) ?? above;
      parents.set(root, further);
      root = further;
    }
    return root;
  }
}

export function linkOf({ line_id, clearing_id }: StatementPair): RecordIds {
  return { line_ids: [line_id], clearing_ids: [clearing_id] };
}
