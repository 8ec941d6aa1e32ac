/**
 * `npm run demo:open-banking`: plays a story of Open Banking against a sandbox and prints it. Exits
 * with status 1 if the service answers differently from the story.
 *
 *     npm run demo:open-banking [-- --url http://127.0.0.1:8080]
 *
 * Without `--url` it starts a server: on `DATABASE_URL` if that is set, else on a scratch SQLite
 * file.
 */
import { playDemo } from './demo-program.ts';
import { playOpenBanking } from './open-banking-story.ts';

const usage = `Usage: npm run demo:open-banking [-- --url <address of a running sandbox>]

Plays a story of Open Banking against a sandbox and prints it: a third party creates a consent, the
bank's user approves it, the third party reads what was granted and is refused the rest, a card
issuer asks whether funds are available, and the user withdraws.
Without --url it starts a server: on DATABASE_URL if that is set, else on a scratch file.`;

process.exitCode = await playDemo(usage, playOpenBanking);
