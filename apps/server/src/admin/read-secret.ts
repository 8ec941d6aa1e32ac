import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * Reads one line of standard input, which a terminal does not show. A secret among the words of the
 * command would be in the shell's history, and visible to everybody on the machine.
 */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (stdin.isTTY) stderr.write(`${question}: `);
  const lines = createInterface({ input: stdin, output: hidden, terminal: stdin.isTTY });
  try {
    for await (const line of lines) return line;
    throw new Error('Standard input has no line.');
  } finally {
    lines.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}
