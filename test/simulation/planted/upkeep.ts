import { type PlantedBug, withStores } from './planted-bug.ts';

export const record_matched_twice: PlantedBug = {
  name: 'a record matched twice',
  persistence(persistence) {
    let matched: readonly number[] = [];
    return withStores(({ reconciliation }) => ({
      reconciliation: {
        ...reconciliation,
        async write(changes) {
          const [first] = changes.inserted;
          const known = matched;
          if (first !== undefined) matched = first.authorization_ids;
          const inserted = changes.inserted.map((item) =>
            item === first ? { ...item, authorization_ids: [...new Set([...item.authorization_ids, ...known])] } : item,
          );
          await reconciliation.write({ ...changes, inserted });
        },
      },
    }))(persistence);
  },
};

export const cell_counted_twice: PlantedBug = {
  name: 'an item counted twice in the summary',
  persistence: withStores(({ reconciliation }) => ({
    reconciliation: {
      ...reconciliation,
      write: (changes) => reconciliation.write({ ...changes, cells: [...changes.cells, ...changes.cells.slice(0, 1)] }),
    },
  })),
};

export const item_without_its_clearing: PlantedBug = {
  name: 'an item that leaves out a clearing',
  persistence: withStores(({ reconciliation }) => ({
    reconciliation: {
      ...reconciliation,
      write: (changes) =>
        reconciliation.write({
          ...changes,
          updated: changes.updated.map((item) => ({ ...item, clearing_ids: item.clearing_ids.slice(1) })),
        }),
    },
  })),
};

export const audit_entry_dropped: PlantedBug = {
  name: 'an audit entry dropped from the chain',
  persistence: withStores(({ audit_chain }) => ({
    audit_chain: { ...audit_chain, seal: (seals, chain) => audit_chain.seal(seals.slice(1), chain) },
  })),
};

export const young_rows_removed: PlantedBug = {
  name: 'retention that removes what is young',
  persistence: withStores(({ retention }) => ({
    retention: {
      ...retention,
      due: (kind, bounds, after) => retention.due(kind, { ...bounds, before_ms: bounds.now_ms - 3_600_000 }, after),
      remove: (kind, bounds, rows) => retention.remove(kind, { ...bounds, before_ms: bounds.now_ms - 3_600_000 }, rows),
    },
  })),
};
