/** Runs the work after the earlier work with the same handle, whether that resolved or rejected. */
export type HandleQueue = <Result>(handle: object, work: () => Promise<Result>) => Promise<Result>;

/**
 * A queue for each handle of a host, which is one connection: it cannot do two things at the same
 * time. A handle that nothing else keeps is forgotten.
 */
export function createHandleQueue(): HandleQueue {
  const ends = new WeakMap<object, Promise<void>>();
  return (handle, work) => {
    const result = (ends.get(handle) ?? Promise.resolve()).then(work);
    ends.set(handle, result.then(nothing, nothing));
    return result;
  };
}

const nothing = (): void => undefined;
