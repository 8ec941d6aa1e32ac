import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { sandbox_keys } from '@tallystick/access';
import { startService } from './service.ts';

/** The texts of the page's blocks of code with this class. */
function blocksOf(page: string, name: string): readonly string[] {
  const blocks = page.matchAll(new RegExp(`<pre class="${name}">([^<]*)</pre>`, 'g'));
  return [...blocks].map(([, text = '']) => text.replace(/&#(\d+);/g, (_all, number) => String.fromCharCode(number)));
}

/** The words that a shell hands to each of the commands, in their order. */
function wordsOf(variables: string, commands: readonly string[]): readonly (readonly string[])[] {
  const script = `curl() { printf '%s\\0' "$@"; printf '\\001\\0'; }\n${variables}\n${commands.join('\n')}`;
  const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  return output
    .split('\u0001\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

/** What curl sends for these words. */
function requestOf(words: readonly string[]) {
  const after = (option: string) => words.flatMap((word, at) => (word === option ? [words[at + 1] ?? ''] : []));
  const url = new URL(words.find((word) => word.startsWith('http')) ?? '');
  const headers = Object.fromEntries(after('-H').map((header) => header.split(': ') as [string, string]));
  return { method: after('-X')[0] ?? 'GET', url, headers, body: after('-d')[0] };
}

describe('the page about the interface', () => {
  it('shows of every operation a command that a shell takes and the service understands', async (t) => {
    const { send, company_id } = await startService(t);
    // An account of the sandbox, which examples name.
    const account = { company_id, number: '1000000001', currency: 'USD', kind: 'deposit' };
    await send('POST', '/bank/v1/accounts', { key: 'bank', body: { data: account } });
    const { text: page } = await send('GET', '/docs', { key: null });
    const { paths } = (await send('GET', '/openapi.json', { key: null })).json;
    const [variables = ''] = blocksOf(page, 'variables');
    const requests = wordsOf(variables, blocksOf(page, 'curl')).map(requestOf);
    const operations = Object.entries<Record<string, object>>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
    // What is deleted takes no request afterwards.
    const ordered = operations.toSorted(([a], [b]) => Number(a === 'DELETE') - Number(b === 'DELETE'));
    for (const [method, path] of ordered) {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      const found = requests.find((one) => one.method === method && pattern.test(one.url.pathname));
      assert.ok(found !== undefined, `${method} ${path}`);
      if (path.startsWith('/card-details')) continue;
      const { headers, url } = found;
      // In place of FILE.
      const body = path.endsWith('/decisions') ? 'id,version,decision,note\n' : found.body;
      const reply = await send(method, url.pathname + url.search, { key: null, headers, body });
      // Key, query and body are right. The object may be missing, or in a state that does not allow
      // the change: a 409, or a 400 that names no field.
      const { code, fields } = reply.json ?? {};
      const is_state = code === 'conflict' || (code === 'validation_failed' && fields === undefined);
      assert.ok([200, 204, 404].includes(reply.status) || is_state, `${method} ${path}: ${reply.status} ${reply.text}`);
      assert.notEqual(reply.json?.error, 'there is nothing at this path', path);
    }
  });

  it('shows the address at which it was opened, and repeats no other text of a Host header', async (t) => {
    const { url } = await startService(t);
    const addressFor = async (host: string): Promise<string | undefined> => {
      const [answer] = await once(get(`${url}/docs`, { headers: { host } }), 'response');
      return /^export API_URL=(.*)$/m.exec(blocksOf(await text(answer), 'variables')[0] ?? '')?.[1];
    };
    for (const host of [new URL(url).host, 'tallystick.example', 'tallystick.example:8443', '[::1]:9090'])
      assert.equal(await addressFor(host), `http://${host}`);
    for (const host of ['a;rm', '$(id)', 'a b', "a'b", '<b>', 'a:b'])
      assert.equal(await addressFor(host), 'http://127.0.0.1:8080', host);
  });

  it('names the keys of the sandbox in the sandbox only', async (t) => {
    const inside = await startService(t);
    const outside = await startService(t, 'sqlite', (options) => ({ ...options, sandbox: null }));
    for (const [service, names_keys] of [
      [inside, true],
      [outside, false],
    ] as const) {
      const { text } = await service.send('GET', '/docs', { key: null });
      assert.equal(text.includes(sandbox_keys.client), names_keys);
    }
  });

  it('shows a receiver that verifies deliveries, and a delivery that is signed the same way', async (t) => {
    const { send } = await startService(t);
    const { text: page } = await send('GET', '/docs', { key: null });
    const [source = ''] = blocksOf(page, 'verification');
    const { isFromTallystick } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    const [url, body, secret] = ['https://example.com/hooks', '{"data":{}}', 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C'];
    const signed = (seconds: number) => {
      const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
      const text = `${timestamp}\nPOST\n${url}\n${body}`;
      return { 'x-timestamp': timestamp, 'x-signature': createHmac('sha256', secret).update(text).digest('hex') };
    };
    assert.equal(isFromTallystick(signed(0), body, url, secret), true);
    assert.equal(isFromTallystick(signed(0), `${body} `, url, secret), false);
    assert.equal(isFromTallystick(signed(0), body, url, `${secret}!`), false);
    assert.equal(isFromTallystick(signed(-400), body, url, secret), false);
    assert.equal(isFromTallystick({}, body, url, secret), false);

    const [request = ''] = blocksOf(page, 'delivery');
    const [head = '', sent = ''] = request.split('\n\n');
    const shown = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1];
    const text = `${shown('X-Timestamp')}\nPOST\nhttps://hooks.example.com/tallystick\n${sent}`;
    assert.equal(shown('X-Signature'), createHmac('sha256', secret).update(text).digest('hex'));
  });

  it('names every endpoint of Open Banking, and where it is described', async (t) => {
    const { send } = await startService(t);
    const { text: page } = await send('GET', '/docs', { key: null });
    const section = page.slice(page.indexOf('<h2 id="open-banking">'), page.indexOf('<h2 id="decline-reasons">'));
    const rows = [...section.matchAll(/<tr><td><code>(\w+)<\/code><\/td><td><code>([^<]+)<\/code>/g)];
    const listed = rows.map(([, method, path]) => `${method} ${path}`);
    // 17 of the service specification, and three official bulk paths.
    assert.equal(listed.length, 20);
    for (const one of ['GET /accounts/{AccountId}/transactions', 'GET /direct-debits', 'POST /funds-confirmations']) {
      assert.ok(listed.includes(one), one);
    }
    assert.ok(listed.includes('DELETE /account-access-consents/{ConsentId}'));
    assert.match(section, /https:\/\/openbankinguk\.github\.io\/read-write-api-site3\/v3\.1\.11\//);
    const { json } = await send('GET', '/openapi.json', { key: null });
    assert.match(
      json.info.description,
      /Third parties of Open Banking use endpoints that the official OpenAPI documents/,
    );
  });
});
