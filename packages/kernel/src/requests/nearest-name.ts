/**
 * The known name that an unknown one was probably meant to be, or null when none is close enough. A
 * name is close when at most one in three of its characters was added, left out, replaced, or
 * exchanged with the next.
 */
export function nearestName(unknown: string, known: Iterable<string>): string | null {
  let nearest: string | null = null;
  let nearest_distance = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const distance_max = Math.ceil(Math.max(name.length, unknown.length) / 3);
    if (Math.abs(name.length - unknown.length) > distance_max) continue;
    const distance = distanceBetween(unknown.toLowerCase(), name.toLowerCase());
    if (distance <= distance_max && distance < nearest_distance) {
      nearest = name;
      nearest_distance = distance;
    }
  }
  return nearest;
}

/** What to say about an unknown name: the nearest known one, or all. */
export function nameHint(unknown: string, known: readonly string[]): string {
  const nearest = nearestName(unknown, known);
  return nearest === null ? `the fields are ${known.join(', ')}` : `did you mean ${nearest}?`;
}

/**
 * Counts the characters to add, leave out, replace or exchange with the next (optimal string
 * alignment).
 */
function distanceBetween(a: string, b: string): number {
  let before_last: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, before_last[j - 2]! + 1);
      }
      row.push(least);
    }
    before_last = last;
    last = row;
  }
  return last[b.length]!;
}
