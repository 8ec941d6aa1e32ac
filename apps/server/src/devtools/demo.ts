/**
 * `npm run demo` and `npm run demo:open-banking`: play a story against a sandbox and print it.
 * Status 1: the service answered differently from the story; 2: wrong options.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../configuration/config.ts';
import { httpAddress, parseOptions } from '../parse-options.ts';
import { createServer } from '../server.ts';
import { playStory } from './demo-story.ts';
import { createNarrator } from './narrator.ts';
import { playOpenBanking } from './open-banking-story.ts';

const stories = {
  cards: {
    play: playStory,
    usage: `Usage: npm run demo [-- --url <address of a running sandbox>]

Plays a story against a sandbox and prints it: a template, cards, approvals and
declines with their reasons, a reversal, a clearing, a window that rolls over,
a hold that ages off, the events, and their deliveries to a webhook: signed,
numbered, and retried after a failure. Then a clearing file and a statement
file are imported: authorization, clearing and statement line are one item, and
a bridge leads from balance to balance.
Without --url it starts a server on a scratch file, and reads no settings.
It moves the sandbox's clock forward by about eight days.`,
  },
  'open-banking': {
    play: playOpenBanking,
    usage: `Usage: npm run demo:open-banking [-- --url <address of a running sandbox>]

Plays a story of Open Banking against a sandbox and prints it: a third party
creates a consent, the bank's user approves it, the third party reads what was
granted and is refused the rest, a card issuer asks whether funds are
available, and the user withdraws.
Without --url it starts a server on a scratch file, and reads no settings.`,
  },
};

const { play, usage } = process.argv[2] === 'open-banking' ? stories['open-banking'] : stories.cards;
// Without a reader the story goes on, because its end lets the clock run and deletes the webhook.
process.stdout.on('error', () => undefined);
const narrator = createNarrator(process.stdout);

try {
  const { values } = parseOptions({
    args: process.argv.slice(process.argv[2] === 'open-banking' ? 3 : 2),
    options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(usage);
  else process.exitCode = await tell(values.url === undefined ? undefined : httpAddress('--url', values.url));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}

async function tell(url: string | undefined): Promise<0 | 1> {
  try {
    if (url === undefined) await onOwnSandbox((own) => play(own, narrator));
    else await play(url, narrator);
    return 0;
  } catch (error) {
    narrator.failed(error);
    return 1;
  }
}

/**
 * Runs on a sandbox in this process, on a scratch file. It reads no variables: those of an operator
 * name the database of a bank.
 */
async function onOwnSandbox(story: (url: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'tallystick-demo-'));
  const server = createServer(
    readConfig({
      DATABASE_URL: `sqlite:${join(scratch, 'tallystick.db')}`,
      LOG_LEVEL: 'error', // a failed delivery, which is part of a story, is a warning
      SANDBOX: 'on',
      PORT: '0',
      // A slow machine changes no decision of a story.
      NETWORK_WAIT_MS_MAX: '60000',
      DECISION_MS_MAX: '60000',
    }),
  );
  try {
    const { url } = await server.start();
    await story(url);
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}
