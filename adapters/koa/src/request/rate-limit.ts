/**
 * Above this number, full buckets are deleted. A full bucket has the same effect as a missing one.
 */
const buckets_max = 10_000;

interface Bucket {
  tokens: number;
  filled_at_ms: number;
}

/**
 * Token buckets, one per API key, in this process. A bucket has the tokens of one minute and fills
 * steadily.
 */
export interface RateLimit {
  /** Takes one token. Returns 0 when there was one, else the whole seconds until there is one. */
  take(key_id: string, per_minute: number): number;
}

/** `monotonicNow` returns milliseconds since a fixed origin and never goes back. */
export function createRateLimit(monotonicNow: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take(key_id, per_minute) {
      const at_ms = monotonicNow();
      let bucket = buckets.get(key_id);
      if (bucket === undefined) {
        if (buckets.size >= buckets_max) dropFull(buckets, at_ms);
        bucket = { tokens: per_minute, filled_at_ms: at_ms };
        buckets.set(key_id, bucket);
      }
      const per_ms = per_minute / 60_000;
      bucket.tokens = Math.min(per_minute, bucket.tokens + (at_ms - bucket.filled_at_ms) * per_ms);
      bucket.filled_at_ms = at_ms;
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return 0;
      }
      return Math.max(1, Math.ceil((1 - bucket.tokens) / per_ms / 1000));
    },
  };
}

/** A bucket that was not used for a minute is full. */
function dropFull(buckets: Map<string, Bucket>, at_ms: number): void {
  for (const [key_id, bucket] of buckets) if (at_ms - bucket.filled_at_ms >= 60_000) buckets.delete(key_id);
}
