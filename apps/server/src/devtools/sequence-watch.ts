/** Which sequence numbers of a webhook have come: 1, 2, 3 ..., each perhaps late, or more than once. */
export interface SequenceWatch {
  /** Takes note of a number. False when it had come before. */
  saw(sequence: number): boolean;
  /** The numbers below the highest that have not come, in order. */
  missing(): readonly number[];
  /** The highest that has come; 0 before the first. */
  highest(): number;
}

/** Deliveries under way at once overtake each other: a missing number is a gap only when it stays away. */
export function createSequenceWatch(): SequenceWatch {
  const missing = new Set<number>();
  let highest = 0;
  return {
    saw(sequence) {
      if (sequence <= highest) return missing.delete(sequence);
      for (let between = highest + 1; between < sequence; between += 1) missing.add(between);
      highest = sequence;
      return true;
    },
    missing: () => [...missing].sort((a, b) => a - b),
    highest: () => highest,
  };
}
