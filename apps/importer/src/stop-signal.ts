import type { ProgressStream } from './progress-display.ts';

export interface ProgressTerminal {
  readonly stderr: ProgressStream;
  /** Calls the listener when the person, or the system, wants the command to stop. */
  onStop(stop: (cause: string) => void): void;
}

/** A signal that is aborted when the command must stop after the records in progress. */
export function createStopSignal(terminal: ProgressTerminal): AbortSignal {
  const stop = new AbortController();
  terminal.onStop((cause) => {
    terminal.stderr.write(
      `\n${cause}: stopping after the batch in progress; a second signal ends the process immediately\n`,
    );
    stop.abort();
  });
  return stop.signal;
}
