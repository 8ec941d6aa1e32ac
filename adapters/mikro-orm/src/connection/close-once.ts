/** Returns a `close` that may be called several times: it runs once, and each call waits for it. */
export function closeOnce(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= close();
    return closed;
  };
}
