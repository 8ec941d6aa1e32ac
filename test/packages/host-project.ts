/** An empty project of a host, in which the packed packages are installed as from a registry. */
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findRuntime } from '@tallystick/test-support';
import type { PackedPackage } from './packing.ts';
import { entryPoints, type Manifest, readManifest } from './public-packages.ts';

export interface Outcome {
  readonly succeeded: boolean;
  /** What the program wrote, errors included. */
  readonly output: string;
}

export interface HostProject {
  /** Absolute. */
  readonly folder: string;
  /** Compiles files strictly, and checks the declarations of all libraries. */
  compile(compiler: Compiler, files: readonly string[], runtime: Runtime): Promise<Outcome>;
  /** Runs a program with its arguments inside the project. */
  run(program: string, ...words: readonly string[]): Promise<Outcome>;
}

/** What the program of a host runs on: what its types know. */
export type Runtime = 'node' | 'browser';

/** A version of TypeScript that hosts use. */
export interface Compiler {
  readonly version: string;
  /** The absolute path of `tsc`. */
  readonly path: string;
}

/** The compilers that are installed: of this folder and of the repository. */
export function compilers(): readonly Compiler[] {
  return [import.meta.url, new URL('../../package.json', import.meta.url)].map((from) => {
    const manifest = createRequire(from).resolve('typescript/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
    return { version, path: join(manifest, '..', 'bin', 'tsc') };
  });
}

/**
 * Makes the project and installs the packages into it. The libraries of others come from npm's cache
 * where they are. Rejects with npm's output when that fails.
 */
export async function createHostProject(
  folder: string,
  packages: readonly PackedPackage[],
  node_types: string,
): Promise<HostProject> {
  mkdirSync(folder, { recursive: true });
  const files = Object.fromEntries(packages.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  const manifest = {
    name: 'host',
    private: true,
    type: 'module',
    dependencies: files,
    devDependencies: { '@types/node': node_types },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  const run = (program: string, ...words: readonly string[]) => outcomeOf(folder, program, words);
  const install = await run('npm', 'install', ...quietly);
  if (!install.succeeded) throw new Error(`npm install of the tarballs failed:\n${install.output}`);
  return {
    folder,
    run,
    compile(compiler, names, runtime) {
      const path = join(folder, `tsconfig.${runtime}.${compiler.version}.json`);
      const compilerOptions = { ...host_options, ...runtimes[runtime] };
      writeFileSync(path, JSON.stringify({ compilerOptions, files: names }, null, 2));
      return run(process.execPath, compiler.path, '-p', path);
    },
  };
}

/** Switches of `npm install`. */
export const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];

/** What a careful host on TypeScript sets. */
const host_options = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
};

const runtimes: Readonly<Record<Runtime, object>> = {
  node: { lib: ['es2024'], types: ['node'] },
  browser: { lib: ['es2022', 'dom'], types: [] },
};

/** Returns a module that imports and uses every public entry point. */
export function importsOfEverything(packages: readonly PackedPackage[]): string {
  const names = packages.flatMap(({ manifest }) => entryPoints(manifest));
  const imports = names.map((name, index) => `import * as entry_${index} from '${name}';`);
  const uses = names.map((name, index) => `  ['${name}', Object.keys(entry_${index}).length],`);
  return [...imports, '', 'console.log(JSON.stringify([', ...uses, ']));', ''].join('\n');
}

/** Runs a program in a folder of a host, with further variables. */
export function outcomeOf(
  folder: string,
  program: string,
  words: readonly string[],
  further: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  // The settings of the npm that runs this are not those of a host: they name this repository.
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(?:cache|registry))/i.test(name)),
  );
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...environment, NODE_OPTIONS: '', ...further }, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, words, options, (error: ExecFileException | null, out, err) => {
      resolve({ succeeded: error === null, output: `${out}${err}`.trim() });
    });
  });
}

/** Needs no Node 24: receivers of webhooks use it. */
const for_older = '@tallystick/webhook-signature';

/** Returns the path of a Node 20 to 23 of this machine; `TEST_NODE_20` can name one. Null: none. */
export function olderNode(): string | null {
  return findRuntime({
    name: 'node-older',
    path_variable: 'TEST_NODE_20',
    absent_variable: 'TALLYSTICK_TEST_NODE_20',
    program: 'node',
    version: /^v2[0-3]\./,
  });
}

const refusal = /tallystick needs Node 24 or later, and this is Node [\d.]+: run it with a newer Node$/;

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

export interface InstalledSize {
  readonly packages: number;
  readonly files: number;
  readonly bytes: number;
  /** The largest packages first: name and bytes. */
  readonly largest: readonly (readonly [name: string, bytes: number])[];
}

/** Measures a package that is installed in `node_modules` of a project. */
export function installedSize(project: string, name: string): InstalledSize {
  const folders = new Map<string, Manifest>();
  const visit = (folder: string): void => {
    if (folders.has(folder)) return;
    const manifest = readManifest(folder);
    folders.set(folder, manifest);
    const names = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
    for (const dependency of Object.keys(names)) {
      const found = resolve(folder, dependency, project);
      if (found !== null) visit(found);
    }
  };
  const start = resolve(project, name, project);
  if (start === null) throw new Error(`${name} is not installed in ${project}`);
  visit(start);
  const sizes = [...folders].map(([folder, manifest]) => [manifest.name, sizeOf(folder)] as const);
  return {
    packages: sizes.length,
    files: sizes.reduce((sum, [, { files }]) => sum + files, 0),
    bytes: sizes.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    largest: sizes.map(([one, { bytes }]) => [one, bytes] as const).sort(([, one], [, other]) => other - one),
  };
}

/** Node's own search: `node_modules` of the folder and of those above it, up to the project. */
function resolve(from: string, name: string, project: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
    if (folder === project || folder === dirname(folder)) return null;
  }
}

/** The files of one package, without those that are installed below it. */
function sizeOf(folder: string): { readonly files: number; readonly bytes: number } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.slice(folder.length).includes('/node_modules/'));
  return { files: entries.length, bytes: entries.reduce((sum, path) => sum + statSync(path).size, 0) };
}
