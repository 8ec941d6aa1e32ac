/** An empty project of a host, in which the packed packages are installed as from a registry. */
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PackedPackage } from './packing.ts';
import { entryPoints } from './public-packages.ts';

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
  const install = await run('npm', 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
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

function outcomeOf(folder: string, program: string, words: readonly string[]): Promise<Outcome> {
  // The settings of the npm that runs this are not those of a host: they name this repository.
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(?:cache|registry))/i.test(name)),
  );
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { ...environment, NODE_OPTIONS: '' }, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, words, options, (error: ExecFileException | null, out, err) => {
      resolve({ succeeded: error === null, output: `${out}${err}`.trim() });
    });
  });
}
