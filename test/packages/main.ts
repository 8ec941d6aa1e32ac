/**
 * `npm run pack:check`: packs the public packages, installs the tarballs into an empty project as a
 * host would, and checks them there. docs/publishing.md describes it and its switches.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installNode24, localPostgresProblem } from '@tallystick/test-support';
import { followGuide, readGuides } from './host-guides.ts';
import {
  compilers,
  createHostProject,
  type HostProject,
  type InstalledSize,
  importsOfEverything,
  installedSize,
  type Outcome,
  olderNode,
  olderNodeProblems,
  outcomeOf,
  quietly,
} from './host-project.ts';
import { ownStoreProblems } from './own-card-store.ts';
import { packageOf, readPackedFiles } from './packed-files.ts';
import { embeddingExample, type PackedPackage, pack } from './packing.ts';
import { publicPackages, readManifest, type Workspace } from './public-packages.ts';
import { lintTarball, rules, type World } from './tarball-rules.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const embedded = 'tallystick';

/** Programs of the folder `programs`. */
const durable_host = 'host-on-a-file.ts';
const receiver = 'receiver.ts';
const log_thread = 'log-thread.ts';

/** Guides of docs/hosts.md that are followed each time: the others take minutes. */
const short_guides: readonly string[] = ['esbuild'];

/** Entry points that refuse an older Node. `tallystick/tx` runs anywhere: it imports nothing. */
const entries_of_new_node = [embedded, `${embedded}/inversify`];

const problems: string[] = [];
const notes: string[] = [];
const {
  keep,
  to,
  'all-hosts': all_hosts,
} = parseArgs({
  options: { keep: { type: 'boolean' }, to: { type: 'string' }, 'all-hosts': { type: 'boolean' } },
}).values;
const scratch = mkdtempSync(join(tmpdir(), 'tallystick-packages-'));
try {
  await main();
} catch (error) {
  problems.push((error as Error).message);
} finally {
  if (to !== undefined && problems.length === 0) notes.push(`tarballs: ${copyTarballs(to)}`);
  if (keep) notes.push(`kept: ${scratch}`);
  else rmSync(scratch, { recursive: true, force: true });
}
for (const note of notes) console.log(note);
if (problems.length > 0) {
  console.error(`\n${count(problems.length, 'problem')} of the packed packages:`);
  for (const problem of problems) console.error(`  ${problem.replaceAll('\n', '\n    ')}`);
  process.exitCode = 1;
} else {
  console.log('\nThe packed packages install, compile and run as a host uses them.');
}

async function main(): Promise<void> {
  const packages = publicPackages(root);
  await step('build', async () => build(packages));
  const packed = await step('pack', () => pack(packages, join(scratch, 'tarballs')));
  await check('publint and arethetypeswrong', async () => (await Promise.all(packed.map(lintTarball))).flat());
  const host = await step('install into an empty project', () =>
    createHostProject(join(scratch, 'host'), packed, nodeTypes()),
  );
  await check('rules of the published files', async () => {
    const world = worldOf(host, packed);
    return Object.values(rules).flatMap((rule) => rule(world));
  });
  const programs = writePrograms(host, packed);
  const installed = installedSize(host.folder, embedded);
  await check('install what a start on SQLite asks for', () => installSqlite(host));
  for (const compiler of compilers()) {
    await check(`compile with TypeScript ${compiler.version}`, async () => [
      ...ownErrors(compiler.version, await host.compile(compiler, programs, 'node')),
      ...ownErrors(compiler.version, await host.compile(compiler, [receiver], 'browser')),
    ]);
  }
  for (const file of programs) await check(`run ${file}`, () => runs(host, file));
  for (const name of commandsOf(packed)) {
    await check(`run the command ${name}`, () => runs(host, join('node_modules', '.bin', name), '--help'));
  }
  await check('require from CommonJS', () => runs(host, '-e', `require('${embedded}')`));
  const node_24 = await step('install Node 24', installNode24);
  for (const words of [...programs.map((file) => [file]), ['-e', `require('${embedded}')`]]) {
    await check(`run ${words.join(' ')} on Node 24`, () => runsOn(node_24, host, ...words));
  }
  const older = olderNode();
  if (older === null) notes.push('NOT RUN: on an older Node: none was found; TEST_NODE_20 can name one');
  else
    await check(`refuse the older Node ${older}`, () =>
      olderNodeProblems(host, older, entries_of_new_node, commandsOf(packed)),
    );
  const harness = readFileSync(join(root, 'docs/harness.md'), 'utf8');
  await check('check a store of a host, with and without bugs', () =>
    ownStoreProblems(harness, join(scratch, 'own-card-store'), packed),
  );
  await checkGuides(packed, node_24);
  printSizes(packed, installed);
}

