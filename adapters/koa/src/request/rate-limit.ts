import type { Principal } from '@tallystick/access';
import { HttpProblem } from '../answer/error-answer.ts';

/**
 * Above this number, full buckets are deleted. A full bucket has the same effect as a missing one.
 */
const buckets_max = 10_000;

interface Bucket {
  readonly tokens: number;
  readonly filled_at_ms: number;
}

/** A limit that a request must keep: the requests per minute of one key, or of one company. */
export interface Limit {
  /** `key:17`, `company:3`. */
  readonly id: string;
  readonly per_minute: number;
}

/** A limit that has no token for a request. */
export interface ReachedLimit<Of extends Limit> {
  readonly limit: Of;
  /** Whole seconds until it has a token. */
  readonly wait_s: number;
}

/**
 * Token buckets, one for each limit, in this process. A bucket has the tokens of one minute and
 * fills steadily.
 */
export interface RateLimit {
  /**
   * Takes one token from each bucket and returns null. If one is empty, takes none, and returns the
   * limit with the longest wait.
   */
  take<Of extends Limit>(limits: readonly Of[]): ReachedLimit<Of> | null;
  /** What `take` would return. Takes no token, and remembers nothing: the limit may be invented. */
  reached<Of extends Limit>(limits: readonly Of[]): ReachedLimit<Of> | null;
}

/** `monotonicNow` returns milliseconds since a fixed origin and never goes back. */
export function createRateLimit(monotonicNow: () => number): RateLimit {
  const buckets = new Map<string, Bucket>();

  function tokensOf({ id, per_minute }: Limit, at_ms: number): number {
    const bucket = buckets.get(id);
    if (bucket === undefined) return per_minute;
    return Math.min(per_minute, bucket.tokens + ((at_ms - bucket.filled_at_ms) * per_minute) / 60_000);
  }

  function reached<Of extends Limit>(limits: readonly Of[]): ReachedLimit<Of> | null {
    const at_ms = monotonicNow();
    const empty = limits
      .map((limit) => ({ limit, tokens: tokensOf(limit, at_ms) }))
      .filter(({ tokens }) => tokens < 1)
      .map(({ limit, tokens }) => {
        const wait_ms = ((1 - tokens) * 60_000) / limit.per_minute;
        return { limit, wait_s: Math.max(1, Math.ceil(wait_ms / 1000)) };
      })
      .sort((a, b) => b.wait_s - a.wait_s);
    return empty[0] ?? null;
  }

  return {
    reached,
    take(limits) {
      const empty = reached(limits);
      if (empty !== null) return empty;
      const at_ms = monotonicNow();
      for (const limit of limits) {
        if (buckets.size >= buckets_max && !buckets.has(limit.id)) dropFull(buckets, at_ms);
        buckets.set(limit.id, { tokens: tokensOf(limit, at_ms) - 1, filled_at_ms: at_ms });
      }
      return null;
    },
  };
}

/** A bucket that was not used for a minute is full. */
function dropFull(buckets: Map<string, Bucket>, at_ms: number): void {
  for (const [id, bucket] of buckets) if (at_ms - bucket.filled_at_ms >= 60_000) buckets.delete(id);
}

export interface RateLimitPorts {
  readonly rate_limit: RateLimit;
  /** For keys without a separate limit. Null: no limit. */
  readonly rate_limit_per_minute: number | null;
}

/** Whether the key of a caller or its company has a rate limit. */
export function hasRateLimit(
  { rate_limit_per_minute }: Pick<RateLimitPorts, 'rate_limit_per_minute'>,
  principal: Principal,
): boolean {
  const of_key = principal.rate_limit_per_minute ?? rate_limit_per_minute;
  return of_key !== null || principal.company_rate_limit_per_minute !== null;
}

/** Refuses (`rate_limited`) a request past a limit of its key or its company. */
export function enforceRateLimit(ports: RateLimitPorts, principal: Principal): void {
  if (!hasRateLimit(ports, principal)) return;
  const { key_id, company_id, company_rate_limit_per_minute } = principal;
  const of_key = principal.rate_limit_per_minute ?? ports.rate_limit_per_minute;
  const limits: (Limit & { readonly of: string })[] = [];
  if (of_key !== null) limits.push({ id: `key:${key_id}`, per_minute: of_key, of: 'this key' });
  if (company_rate_limit_per_minute !== null) {
    const of = 'the keys of this company together';
    limits.push({ id: `company:${company_id}`, per_minute: company_rate_limit_per_minute, of });
  }
  const reached = ports.rate_limit.take(limits);
  if (reached === null) return;
  const { limit, wait_s } = reached;
  const message = `${limit.of} may send ${limit.per_minute} requests a minute; try again in ${wait_s} s`;
  throw new HttpProblem('rate_limited', message, { 'Retry-After': String(wait_s) });
}
