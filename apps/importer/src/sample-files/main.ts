/** `npm run sample-files -- --cards N --records M --format F` (docs/imports.md, "Try it"). */
import { sampleFiles } from './command.ts';

process.exitCode = await sampleFiles(process.argv.slice(2), process.env, {
  out: console.log,
  err: console.error,
  stderr: process.stderr,
});
