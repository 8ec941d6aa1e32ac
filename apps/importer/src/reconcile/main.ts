/** `npm run reconcile`: what reconciliation found, for people (docs/reconciliation.md). */
import { onStopSignal, runProgram } from '@tallystick/server';
import { createReconcileProgram } from './commands.ts';

// A reader of the output, such as head, may end before the command does.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const program = createReconcileProgram({ stdout: process.stdout, stderr: process.stderr, onStop: onStopSignal });

process.exitCode = await runProgram(program, process.argv.slice(2), process.env, {
  // A table in CSV is written already.
  out: (text) => text !== '' && console.log(text),
  err: (text) => console.error(text),
});
