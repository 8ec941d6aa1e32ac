/** `npm run import`: imports clearing files (docs/imports.md). */
import { onStopSignal } from '@tallystick/server';
import { runImport } from './import-command.ts';

// A reader of the output may end before the import does. The import goes on.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

process.exitCode = await runImport(process.argv.slice(2), process.env, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: () => process.cwd(),
  onStop: onStopSignal,
});
