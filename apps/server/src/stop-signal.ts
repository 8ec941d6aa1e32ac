/** Ctrl-C reaches a command from the terminal and once more from npm: the same signal again, so soon, is an echo. */
const echo_ms = 1_000;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. A second signal, a while later or of the other kind, ends the process at
 * once.
 */
export function onStopSignal(stop: (signal: string) => void): void {
  let first: { readonly signal: string; readonly at_ms: number } | null = null;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const now_ms = performance.now();
      if (first === null) {
        first = { signal, at_ms: now_ms };
        stop(signal);
      } else if (signal !== first.signal || now_ms - first.at_ms > echo_ms) {
        process.exit(1);
      }
    });
  }
}
