import type { ThirdPartyScope } from '@tallystick/consents';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';

/** The official base paths, by the scope of their endpoints. All endpoints are also at the root. */
export const base_paths: Readonly<Record<ThirdPartyScope, string>> = {
  accounts: '/open-banking/v3.1/aisp',
  fundsconfirmations: '/open-banking/v3.1/cbpii',
};

/** The first words of the paths of the standard that are not served. */
const not_served = ['balances', 'beneficiaries', 'offers', 'party', 'products', 'statements', 'transactions'];

/** The first words of all paths that belong to the standard, at the root. */
const first_words: ReadonlySet<string> = new Set([
  'open-banking',
  ...endpoints.flatMap(({ paths }) => paths.map((path) => path.split('/')[1]!)),
  ...not_served,
]);

/** Whether the conventions of Open Banking apply to the path, also when nothing is there. */
export function isOpenBankingPath(path: string): boolean {
  const end = path.indexOf('/', 1);
  return first_words.has(path.slice(1, end < 0 ? undefined : end));
}

/** The endpoints at one path, by method. */
export interface Route {
  /** The path without ids, for log and metrics. */
  readonly template: string;
  readonly by_method: ReadonlyMap<string, Endpoint>;
  /** The ConsentId or the AccountId of the path; empty where it has none. */
  readonly id: string;
}

const by_template: ReadonlyMap<string, ReadonlyMap<string, Endpoint>> = readTemplates();

/** The endpoints at this path, as it was asked for; null: there is none. */
export function findRoute(path: string): Route | null {
  const exact = by_template.get(path);
  if (exact !== undefined && !path.includes(':')) return { template: path, by_method: exact, id: '' };
  for (const base of ['', ...Object.values(base_paths)]) {
    if (!path.startsWith(`${base}/`)) continue;
    const [first, id, ...rest] = path.slice(base.length + 1).split('/');
    if (!id) continue;
    const template = [base, first, ':id', ...rest].join('/');
    const by_method = by_template.get(template);
    if (by_method !== undefined) return { template, by_method, id: decode(id) };
  }
  return null;
}

function readTemplates(): ReadonlyMap<string, ReadonlyMap<string, Endpoint>> {
  const read = new Map<string, Map<string, Endpoint>>();
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths) {
      for (const base of ['', base_paths[endpoint.scope]]) {
        const template = base + path;
        const by_method = read.get(template) ?? new Map<string, Endpoint>();
        read.set(template, by_method.set(endpoint.method, endpoint));
      }
    }
  }
  return read;
}

/** Text that is not percent-encoded UTF-8 is an id that does not exist. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
