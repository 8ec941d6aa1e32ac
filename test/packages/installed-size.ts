/** The size of what npm installs for one package: itself and everything below it. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, readManifest } from './public-packages.ts';

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
