/**
 * `npm run demo`: plays a story against a sandbox and prints it. Exits with status 1 if the service
 * answers differently from the story.
 *
 *     npm run demo [-- --url http://127.0.0.1:8080]
 *
 * Without `--url` it starts a server: on `DATABASE_URL` if that is set, else on a scratch SQLite
 * file.
 */
import { playDemo } from './demo-program.ts';
import { playStory } from './demo-story.ts';

const usage = `Usage: npm run demo [-- --url <address of a running sandbox>]

Plays a story against a sandbox and prints it: a template, cards, approvals and declines with their
reasons, a reversal, a clearing, a window that rolls over, a hold that ages off, the events, and
their deliveries to a webhook: signed, numbered, and retried after a failure. Then a clearing file
and a statement file are imported: authorization, clearing and statement line meet in an item, one
break is found, and a bridge leads from balance to balance.
Without --url it starts a server: on DATABASE_URL if that is set, else on a scratch file.
It moves the sandbox's clock forward by about nine days.`;

process.exitCode = await playDemo(usage, playStory);
