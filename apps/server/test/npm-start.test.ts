import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sandbox_keys, scratchDatabase, startServer } from '@tallystick/test-support';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Reached only when a process was left behind: then its output never ends. */
const timeout = 60_000;

describe('the server under npm', () => {
  for (const [signal, exit] of [
    ['SIGTERM', { code: 0, signal: null }],
    ['SIGINT', { code: 0, signal: null }],
    // npm passes on neither: it ends, and the server notices.
    ['SIGHUP', { code: null, signal: 'SIGHUP' }],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
  ] as const) {
    it(`finishes the request in flight and frees its port when npm start gets ${signal}`, { timeout }, async (t) => {
      const scratch = await scratchDatabase('sqlite');
      t.after(() => scratch.dispose());
      const server = await startServer({ database_url: scratch.database_url, command: ['npm', 'start'] });
      const body = JSON.stringify({ data: { total_card_amount: 4200 } });
      const request = httpRequest(`${server.url}/v1/virtualcards`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sandbox_keys.client}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          expect: '100-continue',
        },
      });
      request.flushHeaders();
      await once(request, 'continue');
      const response = once(request, 'response') as Promise<[IncomingMessage]>;

      server.signal(signal);
      while (!server.output().includes('finishing requests in flight')) {
        await delay(5);
      }
      request.end(body);
      const [{ statusCode }] = await response;
      assert.equal(statusCode, 200);
      // Resolves when no process is left that holds the output of npm.
      assert.deepEqual(await server.exited, exit);
      await assert.rejects(fetch(`${server.url}/healthz`), TypeError);
    });
  }

  it('stops with npm run dev', { timeout }, async (t) => {
    const scratch = await scratchDatabase('sqlite');
    t.after(() => scratch.dispose());
    const server = await startServer({ database_url: scratch.database_url, command: ['npm', 'run', 'dev'] });
    server.signal('SIGTERM');
    await server.exited;
    assert.match(server.output(), /SIGTERM: finishing requests in flight/);
    await assert.rejects(fetch(`${server.url}/healthz`), TypeError);
  });

  it('is not behind a shell: every script that runs node begins with exec', () => {
    const behind_a_shell = Object.entries(manifest.scripts).filter(([, script]) => /^(bin\/)?node\b/.test(script));
    assert.deepEqual(behind_a_shell, []);
    // cmd.exe has no exec, and finds this file in the folder in which npm runs scripts.
    assert.match(readFileSync(new URL('../../../exec.cmd', import.meta.url), 'utf8'), /^@for .* do @node %%b\r$/m);
  });
});
