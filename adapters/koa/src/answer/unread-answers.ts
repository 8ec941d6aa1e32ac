import type { ServerResponse } from 'node:http';
import type { Timers } from '@tallystick/kernel';

/** How long a client may take to read an answer. */
const reading_ms_max = 60_000;

/**
 * Bounds the memory of answers that clients do not read. The connection of the oldest answer is
 * closed when all together are too large, and when it was not read in time.
 */
export interface UnreadAnswers {
  /** Counts an answer that has ended, until it has reached the network. */
  add(res: ServerResponse): void;
  /** The answer has reached the network, or its connection is closed. */
  delete(res: ServerResponse): void;
}

/** Answers of at most `bytes_max` together. */
export function createUnreadAnswers(
  bytes_max: number,
  { monotonicNow, after }: Pick<Timers, 'monotonicNow' | 'after'>,
): UnreadAnswers {
  const answers = new Map<ServerResponse, { readonly bytes: number; readonly since_ms: number }>();
  let bytes_total = 0;
  let is_watching = false;

  const closeOldest = () => {
    const [res] = answers.keys();
    if (res === undefined) return;
    remove(res);
    res.socket?.destroy();
  };
  const remove = (res: ServerResponse) => {
    bytes_total -= answers.get(res)?.bytes ?? 0;
    answers.delete(res);
  };
  const watch = () => {
    is_watching = false;
    const now_ms = monotonicNow();
    for (const [res, { since_ms }] of answers) {
      if (now_ms - since_ms < reading_ms_max) break;
      remove(res);
      res.socket?.destroy();
    }
    if (answers.size > 0) schedule();
  };
  const schedule = () => {
    if (is_watching) return;
    is_watching = true;
    after(reading_ms_max / 4, watch, { keeps_alive: false });
  };

  return {
    add(res) {
      const bytes = res.writableLength;
      // The network has all of it.
      if (bytes === 0) return;
      answers.set(res, { bytes, since_ms: monotonicNow() });
      bytes_total += bytes;
      while (bytes_total > bytes_max) closeOldest();
      schedule();
    },
    delete: remove,
  };
}
