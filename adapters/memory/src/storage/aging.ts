/** Returns up to `limit` rows from before the instant, the oldest first. */
export function oldestBefore<Row>(
  rows: readonly Row[],
  happenedAt: (row: Row) => number | null,
  before_ms: number,
  limit: number,
): readonly Row[] {
  const at = (row: Row) => happenedAt(row) ?? Number.POSITIVE_INFINITY;
  return rows
    .filter((row) => at(row) < before_ms)
    .sort((a, b) => at(a) - at(b))
    .slice(0, limit);
}
