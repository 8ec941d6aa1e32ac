import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

/** The settings of which one says where the key ring comes from. */
export const key_settings = ['TALLYSTICK_KEYS', 'TALLYSTICK_KEYS_FILE', 'TALLYSTICK_KEYS_COMMAND'] as const;

export type KeySetting = (typeof key_settings)[number];

/** The text of a key ring, and what it was read from, as a problem names it. */
export interface KeyText {
  readonly text: string;
  readonly origin: string;
}

/** The key ring cannot be read. The message follows the name of the setting, and shows no key. */
export class UnreadableKeys extends Error {
  override readonly name = 'UnreadableKeys';
}

/** A ring of hundreds of keys is shorter. */
const text_bytes_max = 65_536;

/** The permissions of everybody but the owner: to write, and to read. */
const written_by_others = 0o022;
const read_by_all = 0o004;

/**
 * Reads the file of `TALLYSTICK_KEYS_FILE`. Refuses one that others may write, because they could
 * add a key of their own to the ring. Secrets of container platforms are often readable by every
 * user of the container, so this is a notice.
 */
export function readKeyFile(path: string): KeyText & { readonly notices: readonly string[] } {
  try {
    const mode = process.platform === 'win32' ? 0 : statSync(path).mode;
    if ((mode & written_by_others) !== 0) {
      throw new UnreadableKeys(`other users may write ${path}; it must be writable only by its owner: chmod 600`);
    }
    const bytes = readFileSync(path);
    if (bytes.length > text_bytes_max) throw new UnreadableKeys(`${path} is too long for a key ring`);
    const notices =
      (mode & read_by_all) === 0
        ? []
        : [`TALLYSTICK_KEYS_FILE: every user of this machine may read ${path}. Restrict it with chmod 600 or 400.`];
    return { text: bytes.toString('utf8').trim(), origin: path, notices };
  } catch (error) {
    if (error instanceof UnreadableKeys) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnreadableKeys(code === 'ENOENT' ? `there is no file ${path}` : message);
  }
}

/** A command that waits for a person or for a network would keep a restart waiting. */
const command_ms_max = 30_000;

/**
 * Runs the command of `TALLYSTICK_KEYS_COMMAND` once, without a shell and with this environment, and
 * returns what it writes to standard output. A problem names the program alone, because its
 * arguments may be secrets, and shows its standard error without what could be a key.
 */
export function runKeyCommand(
  command: string,
  environment: Readonly<Record<string, string | undefined>>,
  { ms_max = command_ms_max }: { readonly ms_max?: number } = {},
): KeyText {
  const [program = '', ...words] = splitCommand(command);
  const { error, status, signal, stdout, stderr } = spawnSync(program, words, {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ms_max,
    killSignal: 'SIGKILL',
    maxBuffer: text_bytes_max,
    windowsHide: true,
  });
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const problem = (what: string): never => {
    throw new UnreadableKeys(`${program} ${what}${describeOutput(stderr)}`);
  };
  if (code === 'ENOENT') throw new UnreadableKeys(`there is no program ${program}`);
  if (code === 'EACCES') throw new UnreadableKeys(`${program} may not be executed by this user`);
  if (code === 'ETIMEDOUT') problem(`did not end within ${ms_max} ms`);
  if (code === 'ENOBUFS') throw new UnreadableKeys(`the output of ${program} is too long for a key ring`);
  if (error !== undefined) throw new UnreadableKeys(`${program} cannot be run (${code})`);
  if (status !== 0) problem(status === null ? `was ended by ${signal}` : `ended with status ${status}`);
  return { text: stdout.toString('utf8').trim(), origin: `the output of ${program}` };
}

/**
 * The words of a command: separated by blanks; what stands between two `"` or two `'` belongs to a
 * word as it is. What only a shell understands is refused, because none runs.
 */
export function splitCommand(command: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of command.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)) {
    const bare = word.replaceAll(/"[^"]*"|'[^']*'/g, '');
    if (/["']/.test(bare)) throw new UnreadableKeys('has a quotation mark that nothing closes');
    const [shell] = /[|&;<>$`]/.exec(bare) ?? [];
    if (shell !== undefined) {
      throw new UnreadableKeys(
        `has ${shell}, which only a shell understands: write these steps into a script and name it, or quote the word`,
      );
    }
    words.push(word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
  }
  if ((words[0] ?? '') === '') throw new UnreadableKeys('names no program');
  return words;
}

const shown_length_max = 300;

/** The end of what a program reports, on one line. A key of 32 bytes is longer than what remains. */
function describeOutput(stderr: Buffer): string {
  const text = stderr
    .toString('utf8')
    .replaceAll(/[A-Za-z0-9+/=_-]{32,}/g, '***')
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return text === '' ? '' : `: ${text.slice(-shown_length_max)}`;
}
