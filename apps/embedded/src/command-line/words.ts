import { parseArgs } from 'node:util';
import { nearestName } from '@tallystick/kernel';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The words of the command line cannot be used. The message is one sentence. */
export class WrongWords extends Error {
  override readonly name = 'WrongWords';
}

const options = {
  'database-url': { type: 'string' },
  schema: { type: 'string' },
  dialect: { type: 'string' },
  print: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The options of the command line, as they were given. */
export type GivenOptions = ReturnType<typeof parseWords>['values'];

/** Throws `WrongWords` for options that are unknown or lack their value. */
export function parseWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const unknown = /^Unknown option '--?([^']*)'/.exec(message)?.[1];
    if (unknown !== undefined) {
      const nearest = nearestName(unknown, Object.keys(options));
      throw new WrongWords(
        `There is no option --${unknown}: ${nearest === null ? 'see tallystick --help' : `did you mean --${nearest}?`}`,
      );
    }
    const named = /^Option '(?:-h, )?--([a-z-]+)[ ']/.exec(message)?.[1];
    if (named === undefined) throw error;
    const takes_value = options[named as keyof typeof options]?.type === 'string';
    throw new WrongWords(`The option --${named} takes ${takes_value ? 'a' : 'no'} value: see tallystick --help.`);
  }
}
