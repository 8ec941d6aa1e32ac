#!/usr/bin/env node
/** The command `tallystick`. An older Node gets one sentence and loads nothing else. */
import { requireNode } from '../node-version.ts';

try {
  requireNode(24);
  const { runCommand } = await import('./command.ts');
  process.exitCode = await runCommand(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
