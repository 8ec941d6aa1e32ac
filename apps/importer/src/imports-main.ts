/** `npm run imports`: shows imports, and acts on them (docs/imports.md). */
import { onStopSignal, runProgram } from '@tallystick/server';
import { createImportsProgram } from './imports-commands.ts';

const program = createImportsProgram({ stderr: process.stderr, onStop: onStopSignal });

process.exitCode = await runProgram(program, process.argv.slice(2), process.env, {
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
