import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const files = {
  'console.css': { type: 'text/css; charset=utf-8', at: () => new URL('../assets/console.css', import.meta.url) },
  'console.js': { type: 'text/javascript; charset=utf-8', at: () => new URL('../assets/console.js', import.meta.url) },
  'icon.svg': { type: 'image/svg+xml', at: () => new URL('../assets/icon.svg', import.meta.url) },
  'htmx.js': {
    type: 'text/javascript; charset=utf-8',
    at: () => new URL(import.meta.resolve('htmx.org/dist/htmx.min.js')),
  },
} as const;

export type AssetName = keyof typeof files;

interface Asset {
  readonly type: string;
  readonly hash: string;
  readonly plain: Buffer<ArrayBuffer>;
  readonly compressed: Buffer<ArrayBuffer>;
}

const read = new Map<AssetName, Asset>();

/** The files are small and few: each is read once, at its first use. */
function assetOf(name: AssetName): Asset {
  const known = read.get(name);
  if (known !== undefined) return known;
  const { type, at } = files[name];
  const plain = readFileSync(at());
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 16);
  const asset = { type, hash, plain, compressed: gzipSync(plain) };
  read.set(name, asset);
  return asset;
}

/** The path of a file, which changes with its content: a browser keeps it for a year. */
export function assetPath(base: string, name: AssetName): string {
  return `${base}/assets/${assetOf(name).hash}/${name}`;
}

/** Answers a request for a file; null: there is none at this path. */
export function answerAsset(request: Request): Response | null {
  const [, hash, name = ''] = /^\/assets\/([\w-]+)\/([a-z.]+)$/.exec(new URL(request.url).pathname) ?? [];
  if (hash === undefined || !Object.hasOwn(files, name)) return null;
  const asset = assetOf(name as AssetName);
  const is_compressed = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  const headers = new Headers({
    'Content-Type': asset.type,
    'Cache-Control': hash === asset.hash ? 'public, max-age=31536000, immutable' : 'no-store',
    Vary: 'Accept-Encoding',
  });
  if (is_compressed) headers.set('Content-Encoding', 'gzip');
  return new Response(is_compressed ? asset.compressed : asset.plain, { headers });
}
