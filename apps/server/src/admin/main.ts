/** `npm run admin -- <command>` (docs/operations.md). */
import { admin } from './command-line.ts';

process.exitCode = await admin(process.argv.slice(2), process.env, { out: console.log, err: console.error });