async function checkGuides(packed: readonly PackedPackage[], node_24: string): Promise<void> {
  const problem = localPostgresProblem();
  if (problem !== null) {
    notes.push(`NOT RUN: the guides of docs/hosts.md: ${problem}`);
    return;
  }
  const guides = readGuides(readFileSync(join(root, 'docs/hosts.md'), 'utf8'));
  const followed = guides.filter(({ name }) => all_hosts || short_guides.includes(name));
  const nodes = [[26, process.execPath] as const, ...(all_hosts ? [[24, node_24] as const] : [])];
  for (const [version, node] of nodes) {
    for (const guide of followed) {
      await check(`follow the guide ${guide.name} on Node ${version}`, async () => {
        const found = await followGuide(guide, join(scratch, `guides-${version}`, guide.name), packed, dirname(node));
        return found.map((problem) => `on Node ${version}: ${problem}`);
      });
    }
  }
  await check('run the thread of the log in a bundle', () => threadInBundle(join(scratch, 'guides-26', 'esbuild')));
  const others = guides.filter((guide) => !followed.includes(guide)).map(({ name }) => name);
  if (others.length > 0) notes.push(`NOT RUN without --all-hosts: the guides ${others.join(', ')}`);
}

/**
 * Bundles a program in the project of the guide, and runs it where only the native library is
 * installed.
 */
async function threadInBundle(folder: string): Promise<readonly string[]> {
  const project = join(folder, 'program');
  cpSync(fileURLToPath(new URL(`programs/${log_thread}`, import.meta.url)), join(project, log_thread));
  const settings = ['--bundle', '--platform=node', '--format=cjs', '--external:better-sqlite3', '--keep-names'];
  const bundle = ['esbuild', log_thread, ...settings, '--outfile=../deployed/log-thread.cjs'];
  const outcomes = [await outcomeOf(project, 'npx', bundle)];
  outcomes.push(await outcomeOf(join(folder, 'deployed'), process.execPath, ['log-thread.cjs']));
  return outcomes
    .filter(({ succeeded }) => !succeeded)
    .map(({ output }) => `${log_thread} in a bundle failed:\n${output}`);
}

/** Copies the checked tarballs into a folder, and returns its path. */
function copyTarballs(folder: string): string {
  const target = resolve(folder);
  cpSync(join(scratch, 'tarballs'), target, { recursive: true, filter: (path) => !path.includes('staged') });
  return target;
}

