/**
 * Packs the public packages as they are published. A tarball has the package.json without what only
 * this repository needs, the README, and the built files whose sources still exist.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reachableDeclarations, readPackedFiles } from './packed-files.ts';
import type { Conditions, Manifest, Workspace } from './public-packages.ts';

const run = promisify(execFile);

/**
 * The Node that a package needs when it names none. It is not in the manifests of the workspaces,
 * because npm would warn about each of them: in the repository an older Node may run npm.
 */
export const node_needed = '>=24';

export interface PackedPackage {
  readonly manifest: Manifest;
  /** The absolute path of the tarball. */
  readonly tarball: string;
  readonly packed_bytes: number;
  readonly unpacked_bytes: number;
  readonly files: number;
}

/**
 * Returns the package.json of a package as it is published: without scripts, development
 * dependencies and the conditions that lead to the sources. That of the sources is private, so that
 * npm refuses to publish them.
 */
export function publishedManifest(manifest: Manifest): Manifest {
  const { private: _, scripts, devDependencies, publishConfig, exports = {}, ...rest } = manifest;
  const published = Object.entries(exports).map(([path, { source, ...conditions }]) => [path, conditions] as const);
  return {
    ...rest,
    engines: { node: node_needed, ...manifest.engines },
    exports: Object.fromEntries<Conditions>(published),
    ...(publishConfig === undefined ? {} : { publishConfig }),
  };
}

/** Packs built packages into a folder. Rejects when one has not been built. */
export async function pack(packages: readonly Workspace[], folder: string): Promise<readonly PackedPackage[]> {
  mkdirSync(folder, { recursive: true });
  const staged = packages.map((one) => stage(one, join(folder, 'staged')));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...staged], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  });
  const reports = JSON.parse(stdout) as readonly PackReport[];
  return packages.map(({ manifest }) => {
    const report = reports.find(({ name }) => name === manifest.name);
    if (report === undefined) throw new Error(`npm pack made no tarball of ${manifest.name}`);
    return {
      manifest: publishedManifest(manifest),
      tarball: join(folder, report.filename),
      packed_bytes: report.size,
      unpacked_bytes: report.unpackedSize,
      files: report.entryCount,
    };
  });
}

/** One entry of the output of `npm pack --json`. */
interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/**
 * Copies what is published into a folder of its own, and returns that folder. Declarations that no
 * entry point reaches are left out: no compiler reads them.
 */
function stage({ folder, manifest }: Workspace, staged: string): string {
  const target = join(staged, manifest.name.replace('/', '-'));
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) throw new Error(`${manifest.name}: ${dist} is missing; run \`npm run build\``);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  for (const name of readdirSync(folder)) {
    if (/^(readme|licen[cs]e|changelog)/i.test(name)) cpSync(join(folder, name), join(target, name));
  }
  cpSync(dist, join(target, 'dist'), { recursive: true, filter: (path) => isCurrent(path, dist, join(folder, 'src')) });
  const staged_files = readPackedFiles(target);
  const reached = new Set(reachableDeclarations([staged_files]).map(({ path }) => path));
  for (const path of staged_files.texts.keys()) {
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(join(target, path));
  }
  return target;
}

/**
 * Whether a path of `dist` is a folder, or a module or declarations whose source exists. The
 * compiler leaves the output of removed sources behind.
 */
function isCurrent(path: string, dist: string, sources: string): boolean {
  if (statSync(path).isDirectory()) return true;
  const output = /(?:\.d\.ts|\.js)$/.exec(path)?.[0];
  return output !== undefined && existsSync(join(sources, `${path.slice(dist.length, -output.length)}.ts`));
}

/** The embedding example of the README, which hosts copy. */

export interface Example {
  /** The name of its file, from the comment in its first line: `app.ts`. */
  readonly file: string;
  readonly text: string;
}

/** An embedding is this short. Lines of the block, with blank lines and comments. */
const lines_max = 20;

/**
 * Returns the first TypeScript block below the heading "Embedding" of the README. Throws with what
 * is wrong when there is none, when its first line names no file, or when it is too long.
 */
export function embeddingExample(readme: string): Example {
  const section = /^(#+) Embed(?:ding)?\b.*\n([\s\S]*)/m.exec(readme);
  if (section === null) throw new Error('README.md has no heading "Embedding"');
  const [, marks = '', rest = ''] = section;
  const next = new RegExp(`^#{1,${marks.length}} `, 'm').exec(withoutBlocks(rest));
  const text = /^```ts\n([\s\S]*?)^```$/m.exec(next === null ? rest : rest.slice(0, next.index))?.[1];
  if (text === undefined) throw new Error('README.md has no ```ts block below its heading "Embedding"');
  const file = /^\/\/ ([\w.-]+\.ts)\b/.exec(text)?.[1];
  if (file === undefined) {
    throw new Error('README.md: the first line of the embedding example is not a comment with its file: "// app.ts"');
  }
  const lines = text.trimEnd().split('\n').length;
  if (lines > lines_max) throw new Error(`README.md: the embedding example has ${lines} lines; ${lines_max} at most`);
  return { file, text };
}

/** Blanks fenced blocks, whose comments of a shell look like headings, and keeps every index. */
function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ' '));
}
