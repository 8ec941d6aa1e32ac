/** A rule of a port's contract: `check` rejects when an adapter breaks it. */
export interface ContractRule<Subject> {
  readonly rule: string;
  check(open: () => Promise<Subject>): Promise<void>;
}
