import { httpAddress } from '../configuration/http-address.ts';
import { parseOptions } from '../parse-options.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { onOwnSandbox } from './own-sandbox.ts';

/**
 * Plays a story against the sandbox of `--url`, or against one that it starts. Returns the exit
 * status: 1 when the service answers differently from the story, 2 for wrong options.
 */
export async function playDemo(
  usage: string,
  play: (url: string, narrator: Narrator) => Promise<void>,
): Promise<number> {
  // Without a reader the story goes on, because its end lets the clock run and deletes the webhook.
  process.stdout.on('error', () => undefined);
  const narrator = createNarrator(process.stdout);
  let url: string | undefined;
  try {
    const { values } = parseOptions({ options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      console.log(usage);
      return 0;
    }
    if (values.url !== undefined) url = httpAddress('--url', values.url);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  try {
    if (url === undefined) await onOwnSandbox((own) => play(own, narrator));
    else await play(url, narrator);
    return 0;
  } catch (error) {
    narrator.failed(error);
    return 1;
  }
}
