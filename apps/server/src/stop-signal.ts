/**
 * On Ctrl-C a command gets one signal from the terminal and one from npm. The same signal within
 * this time is an echo.
 */
const echo_ms = 1_000;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. A second signal, if it comes a second later or is of
 * the other kind, ends the process immediately.
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
