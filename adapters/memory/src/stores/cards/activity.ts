import type { ActivityCount, ActivityStore } from '@tallystick/cards';
import type { State } from '../../storage/state.ts';

export function activityStore({ activity }: State): ActivityStore {
  const keyOf = ({ company_id, at_ms, outcome }: ActivityCount) => JSON.stringify([company_id, at_ms, outcome]);
  return {
    async add(counts) {
      for (const count of counts) {
        const key = keyOf(count);
        activity.set(key, { ...count, count: (activity.get(key)?.count ?? 0) + count.count });
      }
    },
    async read(company_id, from_ms) {
      return activity.values().filter((count) => count.company_id === company_id && count.at_ms >= from_ms);
    },
    async purge(before_ms, limit) {
      const old = activity.values().filter(({ at_ms }) => at_ms < before_ms);
      const purged = old.slice(0, limit);
      for (const count of purged) activity.delete(keyOf(count));
      return purged.length;
    },
  };
}
