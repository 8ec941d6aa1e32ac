/** A cryptographically strong source of randomness. */
export interface Random {
  /** An integer, uniform in [0, bound). `bound` is 1..2^47. */
  below(bound: number): number;
  /** `count` uniform bytes. */
  bytes(count: number): Uint8Array;
}
