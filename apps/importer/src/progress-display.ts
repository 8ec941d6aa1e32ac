import { machine_timers } from '@tallystick/kernel';
import { SingleBar } from 'cli-progress';
import { counted_nouns, createPace, measureOf, type PaceReading, type Progress } from './pace.ts';
import { count } from './words.ts';

export interface ProgressDisplay {
  show(progress: Progress): void;
  say(text: string): void;
  /** Removes the bar. What is written next begins a line. */
  end(): void;
}

/** The stream that people read: standard error. */
export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

export interface DisplaySwitches {
  readonly quiet: boolean;
  /** Standard output is for a program: no lines of progress. */
  readonly json: boolean;
}

const line_every_ms = 1_000;

/** A bar on a terminal, else lines: at most one a second, each with the name of the file. */
export function createProgressDisplay(
  stream: ProgressStream,
  file: string,
  monotonicNow: () => number,
): ProgressDisplay {
  return stream.isTTY === true ? createBar(stream, file, monotonicNow) : createLines(stream, file, monotonicNow);
}

const no_display: ProgressDisplay = { show: () => undefined, say: () => undefined, end: () => undefined };

/** With `--json` a terminal still shows a bar, and a log gets no lines. */
export function chooseDisplay(stream: ProgressStream, name: string, { quiet, json }: DisplaySwitches): ProgressDisplay {
  if (quiet || (json && stream.isTTY !== true)) return no_display;
  return createProgressDisplay(stream, name, machine_timers.monotonicNow);
}

function createBar(stream: ProgressStream, file: string, monotonicNow: () => number): ProgressDisplay {
  const pace = createPace(monotonicNow);
  let bar: SingleBar | null = null;
  let phase: Progress['phase'] | null = null;
  const end = (): void => {
    bar?.stop();
    bar = null;
  };
  return {
    show(progress) {
      const { done, total } = measureOf(progress);
      const text = describe(progress, pace(progress));
      if (phase !== progress.phase) {
        end();
        phase = progress.phase;
        bar = new SingleBar({
          stream,
          format: total === null ? '{text}' : '[{bar}] {percentage}% {text}',
          barsize: 24,
          barCompleteChar: '#',
          barIncompleteChar: '.',
          fps: 5,
          clearOnComplete: true,
          hideCursor: true,
          gracefulExit: false,
          emptyOnZero: true,
        });
        bar.start(total ?? 0, done, { text });
      } else {
        bar?.update(Math.min(done, total ?? done), { text });
      }
    },
    say(text) {
      end();
      phase = null;
      stream.write(`${file}: ${text}\n`);
    },
    end,
  };
}

function createLines(stream: ProgressStream, file: string, monotonicNow: () => number): ProgressDisplay {
  const pace = createPace(monotonicNow);
  let written_ms = monotonicNow();
  return {
    show(progress) {
      const text = describe(progress, pace(progress));
      if (monotonicNow() - written_ms < line_every_ms) return;
      written_ms = monotonicNow();
      stream.write(`${file}: ${text}\n`);
    },
    say: (text) => void stream.write(`${file}: ${text}\n`),
    end: () => undefined,
  };
}

/** `staging 12.4 of 80.0 MB, 31,000 records, 8,200 a second, 9 s left`. */
export function describe(progress: Progress, { records_per_s, left_ms }: PaceReading): string {
  const { phase, bytes, bytes_total, records, records_total } = progress;
  const of = (total: string | null): string => (total === null ? '' : ` of ${total}`);
  const noun = counted_nouns[phase];
  const amounts =
    noun !== undefined
      ? [`${count(records)}${of(records_total === null ? null : count(records_total))} ${noun}`]
      : [sizes(bytes, bytes_total), ...(records === 0 ? [] : [`${count(records)} records`])];
  const rate = records_per_s === null || records_per_s <= 0 ? [] : [`${count(Math.round(records_per_s))} a second`];
  const left = left_ms === null ? [] : [`${duration(left_ms)} left`];
  return `${phase} ${[...amounts, ...rate, ...left].join(', ')}`;
}

/** `12.4 of 80.0 MB`; less than 1 MB in kB. */
function sizes(bytes: number, total: number | null): string {
  const in_megabytes = (total ?? bytes) >= 1_000_000;
  const show = (size: number): string => (size / (in_megabytes ? 1_000_000 : 1_000)).toFixed(1);
  return `${show(bytes)}${total === null ? '' : ` of ${show(total)}`} ${in_megabytes ? 'MB' : 'kB'}`;
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

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
