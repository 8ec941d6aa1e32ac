/** Lines and clearings of which each belongs together with some of the others. */
export interface Cluster {
  readonly line_ids: ReadonlySet<number>;
  readonly clearing_ids: ReadonlySet<number>;
}

/** Joins what has a line or a clearing in common, in the order of the first of each. */
export function clustersOf(
  links: Iterable<{ readonly line_ids: Iterable<number>; readonly clearing_ids: Iterable<number> }>,
): readonly Cluster[] {
  let clusters: readonly Cluster[] = [];
  for (const link of links) {
    let joined: Cluster = { line_ids: new Set(link.line_ids), clearing_ids: new Set(link.clearing_ids) };
    if (clusters.length === 0) {
      clusters = [joined];
      continue;
    }
    const others: Cluster[] = [];
    for (const cluster of clusters) {
      if (isDisjoint(cluster, joined)) {
        others.push(cluster);
      } else {
        joined = {
          line_ids: cluster.line_ids.union(joined.line_ids),
          clearing_ids: cluster.clearing_ids.union(joined.clearing_ids),
        };
      }
    }
    clusters = [...others, joined];
  }
  return clusters;
}

function isDisjoint(one: Cluster, other: Cluster): boolean {
  return one.line_ids.isDisjointFrom(other.line_ids) && one.clearing_ids.isDisjointFrom(other.clearing_ids);
}

/** A pair as a link of a cluster. */
export function linkOf({ line_id, clearing_id }: { readonly line_id: number; readonly clearing_id: number }): {
  readonly line_ids: readonly number[];
  readonly clearing_ids: readonly number[];
} {
  return { line_ids: [line_id], clearing_ids: [clearing_id] };
}
