/**
 * The time by which the library judges, epoch milliseconds: it reads machine time from the process
 * itself, at each use. What it compares with the times of JWTs and records, and what is compared
 * beside it, must come from the same clock, also where a composition has other timers.
 */
export function libraryNowMs(): number {
  return Date.now();
}
