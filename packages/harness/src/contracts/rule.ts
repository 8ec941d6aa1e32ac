/** A rule of a port's contract: `check` rejects when an adapter breaks it. */
export interface ContractRule<Subject> {
  readonly rule: string;
  check(open: () => Promise<Subject>): Promise<void>;
}

/** Returns a rule that is checked on one new subject. */
export function rule<Subject>(name: string, check: (subject: Subject) => Promise<void>): ContractRule<Subject> {
  return { rule: name, check: async (open) => await check(await open()) };
}

/** The parameters of a property; those of fast-check. */
export interface PropertyRuns {
  /** Generated at random when absent. A failure reports it. */
  readonly seed?: number;
  readonly numRuns?: number;
}

/** With so many runs before it, a run finds rows of other companies in its storage. */
const runs_together = 20;

/**
 * Returns a function that the runs of a property call for their storage. It opens another storage
 * after every 20 runs, because storage in memory takes longer for each row that it holds. An adapter
 * may open the same database each time.
 */
export function openForRuns<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let runs = 0;
  let opened: Promise<Opened> | undefined;
  return () => {
    if (opened === undefined || runs % runs_together === 0) opened = open();
    runs += 1;
    return opened;
  };
}
