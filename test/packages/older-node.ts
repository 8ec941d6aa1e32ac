/** What an older Node says of the packed packages. Skipped loudly where the machine has none. */
import { join } from 'node:path';
import { findRuntime } from '@tallystick/test-support';
import type { HostProject, Outcome } from './host-project.ts';

/** Needs no Node 26: receivers of webhooks use it. */
const for_older = '@tallystick/webhook-signature';

/** Returns the path of a Node 20 to 25 of this machine; `TEST_NODE_20` can name one. Null: none. */
export function olderNode(): string | null {
  return findRuntime({
    name: 'node-older',
    path_variable: 'TEST_NODE_20',
    absent_variable: 'TALLYSTICK_TEST_NODE_20',
    program: 'node',
    version: /^v2[0-5]\./,
  });
}

const refusal = /tallystick needs Node 26 or later, and this is Node [\d.]+: run it with a newer Node$/;

/** Returns what does not refuse the older Node with one sentence: entry points and commands. */
export async function olderNodeProblems(
  host: HostProject,
  node: string,
  entries: readonly string[],
  commands: readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const mustRefuse = (what: string, { output }: Outcome): void => {
    if (output.includes('\n') || !refusal.test(output)) {
      problems.push(`${what} on ${node} does not say in one sentence which Node it needs, but:\n${output}`);
    }
  };
  for (const entry of entries) {
    mustRefuse(`import of ${entry}`, await host.run(node, '--input-type=module', '-e', catching, entry));
  }
  for (const name of commands) {
    mustRefuse(`the command ${name}`, await host.run(node, join('node_modules', '.bin', name), '--help'));
  }
  const receiver = await host.run(node, '--input-type=module', '-e', catching, for_older);
  if (receiver.output !== 'imported') problems.push(`${for_older} does not run on ${node}:\n${receiver.output}`);
  return problems;
}

/** Imports the module that its argument names, and prints the error of that. */
const catching = "import(process.argv[1]).then(() => console.log('imported'), (error) => console.log(String(error)))";
