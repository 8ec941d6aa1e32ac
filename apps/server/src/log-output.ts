import { fstatSync, write } from 'node:fs';
import { machine_timers } from '@tallystick/kernel';

/** The most characters of the log that wait to be written. Further lines are dropped. */
const waiting_max = 1024 * 1024;

/** How long the last lines may take to be written when the process ends. */
const closing_ms_max = 1_000;

/** Writes text. Calls `done` when it was written, or with the reason why it was not. */
export type LogSink = (text: string, done: (error?: Error | null) => void) => void;

/**
 * Writes the lines of the log, one write at a time. What cannot be written keeps nothing waiting: a
 * reader that has stopped costs at most `waiting_max` characters twice, and neither stops the event
 * loop nor the end of the process.
 */
export interface LogOutput {
  write(line: string): void;
  /**
   * Sets the function that is called when writing works again after lines were dropped, with their
   * number.
   */
  onResume(report: (dropped: number) => void): void;
  /** Resolves when all lines are written, or after a second. */
  close(): Promise<void>;
}

/** Calls `onDropped` for each line that is not written. */
export function createLogOutput(
  sink: LogSink,
  onDropped: (lines: number) => void,
  { nextTurn, pause } = machine_timers,
): LogOutput {
  let waiting = '';
  let is_writing = false;
  let dropped = 0;
  let report: (dropped: number) => void = () => undefined;
  let is_reporting = false;
  let resolveIdle: () => void = () => undefined;

  const drop = (lines: number): void => {
    dropped += lines;
    onDropped(lines);
  };
  const reportDropped = (): void => {
    const lines = dropped;
    dropped = 0;
    is_reporting = true;
    report(lines);
    is_reporting = false;
  };
  const writeWaiting = (): void => {
    const text = waiting;
    waiting = '';
    sink(text, (error) => {
      is_writing = false;
      if (error) drop(countLines(text));
      else if (dropped > 0) reportDropped();
      if (waiting !== '') begin();
      else resolveIdle();
    });
  };
  const begin = (): void => {
    if (is_writing) return;
    is_writing = true;
    // The lines of one turn of the event loop are written together.
    void nextTurn().then(writeWaiting);
  };

  return {
    write(line) {
      if (!is_reporting && waiting.length + line.length > waiting_max) {
        drop(1);
        return;
      }
      waiting += line;
      begin();
    },
    onResume(callback) {
      report = callback;
    },
    async close() {
      if (!is_writing) return;
      const idle = new Promise<void>((resolve) => {
        resolveIdle = resolve;
      });
      await Promise.race([idle, pause(closing_ms_max, { keeps_alive: false })]);
    },
  };
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/**
 * Standard error. Writes to a pipe or socket are without blocking: in Node a thread that is blocked
 * by a pipe which nobody reads would keep the process from ending.
 */
export function standardError(): LogSink {
  if (isFile(2)) return (text, done) => writeFile(2, Buffer.from(text), done);
  // Without a listener, a reader that has gone ends the process. One is enough for all outputs.
  process.stderr.off('error', ignoreError).on('error', ignoreError);
  return (text, done) => void process.stderr.write(text, done);
}

function ignoreError(): void {}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

function writeFile(fd: number, bytes: Buffer, done: (error?: Error | null) => void): void {
  write(fd, bytes, (error, written) => {
    if (error !== null || written === bytes.length) done(error);
    else writeFile(fd, bytes.subarray(written), done);
  });
}
