/** Lines and clearings of which each belongs together with some of the others. */
export interface Cluster {
  readonly line_ids: ReadonlySet<number>;
  readonly clearing_ids: ReadonlySet<number>;
}

/** Joins what has a line or a clearing in common, in the order of the last link of each. */
export function clustersOf(
  links: Iterable<{ readonly line_ids: Iterable<number>; readonly clearing_ids: Iterable<number> }>,
): readonly Cluster[] {
  const roots = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let above = roots.get(root) ?? root; above !== root; above = roots.get(root) ?? root) {
      // Path halving: the next search takes half as many steps.
      const further = roots.get(above) ?? above;
      roots.set(root, further);
      root = further;
    }
    return root;
  };
  const all = Array.from(links, ({ line_ids, clearing_ids }) => {
    const of_link = { line_ids: [...line_ids], clearing_ids: [...clearing_ids] };
    const names = [
      ...of_link.line_ids.map((id) => `line ${id}`),
      ...of_link.clearing_ids.map((id) => `clearing ${id}`),
    ];
    for (const name of names) roots.set(rootOf(name), rootOf(names[0]!));
    return { ...of_link, name: names[0]! };
  });
  const clusters = new Map<string, { readonly line_ids: Set<number>; readonly clearing_ids: Set<number> }>();
  for (const { line_ids, clearing_ids, name } of all) {
    const root = rootOf(name);
    const cluster = clusters.get(root) ?? { line_ids: new Set(), clearing_ids: new Set() };
    for (const id of line_ids) cluster.line_ids.add(id);
    for (const id of clearing_ids) cluster.clearing_ids.add(id);
    // The cluster of the last link is the last one.
    clusters.delete(root);
    clusters.set(root, cluster);
  }
  return [...clusters.values()];
}

/** A pair as a link of a cluster. */
export function linkOf({ line_id, clearing_id }: { readonly line_id: number; readonly clearing_id: number }): {
  readonly line_ids: readonly number[];
  readonly clearing_ids: readonly number[];
} {
  return { line_ids: [line_id], clearing_ids: [clearing_id] };
}
