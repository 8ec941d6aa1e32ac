/** The bytes of each body that are not counted. Most bodies are shorter. */
const unpaced_bytes = 64 * 1024;

/**
 * The least that a piece counts. To parse a piece takes about as long as to receive so many bytes,
 * and a sender can make a piece of each byte.
 */
const piece_bytes_min = 512;

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
  /**
   * Begins a body of the owner. The returned function takes the bytes of a piece that has arrived,
   * and returns how long the next one waits, milliseconds. It returns null when that is more than
   * `wait_ms_max`; then the piece is not counted.
   */
  open(owner: string, wait_ms_max?: number): (bytes: number) => number | null;
}

/** `monotonicNow` returns milliseconds since a fixed origin and never goes back. */
export function createBodyPace(monotonicNow: () => number): BodyPace {
  /** When the bytes of an owner would have arrived at the steady rate. */
  const steady_at_ms = new Map<string, number>();
  const burst_ms = (burst_bytes / bytes_per_s) * 1000;

  function waitAfter(owner: string, bytes: number, wait_ms_max: number): number | null {
    const now_ms = monotonicNow();
    const known_ms = steady_at_ms.get(owner);
    if (known_ms === undefined && steady_at_ms.size >= owners_max) forgetIdle(steady_at_ms, now_ms - burst_ms);
    const from_ms = Math.max(known_ms ?? Number.NEGATIVE_INFINITY, now_ms - burst_ms);
    const steady_ms = from_ms + (bytes / bytes_per_s) * 1000;
    if (steady_ms - now_ms > wait_ms_max) return null;
    steady_at_ms.set(owner, steady_ms);
    return Math.max(0, steady_ms - now_ms);
  }

  return {
    open(owner, wait_ms_max = Number.POSITIVE_INFINITY) {
      let arrived = 0;
      return (bytes) => {
        const counted = Math.max(bytes, piece_bytes_min);
        arrived += counted;
        return arrived <= unpaced_bytes ? 0 : waitAfter(owner, counted, wait_ms_max);
      };
    },
  };
}

/** An owner that may send a whole burst is like an unknown one. */
function forgetIdle(steady_at_ms: Map<string, number>, until_ms: number): void {
  for (const [owner, steady_ms] of steady_at_ms) if (steady_ms <= until_ms) steady_at_ms.delete(owner);
}