/** Runs one part and prints how long it took. */
async function step<Result>(name: string, part: () => Promise<Result>): Promise<Result> {
  const from_ms = performance.now();
  try {
    return await part();
  } finally {
    console.log(`${((performance.now() - from_ms) / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  }
}

/** Runs one part that finds problems, and keeps them. */
async function check(name: string, part: () => Promise<readonly string[]>): Promise<void> {
  problems.push(...(await step(name, part)));
}

/** Runs the command that a start on SQLite names without the library. */
async function installSqlite(host: HostProject): Promise<readonly string[]> {
  const { output } = await host.run(process.execPath, durable_host);
  const words = / needs the package better-sqlite3: run npm (install better-sqlite3@[\d.]+)$/m.exec(output)?.[1];
  if (words === undefined) return [`a start on SQLite without better-sqlite3 names no command:\n${output}`];
  const installed = await host.run('npm', ...words.split(' '), ...quietly);
  return installed.succeeded ? [] : [`npm ${words} failed:\n${installed.output}`];
}

async function build(packages: readonly Workspace[]): Promise<void> {
  const filters = packages.map(({ manifest }) => `--filter=${manifest.name}`);
  try {
    execFileSync('npx', ['turbo', 'run', 'build', '--output-logs=errors-only', ...filters], {
      cwd: root,
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    throw new Error(`the build failed:\n${stdout ?? ''}${stderr ?? ''}`);
  }
}

function nodeTypes(): string {
  return readManifest(root).devDependencies!['@types/node']!;
}

function worldOf(host: HostProject, packed: readonly PackedPackage[]): World {
  const packages = packed.map(({ manifest }) => readPackedFiles(join(host.folder, 'node_modules', manifest.name)));
  return {
    packages,
    machine_names: machineNames(),
    typesPackageOf(library) {
      const name = `@types/${library.replace(/^@([^/]+)\//, '$1__')}`;
      return existsSync(join(root, 'node_modules', name)) ? name : null;
    },
  };
}

/** Texts that would show where a tarball was packed. A short host name could be a word. */
function machineNames(): ReadonlyMap<string, string> {
  const names = new Map([
    [root, 'the folder of the repository'],
    [`${homedir()}/`, 'a path in the home folder'],
  ]);
  if (homedir() === '/') names.delete('//');
  if (hostname().length >= 6 && /[\d.-]/.test(hostname())) names.set(hostname(), 'the name of this machine');
  const registry = new URL(execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()).host;
  return names.set(registry, 'the address of a package registry');
}

/** Writes what hosts write. Returns the names of the programs that run. */
function writePrograms(host: HostProject, packed: readonly PackedPackage[]): readonly string[] {
  for (const file of [durable_host, receiver]) {
    cpSync(fileURLToPath(new URL(`programs/${file}`, import.meta.url)), join(host.folder, file));
  }
  const programs = [{ file: 'every-entry-point.ts', text: importsOfEverything(packed) }];
  try {
    programs.push(embeddingExample(readFileSync(join(root, 'README.md'), 'utf8')));
  } catch (error) {
    problems.push((error as Error).message);
  }
  for (const { file, text } of programs) writeFileSync(join(host.folder, file), text);
  return [durable_host, ...programs.map(({ file }) => file)];
}

/**
 * Returns the errors in the host's files and in our declarations. Those in declarations of other
 * libraries are counted in a note: a host sets `skipLibCheck` for them.
 */
function ownErrors(version: string, { succeeded, output }: Outcome): readonly string[] {
  if (succeeded) return [];
  const errors = output.split(/\n(?=\S)/);
  const foreign = errors.filter((text) => /^node_modules\/(?!@tallystick\/|tallystick\/)/.test(text));
  if (foreign.length > 0) {
    const libraries = foreign.map((text) => packageOf(text.slice('node_modules/'.length)));
    notes.push(
      `TypeScript ${version}: ${count(foreign.length, 'error')} in declarations of ${[...new Set(libraries)].join(', ')}`,
    );
  }
  return errors.filter((text) => !foreign.includes(text)).map((text) => `TypeScript ${version}: ${text}`);
}

/** The commands that a host gets in `node_modules/.bin`. */
function commandsOf(packed: readonly PackedPackage[]): readonly string[] {
  return packed.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}));
}

async function runs(host: HostProject, ...words: readonly string[]): Promise<readonly string[]> {
  return await runsOn(process.execPath, host, ...words);
}

async function runsOn(node: string, host: HostProject, ...words: readonly string[]): Promise<readonly string[]> {
  const { succeeded, output } = await host.run(node, ...words);
  return succeeded ? [] : [`${node} ${words.join(' ')} failed in the project of a host:\n${output}`];
}

function printSizes(packed: readonly PackedPackage[], installed: InstalledSize): void {
  const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1).padStart(12);
  console.log(
    `\n${'package'.padEnd(32)}${'packed kB'.padStart(12)}${'unpacked kB'.padStart(12)}${'files'.padStart(8)}`,
  );
  for (const { manifest, packed_bytes, unpacked_bytes, files } of packed) {
    const counted = String(files).padStart(8);
    console.log(`${manifest.name.padEnd(32)}${kilobytes(packed_bytes)}${kilobytes(unpacked_bytes)}${counted}`);
  }
  const { packages, files, bytes, largest } = installed;
  const top = largest.slice(0, 5).map(([name, size]) => `${name} ${(size / 1e6).toFixed(1)} MB`);
  console.log(`\n${embedded} installed: ${packages} packages, ${files} files, ${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`the largest: ${top.join(', ')}`);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
