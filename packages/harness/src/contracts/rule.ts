/**
 * What only some storage can do. Storage that lacks one of these keeps the other rules; `casesOf`
 * names those that it leaves out.
 */
export const needs = {
  concurrent_transactions: 'a transaction begins and ends while another one is open',
  refused_nesting: 'a transaction within a transaction is refused; it does not wait for itself',
} as const;

export type Need = keyof typeof needs;

/** A rule of a port's contract: `check` rejects when an adapter breaks it. */
export interface ContractRule<Subject> {
  readonly rule: string;
  /** What the storage must be able to do so that the rule can be checked; absent: nothing. */
  readonly needs?: readonly Need[];
  check(open: () => Promise<Subject>): Promise<void>;
}

/** Returns a rule that is checked on one new subject. */
export function rule<Subject>(name: string, check: (subject: Subject) => Promise<void>): ContractRule<Subject> {
  return { rule: name, check: async (open) => await check(await open()) };
}

/** Returns a rule that storage without these cannot be checked for: the check would not end. */
export function ruleThatNeeds<Subject>(
  need: Need,
  name: string,
  check: (subject: Subject) => Promise<void>,
): ContractRule<Subject> {
  return { ...rule(name, check), needs: [need] };
}

/** Opens the storage as another process sees it. Storage that lives in one process is its own other. */
export async function anotherOf<Storage extends { another?(): Promise<Storage> }>(storage: Storage): Promise<Storage> {
  return (await storage.another?.()) ?? storage;
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
