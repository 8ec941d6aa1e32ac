import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Role, sandbox_keys } from '@tallystick/access';
import type { Page } from '@tallystick/koa';

/** Only this origin, and no script inside the page. Scalar sets styles of elements. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The page `/docs` about the interface: Scalar with the OpenAPI document of this server. The bundle
 * comes from `node_modules`, and the page loads nothing from elsewhere. In a sandbox the page has its
 * fixed keys.
 */
export function apiReferencePages({ sandbox }: { readonly sandbox: boolean }): readonly Page[] {
  const scalar = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference/style.css'));
  return [
    {
      path: '/docs',
      answer: () => ({
        headers: {
          'Cache-Control': 'no-cache',
          'Content-Security-Policy': policy,
          'Content-Type': 'text/html; charset=utf-8',
        },
        body: pageWith(sandbox ? sandbox_keys : {}),
      }),
    },
    scriptAt('/docs/scalar.js', scalar),
    scriptAt('/docs/start.js', new URL('start.js', import.meta.url)),
  ];
}

function pageWith(keys: Partial<Record<Role, string>>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tallystick API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same is in <a href="openapi.json">openapi.json</a>, an OpenAPI document.</noscript>
<script type="application/json" id="sandbox-keys">${JSON.stringify(keys)}</script>
<script src="docs/scalar.js"></script>
<script src="docs/start.js" type="module"></script>
</body>
</html>
`;
}

interface Script {
  readonly etag: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

function scriptAt(path: string, file: URL): Page {
  let reading: Promise<Script> | undefined;
  return {
    path,
    async answer({ 'accept-encoding': accepted = '' }) {
      reading ??= readScript(file).catch((error: unknown) => {
        reading = undefined; // The next request reads it again.
        throw error;
      });
      const { etag, plain, compressed } = await reading;
      const is_compressed = /\bgzip\b/.test(accepted);
      return {
        headers: {
          'Cache-Control': 'no-cache',
          'Content-Type': 'text/javascript; charset=utf-8',
          ETag: etag,
          Vary: 'Accept-Encoding',
          ...(is_compressed ? { 'Content-Encoding': 'gzip' } : {}),
        },
        body: is_compressed ? compressed : plain,
      };
    },
  };
}

async function readScript(file: URL): Promise<Script> {
  const plain = await readFile(file);
  const hash = createHash('sha256').update(plain).digest('base64url');
  return { etag: `W/"${hash}"`, plain, compressed: await promisify(gzip)(plain) };
}
