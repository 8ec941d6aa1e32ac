import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { type Cluster, clustersOf } from '../../src/pairing/clusters.ts';

fc.configureGlobal(propertyParameters());

/** Joins each link with all clusters that have one of its members. */
function joinPlainly(links: readonly Cluster[]): readonly Cluster[] {
  let clusters: readonly Cluster[] = [];
  for (const link of links) {
    const isJoined = ({ line_ids, clearing_ids }: Cluster): boolean =>
      !line_ids.isDisjointFrom(link.line_ids) || !clearing_ids.isDisjointFrom(link.clearing_ids);
    const joined = [...clusters.filter(isJoined), link].reduce((one, other) => ({
      line_ids: one.line_ids.union(other.line_ids),
      clearing_ids: one.clearing_ids.union(other.clearing_ids),
    }));
    clusters = [...clusters.filter((cluster) => !isJoined(cluster)), joined];
  }
  return clusters;
}

const ids = fc.uniqueArray(fc.nat({ max: 9 }), { minLength: 1, maxLength: 3 });
const link = fc.record({ line_ids: ids, clearing_ids: ids }).map(({ line_ids, clearing_ids }) => ({
  line_ids: [...new Set(line_ids)],
  clearing_ids: [...new Set(clearing_ids)],
}));

const toCluster = ({
  line_ids,
  clearing_ids,
}: {
  readonly line_ids: number[];
  readonly clearing_ids: number[];
}): Cluster => ({
  line_ids: new Set(line_ids),
  clearing_ids: new Set(clearing_ids),
});

const inOrder = ({ line_ids, clearing_ids }: Cluster) => [line_ids, clearing_ids].map((of) => [...of].sort());

test('what has a line or a clearing in common is one cluster, and the one of the last link is the last', () => {
  fc.assert(
    fc.property(fc.array(link, { maxLength: 8 }), (links) => {
      assert.deepEqual(clustersOf(links).map(inOrder), joinPlainly(links.map(toCluster)).map(inOrder));
    }),
  );
});
