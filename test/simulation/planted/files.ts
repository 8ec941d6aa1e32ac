import type { LedgerChanges } from '@tallystick/cards';
import { type PlantedBug, withChanges, withStores } from './planted-bug.ts';

export const line_left_out: PlantedBug = {
  name: 'a statement line left out',
  persistence: withStores(({ accounts }) => ({
    accounts: { ...accounts, recordLines: (lines) => accounts.recordLines(lines.slice(1)) },
  })),
};

export const line_booked_twice: PlantedBug = {
  name: 'a statement line booked twice',
  persistence: withStores(({ accounts }) => ({
    accounts: {
      ...accounts,
      recordLines: (lines) =>
        accounts.recordLines([
          ...lines,
          ...lines.slice(0, 1).map((line) => ({ ...line, bank_reference: 'again', place: (line.place ?? 0) + 1_000 })),
        ]),
    },
  })),
};

export const cut_file_completed: PlantedBug = {
  name: 'a cut file that counts as completed',
  persistence: withStores(({ imports }) => ({
    imports: {
      ...imports,
      update: (record) => imports.update(record.status === 'truncated' ? { ...record, status: 'completed' } : record),
    },
  })),
};

export const refused_record_dropped: PlantedBug = {
  name: 'a refused record of a file that nobody keeps',
  persistence: withChanges((changes): LedgerChanges => ({ ...changes, quarantined: [] })),
};

export const match_counted_twice: PlantedBug = {
  name: 'a match counted twice for its rule',
  persistence: withStores(({ reconciliation }) => ({
    reconciliation: {
      ...reconciliation,
      write: (changes) =>
        reconciliation.write({ ...changes, match_cells: [...changes.match_cells, ...changes.match_cells.slice(0, 1)] }),
    },
  })),
};
