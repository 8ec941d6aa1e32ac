/** What an older Node says of the packed packages. Skipped loudly where the machine has none. */
import { findRuntime } from '@tallystick/test-support';
import type { HostProject } from './host-project.ts';

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

/** Returns each entry point that does not refuse the older Node with one sentence. */
export async function olderNodeProblems(
  host: HostProject,
  node: string,
  entries: readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const entry of entries) {
    const { output } = await host.run(node, '--input-type=module', '-e', catching, entry);
    if (!/^Error: tallystick needs Node 26 or later, and this is Node [\d.]+: run it with a newer Node$/.test(output)) {
      problems.push(`${entry} on ${node} does not say which Node it needs, but:\n${output}`);
    }
  }
  const receiver = await host.run(node, '--input-type=module', '-e', catching, for_older);
  if (receiver.output !== 'imported') problems.push(`${for_older} does not run on ${node}:\n${receiver.output}`);
  return problems;
}

/** Imports the module that its argument names, and prints the error of that. */
const catching = "import(process.argv[1]).then(() => console.log('imported'), (error) => console.log(String(error)))";
