/** The received sequence numbers of a webhook: 1, 2, 3 ..., possibly late or repeated. */
export interface SequenceWatch {
  /** Records a number. False if it had been recorded before. */
  record(sequence: number): boolean;
  /** The missing numbers below the highest, in order. */
  missing(): readonly number[];
  /** The highest recorded number; 0 before the first. */
  highest(): number;
}

/**
 * Concurrent deliveries overtake each other, so a missing number is a gap only if it stays missing.
 */
export function createSequenceWatch(): SequenceWatch {
  const missing = new Set<number>();
  let highest = 0;
  return {
    record(sequence) {
      if (sequence <= highest) return missing.delete(sequence);
      for (let between = highest + 1; between < sequence; between += 1) missing.add(between);
      highest = sequence;
      return true;
    },
    missing: () => [...missing].sort((a, b) => a - b),
    highest: () => highest,
  };
}
