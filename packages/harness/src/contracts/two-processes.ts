/** A storage as one process sees it, and as another process sees it. */
export interface TwoProcesses<Storage> {
  readonly here: Storage;
  readonly there: Storage;
}

/** Opens a storage in two processes. */
export async function twoProcesses<Storage extends { another(): Promise<Storage> }>(
  open: () => Promise<Storage>,
): Promise<TwoProcesses<Storage>> {
  const here = await open();
  return { here, there: await here.another() };
}
