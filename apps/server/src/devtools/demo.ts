/**
 * `npm run demo`: plays a story against a sandbox and prints it. Exits with status 1 if the service
 * answers differently from the story.
 *
 *     npm run demo [-- --url http://127.0.0.1:8080]
 *
 * Without `--url` it starts a server: on `DATABASE_URL` if that is set, else on a scratch SQLite
 * file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../configuration/config.ts';
import { httpAddress } from '../configuration/http-address.ts';
import { parseOptions } from '../parse-options.ts';
import { createServer } from '../server.ts';
import { playStory } from './demo-story.ts';
import { createNarrator } from './narrator.ts';

const usage = `Usage: npm run demo [-- --url <address of a running sandbox>]

Plays a story against a sandbox and prints it: a template, cards, approvals and declines with their
reasons, a reversal, a clearing, a window that rolls over, a hold that ages off, the events, and
their deliveries to a webhook: signed, numbered, and retried after a failure. Then a clearing file
and a statement file are imported: authorization, clearing and statement line meet in an item, one
break is found, and a bridge leads from balance to balance.
Without --url it starts a server: on DATABASE_URL if that is set, else on a scratch file.
It moves the sandbox's clock forward by about nine days.`;

process.exitCode = await demo();

async function demo(): Promise<number> {
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
    if (url === undefined) await onOwnServer((own) => playStory(own, narrator));
    else await playStory(url, narrator);
    return 0;
  } catch (error) {
    narrator.failed(error);
    return 1;
  }
}

/** A sandbox in this process on a free port, which ends with the story. */
async function onOwnServer(story: (url: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'tallystick-demo-'));
  const server = createServer(
    readConfig({
      DATABASE_URL: `sqlite:${join(scratch, 'tallystick.db')}`,
      LOG_LEVEL: 'error', // a failed delivery, which is part of the story, is a warning
      ...process.env,
      SANDBOX: 'on',
      HOST: '127.0.0.1',
      PORT: '0',
      ROLE: 'all',
      REDIS_URL: '', // one process: workers on Redis must not take part in the story
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
