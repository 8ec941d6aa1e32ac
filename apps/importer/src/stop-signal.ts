import type { ProgressStream } from './progress-display.ts';

/** What shows the work of a command, and stops it. */
export interface Attendance {
  readonly stderr: ProgressStream;
  /** Calls the listener when the person, or the system, wants the command to stop. */
  onStop(stop: (cause: string) => void): void;
}

/** A signal that is aborted when the command is to stop after the records in progress. */
export function createStopSignal(attendance: Attendance): AbortSignal {
  const stop = new AbortController();
  attendance.onStop((cause) => {
    attendance.stderr.write(
      `\n${cause}: stopping after the batch in progress; a second signal ends the process immediately\n`,
    );
    stop.abort();
  });
  return stop.signal;
}
