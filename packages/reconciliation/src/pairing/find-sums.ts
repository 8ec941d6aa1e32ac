/**
 * The most members of a covering set besides the record that they make up (decision:
 * reconciliation).
 */
export const covering_members_max = 5;

/**
 * Finds the sets of 1 to 5 amounts that add up to `total`, until `found` returns true, and returns
 * how many partial sets it examined. All amounts are above 0. A set is its ascending indexes: sets
 * with fewest members come first, then those with the lowest indexes. Sets that cannot reach the
 * total are not looked into: the smallest and largest sums of the amounts that are left bound the
 * search, and the last member is looked up. So of 30 amounts at most 31,931 partial sets are
 * examined.
 */
export function coveringIndexes(
  amounts: readonly number[],
  total: number,
  found: (indexes: readonly number[]) => boolean,
): number {
  const { least, most } = boundsOf(amounts);
  const places = Map.groupBy(amounts.keys(), (index) => amounts[index]!);
  const chosen: number[] = [];
  let examined = 0;
  // Returns whether the search is over.
  const choose = (from: number, missing: number, left: number): boolean => {
    examined += 1;
    if (missing === 1) return (places.get(left) ?? []).some((index) => index >= from && found([...chosen, index]));
    for (let index = from; index <= amounts.length - missing; index += 1) {
      // The bounds hold for every later index, too: `least` rises and `most` falls.
      if (left < least[index]![missing]! || left > most[index]![missing]!) return false;
      chosen.push(index);
      const is_over = choose(index + 1, missing - 1, left - amounts[index]!);
      chosen.pop();
      if (is_over) return true;
    }
    return false;
  };
  for (let members = 1; members <= Math.min(covering_members_max, amounts.length); members += 1) {
    if (choose(0, members, total)) break;
  }
  return examined;
}

/** The least and the most that so many of the amounts from an index on add up to. */
function boundsOf(amounts: readonly number[]): {
  readonly least: readonly (readonly number[])[];
  readonly most: readonly (readonly number[])[];
} {
  const least: number[][] = [];
  const most: number[][] = [];
  const ascending: number[] = [];
  for (let index = amounts.length - 1; index >= 0; index -= 1) {
    ascending.push(amounts[index]!);
    ascending.sort((a, b) => a - b);
    least[index] = sumsOf(ascending.slice(0, covering_members_max));
    most[index] = sumsOf(ascending.slice(-covering_members_max).reverse());
  }
  return { least, most };
}

function sumsOf(amounts: readonly number[]): number[] {
  const sums = [0];
  for (const amount of amounts) sums.push(sums.at(-1)! + amount);
  return sums;
}
