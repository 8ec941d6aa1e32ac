/** The workspaces that are published: those with `publishConfig`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What this check reads of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Conditions>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly publishConfig?: Readonly<Record<string, string>>;
}

/** The conditions of one entry of `exports`, each with the path of its file. */
export type Conditions = Readonly<Record<string, string>>;

export interface Workspace {
  /** Absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the public workspaces of the repository in the order of their names. */
export function publicPackages(root: string): readonly Workspace[] {
  return workspaces(root).filter(({ manifest }) => manifest.publishConfig !== undefined);
}

/** Returns all workspaces of the repository in the order of their names. */
export function workspaces(root: string): readonly Workspace[] {
  const { workspaces: patterns } = readManifest(root) as unknown as { readonly workspaces: readonly string[] };
  return globSync(
    patterns.map((pattern) => `${pattern}/package.json`),
    { cwd: root },
  )
    .map((path) => join(root, path, '..'))
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
    .sort((one, other) => one.manifest.name.localeCompare(other.manifest.name));
}

/** Returns what a host imports: `tallystick`, `tallystick/tx`. */
export function entryPoints({ name, exports = {} }: Manifest): readonly string[] {
  return Object.keys(exports).map((path) => name + path.slice(1));
}
