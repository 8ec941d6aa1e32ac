/**
 * Prints the bill of materials of what `npm ci --omit=dev` installs, on any platform, in CycloneDX.
 * `npm sbom --omit dev` would leave out the libraries of the server that the tests at the root
 * import too. So this is the bill of the whole lock, without what only development needs.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Component {
  /** `name@version`. */
  readonly 'bom-ref': string;
  readonly version: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly name?: string; readonly version?: string; readonly dev?: boolean }>
  >;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const lock: Lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
const installed = new Set(
  Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`),
);

const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
const whole: Bill = JSON.parse(
  execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
);
const bill: Bill = {
  ...whole,
  metadata: { ...whole.metadata, component: corrected(whole.metadata.component) },
  components: whole.components.filter((one) => installed.has(one['bom-ref'])).map(corrected),
  dependencies: whole.dependencies
    .filter(({ ref }) => installed.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => installed.has(one)) })),
};
console.log(JSON.stringify(bill, null, 2));

/**
 * npm names workspaces and aliases by their folders, and marks a package for development when one of
 * its copies is.
 */
function corrected(one: Component): Component & { readonly name: string } {
  return {
    ...one,
    name: one['bom-ref'].slice(0, -`@${one.version}`.length),
    properties: one.properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
  };
}
