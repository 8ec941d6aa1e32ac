import { machine_timers } from '@tallystick/kernel';

const { after, monotonicNow } = machine_timers;

/**
 * On Ctrl-C a command gets one signal from the terminal and one from npm. The same signal within
 * this time is an echo.
 */
const echo_ms = 1_000;

const parent_every_ms = 250;

/**
 * Calls `stop` at the first SIGINT, SIGTERM or SIGHUP (the terminal was closed), or when npm, which
 * started this process, has ended. A second signal, if it comes a second later or is of another
 * kind, ends the process immediately.
 */
export function onStopSignal(stop: (cause: string) => void): void {
  let first: { readonly cause: string; readonly at_ms: number } | null = null;
  const begin = (cause: string): void => {
    first = { cause, at_ms: monotonicNow() };
    stop(cause);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === null) begin(signal);
      else if (signal !== first.cause || monotonicNow() - first.at_ms > echo_ms) process.exit(1);
    });
  }
  if (process.env.npm_lifecycle_event === undefined) return;
  onParentEnd(() => {
    if (first === null) begin('npm has ended');
  });
}

/**
 * Calls `ended` once when the process that started this one has ended. npm passes on SIGINT and
 * SIGTERM. After SIGHUP or SIGKILL it ends and leaves this process behind.
 */
function onParentEnd(ended: () => void): void {
  const parent = process.ppid;
  const look = (): void => {
    if (process.ppid === parent && isRunning(parent)) after(parent_every_ms, look, { keeps_alive: false });
    else ended();
  };
  look();
}

/** On Windows the id of the parent does not change when it ends. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
