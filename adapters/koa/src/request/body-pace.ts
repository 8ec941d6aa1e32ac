/** The bytes of each body that arrive without waiting. Most bodies are shorter. */
export const unpaced_bytes = 64 * 1024;

/** What one owner may send at once when it has sent little before, and what then every second. */
const burst_bytes = 8 * 1024 * 1024;
const bytes_per_s = 8 * 1024 * 1024;

/** Above this number, owners that need not wait are forgotten. */
const owners_max = 10_000;

/**
 * Bounds how fast long bodies are read. To receive a mebibyte, collect and parse it takes ten
 * milliseconds of this process, so a few clients that send nothing else would leave no time for
 * decisions.
 */
export interface BodyPace {
  /** Notes bytes of the owner that have arrived. Returns how long its next ones wait, milliseconds. */
  note(owner: string, bytes: number): number;
}

/** `monotonicNow` returns milliseconds since a fixed origin and never goes back. */
export function createBodyPace(monotonicNow: () => number): BodyPace {
  /** When the bytes of the owner would have arrived at the steady rate. */
  const paid_at_ms = new Map<string, number>();
  const burst_ms = (burst_bytes / bytes_per_s) * 1000;
  return {
    note(owner, bytes) {
      const now_ms = monotonicNow();
      const known_ms = paid_at_ms.get(owner);
      if (known_ms === undefined && paid_at_ms.size >= owners_max) forgetIdle(paid_at_ms, now_ms - burst_ms);
      const paid_ms = Math.max(known_ms ?? Number.NEGATIVE_INFINITY, now_ms - burst_ms) + (bytes / bytes_per_s) * 1000;
      paid_at_ms.set(owner, paid_ms);
      return Math.max(0, paid_ms - now_ms);
    },
  };
}

/** An owner that may send a whole burst is like an unknown one. */
function forgetIdle(paid_at_ms: Map<string, number>, until_ms: number): void {
  for (const [owner, paid_ms] of paid_at_ms) if (paid_ms <= until_ms) paid_at_ms.delete(owner);
}
