/** `npm run imports`: shows imports, and acts on them (docs/imports.md). */
import { runProgram } from '@tallystick/server';
import { imports_program } from './imports-commands.ts';

process.exitCode = await runProgram(imports_program, process.argv.slice(2), process.env, {
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
