import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SourceChange } from './replace-source.ts';
import type { Written } from './test-process.ts';

/** How one process of tests ended. */
export interface TestOutcome {
  readonly passed: boolean;
  /** The failed test, or why the process was ended; null when all passed. */
  readonly failed: string | null;
  readonly processor_s: number;
}

export interface TestOptions {
  readonly root: string;
  readonly files: readonly string[];
  readonly change?: SourceChange;
  /** A process that uses more processor time is ended, seconds. */
  readonly processor_s_max: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process whose children do the work may wait for them so long. */
const minutes_max = 15;

/** The groups of processes that run now. They are not in the group of this process, which a terminal ends. */
const running = new Set<number>();
process.on('exit', () => {
  for (const pid of running) endGroup(pid);
});

/** Runs the test files in one process, up to the first test that fails. */
export async function runTests(options: TestOptions): Promise<TestOutcome> {
  const { root, files, change, processor_s_max, environment } = options;
  const loaded_first = new URL('replace-source.ts', import.meta.url).href;
  const program = new URL('test-process.ts', import.meta.url).pathname;
  const words = ['--conditions=source', program, ...files];
  const limited = `ulimit -S -t ${Math.ceil(processor_s_max)}; exec "$@"`;
  const child = spawn('sh', ['-c', limited, 'sh', process.execPath, ...words], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      ...environment,
      NODE_OPTIONS: `--import=${loaded_first}`,
      ...(change === undefined ? {} : { TALLYSTICK_MUTANT: JSON.stringify(change) }),
    },
  });
  const pid = child.pid as number;
  running.add(pid);
  const timer = setTimeout(endGroup, minutes_max * 60_000, pid);
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  let text = '';
  for await (const chunk of child.stdio[3] as NodeJS.ReadableStream) text += chunk;
  // What the test has started still runs when it fails in the middle.
  endGroup(pid);
  const [code, signal] = await ended;
  clearTimeout(timer);
  running.delete(pid);
  if (text === '') return { passed: false, failed: `ended by ${signal ?? code}`, processor_s: processor_s_max };
  const written: Written = JSON.parse(text);
  return { ...written, failed: written.passed ? null : (written.failed ?? 'ended before its last test') };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
