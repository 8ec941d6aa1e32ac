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
