/** The package as it is published: built, and then run on the runtimes of its receivers. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium_expected, findChromium, findRuntime, isExpected, receiver_runtimes } from '@tallystick/test-support';
import { vectors } from './vectors.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the built package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-webhook-signature-'));
  after(() => rmSync(folder, { recursive: true }));

  before(async () => {
    const project = join(root, 'packages/webhook-signature/tsconfig.build.json');
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', join(folder, 'dist')], {
      env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    });
    const check = readFileSync(new URL('./runtime-check.ts', import.meta.url), 'utf8');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'check.js'), stripTypeScriptTypes(check));
    writeFileSync(
      join(folder, 'report.js'),
      `import * as library from './dist/index.js';
       import { checkRuntime } from './check.js';
       export const report = await checkRuntime(library, ${JSON.stringify(vectors)});`,
    );
    writeFileSync(
      join(folder, 'main.js'),
      `import { report } from './report.js';
       console.log(JSON.stringify(report));`,
    );
    writeFileSync(
      join(folder, 'index.html'),
      `<!doctype html><script type="module">
       import { report } from './report.js';
       document.body.append(JSON.stringify(report));
       </script><body></body>`,
    );
  });

  it('imports only its own files', () => {
    const files = ['index', 'received-delivery', 'sign', 'signature', 'signed-text', 'verify'];
    const specifiers = files.flatMap((name) => {
      const text = readFileSync(join(folder, 'dist', `${name}.js`), 'utf8');
      return [...text.matchAll(/^(?:import|export) .*from '([^']+)'/gm)].map(([, specifier]) => specifier!);
    });
    assert.ok(specifiers.length > 5);
    assert.deepEqual(
      specifiers.filter((specifier) => !files.includes(specifier.replace(/^\.\/(.*)\.js$/, '$1'))),
      [],
    );
  });

  for (const runtime of receiver_runtimes) {
    it(`signs and verifies the golden vectors on ${runtime.name}`, { skip: !isExpected(runtime) }, async () => {
      const path = findRuntime(runtime);
      assert.ok(path !== null, `no ${runtime.name} on this machine: name one in ${runtime.path_variable}`);
      const { stdout } = await run(path, [join(folder, 'main.js')], { env: { HOME: folder } });
      assert.deepEqual(JSON.parse(stdout), { checked: 52, failed: [] });
    });
  }

  it('signs and verifies the golden vectors in a browser', { skip: !chromium_expected }, async () => {
    const chromium = findChromium();
    assert.ok(chromium !== null, 'no Chromium on this machine: name one in TEST_CHROMIUM');
    const server = createServer((request, response) => {
      const path = request.url === '/' ? '/index.html' : request.url!;
      const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
      try {
        const text = readFileSync(join(folder, path));
        response.writeHead(200, { 'content-type': type }).end(text);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', '--dump-dom'];
      const profile = `--user-data-dir=${join(folder, 'profile')}`;
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { stdout } = await run(chromium, [...flags, profile, url], { timeout: 60_000 });
      const report = /\{"checked".*\}/.exec(stdout)?.[0] ?? `no report: ${stdout}`;
      assert.deepEqual(JSON.parse(report), { checked: 52, failed: [] });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
