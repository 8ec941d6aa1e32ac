import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { unescapeHtml } from '@tallystick/test-support';
import { openConsole } from './console-world.ts';

const run = promisify(execFile);

/** Texts that a shell would change, or end. */
const text = 'O\'Hara "x" $HOME `id` Müller 😀 \\n';

const without_curl = spawnSync('curl', ['--version']).error === undefined ? false : 'there is no curl on the path';

it('shows the calls of a button so that a shell makes them again', { skip: without_curl }, async (t) => {
  const world = await openConsole(t, () => ({ sandbox: true }));
  const folder = await mkdtemp(join(tmpdir(), 'console-trial-'));
  t.after(() => rm(folder, { recursive: true }));
  const browser = world.browser();
  await browser.post('/console/log-in/sandbox', { role: 'admin', back: '/companies/1/sandbox' });

  /** Presses a button, and returns what the shown calls answer in a shell. */
  const repeat = async (fields: Readonly<Record<string, string>>) => {
    const page = await browser.post('/console/companies/1/sandbox', fields);
    assert.equal(page.status, 200, page.html);
    const shown = [...page.html.matchAll(/<p class="quiet">In a shell<\/p><pre[^>]*>([^<]+)</g)];
    const answers: { readonly data: Readonly<Record<string, unknown>> }[] = [];
    for (const [, escaped = ''] of shown) {
      const command = unescapeHtml(escaped).replace('curl -X', 'curl --silent --fail-with-body -X');
      const { stdout } = await run('sh', ['-c', command], { cwd: folder });
      answers.push(JSON.parse(stdout));
    }
    return answers.map(({ data }) => data);
  };

  const [card] = await repeat({ do: 'card', limit: '500.00', team: text });
  assert.deepEqual(card?.metadata, { team: text });
  const [bought] = await repeat({ do: 'buy', card: '1', amount: '12.50', merchant: text });
  assert.deepEqual([bought?.issuer_response, bought?.merchant_name], ['Approved', text]);
  const imports = [await repeat({ do: 'clearing_file' }), await repeat({ do: 'statement' })].flat();
  // The same bytes are the same import.
  assert.deepEqual(
    imports.map(({ format, status, applied }) => ({ format, status, applied })),
    [
      { format: 'cdf3', status: 'completed', applied: 2 },
      { format: 'bai2', status: 'completed', applied: 2 },
    ],
  );
  const { items } = await world.tally.operator.imports.list();
  assert.deepEqual(new Set(items.map(({ id }) => id)), new Set(imports.map(({ id }) => id)));
});

it('tells who has no webhook that works how to see one', async (t) => {
  const browser = (await openConsole(t, () => ({ sandbox: true }))).browser();
  await browser.post('/console/log-in/sandbox', { role: 'viewer', back: '/' });
  assert.match((await browser.get('/console/companies/1/webhooks')).html, /run <code>npm run listen<\/code>/);
});
