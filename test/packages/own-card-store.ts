/**
 * A store of a host, as docs/harness.md describes it: the guide is followed in an empty project, and
 * each planted bug must be found by the test that names it, with Node's own runner and with Vitest.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { followSteps, type Guide, readGuide } from './host-guides.ts';
import { outcomeOf } from './host-project.ts';
import type { PackedPackage } from './packing.ts';
import { type PlantedBug, planted_bugs } from './planted-bugs.ts';

const heading = 'Your own card store in ten minutes';

export async function ownStoreProblems(
  document: string,
  folder: string,
  packed: readonly PackedPackage[],
): Promise<readonly string[]> {
  const guide = readGuide(document, heading);
  const problems = await followSteps(guide, folder, installedBy(guide, packed), dirname(process.execPath));
  if (problems.length > 0) return problems;
  const found: string[] = [];
  for (const [place, bug] of planted_bugs.entries()) {
    found.push(...(await bugProblems(bug, join(folder, 'program'), `bug-${place}`)));
  }
  return found;
}

/**
 * Plants a bug in a copy of the files of the guide, and runs the test that must find it. Returns the
 * runners in which it does not.
 */
async function bugProblems(
  { what, from, to, found_by }: PlantedBug,
  project: string,
  name: string,
): Promise<readonly string[]> {
  const folder = join(project, name);
  for (const file of ['cases', 'system', 'store.test', 'store.spec']) {
    cpSync(join(project, `${file}.mjs`), join(folder, `${file}.mjs`));
  }
  writeFileSync(join(folder, 'store.mjs'), plant(readFileSync(join(project, 'store.mjs'), 'utf8'), { what, from, to }));
  const runners = {
    'node --test': ['--test', '--test-name-pattern', found_by, 'store.test.mjs'],
    'vitest run': [join(project, 'node_modules/vitest/vitest.mjs'), 'run', 'store.spec', '-t', found_by],
  };
  const runs = Object.entries(runners).map(async ([runner, words]) => {
    const { succeeded, output } = await outcomeOf(folder, process.execPath, words, { NO_COLOR: '1' });
    if (!succeeded && failuresIn(output).includes(found_by)) return [];
    return [`${runner} does not find ${what} by "${found_by}":\n${output}`];
  });
  return (await Promise.all(runs)).flat();
}

/** Replaces the text of a bug. Throws unless the file has it exactly once. */
export function plant(store: string, { what, from, to }: Pick<PlantedBug, 'what' | 'from' | 'to'>): string {
  const parts = store.split(from);
  if (parts.length !== 2) throw new Error(`the store has the text of "${what}" ${parts.length - 1} times`);
  return parts.join(to);
}

/** The lines that name failed tests: of Node's reporter, and of Vitest's. */
function failuresIn(output: string): string {
  return output
    .split('\n')
    .filter((line) => /^\s*(✖|FAIL|×)/.test(line))
    .join('\n');
}

/** The packages that the guide installs, and those that they depend on. */
function installedBy({ steps }: Guide, packed: readonly PackedPackage[]): readonly PackedPackage[] {
  const commands = steps.flatMap((step) => ('commands' in step ? step.commands : [])).join('\n');
  const names = new Set(commands.match(/@tallystick\/[\w-]+/g));
  for (const name of names) {
    const { dependencies = {} } = packed.find(({ manifest }) => manifest.name === name)!.manifest;
    for (const needed of Object.keys(dependencies)) if (needed.startsWith('@tallystick/')) names.add(needed);
  }
  return packed.filter(({ manifest }) => names.has(manifest.name));
}
