import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from '@tallystick/kernel';

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
