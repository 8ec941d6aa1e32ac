import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from '@tallystick/kernel';
import { wrapText } from './terminal-text.ts';

/**
 * Parses the options of a command line, like `parseArgs` of Node. The error about an unknown option
 * names the nearest known one.
 */
export function parseOptions<Form extends ParseArgsConfig>(form: Form): ReturnType<typeof parseArgs<Form>> {
  try {
    return parseArgs(form);
  } catch (error) {
    const unknown = /^Unknown option '--?([^']*)'/.exec((error as Error).message)?.[1];
    if (unknown === undefined) throw error;
    const nearest = nearestName(unknown, Object.keys(form.options ?? {}));
    throw new Error(`there is no option --${unknown}${nearest === null ? '' : `; did you mean --${nearest}?`}`);
  }
}

/**
 * Runs a command: reads its options, then does its work. A text in place of options is only
 * printed. Returns the exit status: 0 done, 1 failed with the `problem` of the error, 2 options that
 * are wrong.
 */
export async function runCommand<Options extends object>(
  usage: string,
  readOptions: () => Options | string,
  work: (options: Options) => Promise<void>,
  problem: (error: unknown, options: Options) => string | null,
): Promise<0 | 1 | 2> {
  let options: Options | string;
  try {
    options = readOptions();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (typeof options === 'string') {
    console.log(options);
    return 0;
  }
  try {
    await work(options);
    return 0;
  } catch (error) {
    console.error(wrapText(problem(error, options) ?? (error instanceof Error ? error.message : String(error))));
    return 1;
  }
}

export const default_host = '127.0.0.1';
export const default_port = 8080;
export const default_interface_url = `http://${default_host}:${default_port}`;

/**
 * The value of an option as an address. Throws an error with the option's name if the value is
 * invalid.
 */
export function httpAddress(option: string, text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(`${option} ${text} is not an address such as ${default_interface_url}`);
}
