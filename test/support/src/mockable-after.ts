/**
 * `after` of `Timers` that `mock.timers` of node:test moves on: that of the machine does not follow
 * it.
 */
export function mockableAfter(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
