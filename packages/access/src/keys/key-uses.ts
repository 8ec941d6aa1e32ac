import type { Clock, UnitOfWork } from '@tallystick/kernel';
import type { AccessTx } from '../ports.ts';

/** How often the last use of one key is written at most. */
const written_every_ms = 60_000;

/** The most keys that one transaction writes. */
const batch_max = 100;

interface Use {
  used_at_ms: number;
  /** The use that was written last, and when. */
  written: { readonly used_at_ms: number; readonly at_ms: number } | null;
}

/**
 * When the keys of a process were used last. A request only notes its key in memory; `write` stores
 * what was noted, later and beside all requests.
 */
export interface KeyUses {
  note(key_id: number): void;
  /** Stores the last use of each key, of one key at most once a minute. */
  write(unitOfWork: UnitOfWork<Pick<AccessTx, 'api_keys'>>): Promise<void>;
}

export function createKeyUses(clock: Clock): KeyUses {
  const uses = new Map<number, Use>();
  return {
    note(key_id) {
      const use = uses.get(key_id);
      if (use === undefined) uses.set(key_id, { used_at_ms: clock.nowMs(), written: null });
      else use.used_at_ms = clock.nowMs();
    },
    async write(unitOfWork) {
      const at_ms = clock.nowMs();
      const due: { readonly id: number; readonly use: Use; readonly last_used_at_ms: number }[] = [];
      for (const [id, use] of uses) {
        const { used_at_ms, written } = use;
        if (written !== null && at_ms - written.at_ms < written_every_ms) continue;
        if (written?.used_at_ms === used_at_ms) uses.delete(id);
        else due.push({ id, use, last_used_at_ms: used_at_ms });
      }
      due.sort((a, b) => a.id - b.id);
      for (let from = 0; from < due.length; from += batch_max) {
        const batch = due.slice(from, from + batch_max);
        await unitOfWork.run((tx) => tx.api_keys.recordUses(batch));
        for (const { use, last_used_at_ms } of batch) use.written = { used_at_ms: last_used_at_ms, at_ms };
      }
    },
  };
}
