import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type PersonRole, person_roles } from '@tallystick/access';
import { type ConsolePorts, createConsole } from '@tallystick/console';
import { crawlConsole, PageBrowser, sandbox_keys, send, startServer } from '@tallystick/test-support';

const hostile = (name: string) => `ZEBRA-${name}-"'><script>x()</script><b onx>`;

/** Other pages are in the tests of the embedded console, which has no Open Banking. */
const of_open_banking = ['/consents', '/third-parties'];

it('the console shows consents and third parties to every person, escaped, and lets only an admin act', async (t) => {
  const { url, kill } = await startServer({ database_url: 'sqlite::memory:', env: { CONSOLE: 'on' } });
  t.after(kill);
  const operate = async (method: string, path: string, key: 'operator' | 'bank', data: object): Promise<void> => {
    const { status, text } = await send(url, method, path, { key: sandbox_keys[key], body: { data } });
    assert.equal(status, 200, text);
  };
  await operate('POST', '/operator/v1/third-parties', 'operator', {
    name: hostile('party'),
    jwks_uri: 'https://127.0.0.1/jwks.json',
    redirect_uris: ['https://127.0.0.1/callback'],
    scopes: ['accounts'],
  });
  await operate('PUT', '/bank/v1/users/zebra', 'bank', { company_id: 1, name: hostile('user'), status: 'active' });

  const logIn = async (role: PersonRole) => {
    const browser = new PageBrowser(`${url}/console`);
    await browser.post('/log-in/sandbox', { role });
    return browser;
  };
  const { routes } = createConsole({} as ConsolePorts);
  const admin = await logIn('admin');
  const of_these = routes.filter(({ path }) => of_open_banking.some((begin) => path.startsWith(begin)));
  const { pages, forms } = await crawlConsole({
    base: '/console',
    routes: of_these,
    from: [...of_open_banking, '/consents?user_id=zebra'],
    alike_max: 2,
    get: (path) => admin.ask(path),
  });
  const reached = new Set(pages.map(({ route }) => route));
  const missed = of_these.filter(({ method, path }) => method === 'GET' && !reached.has(path));
  // Nobody has consented to anything.
  assert.deepEqual(
    missed.map(({ path }) => path),
    ['/consents/:consent_id'],
  );
  assert.ok(
    pages.some(({ html }) => html.includes('ZEBRA-party')) && pages.some(({ html }) => html.includes('ZEBRA-user')),
  );
  for (const { path, html } of pages) assert.doesNotMatch(html, /ZEBRA-\w+-["'<>]|<script>x|<b onx/, path);

  assert.ok(forms.length > 0);
  const state = async () => (await send(url, 'GET', '/operator/v1/third-parties', { key: sandbox_keys.operator })).text;
  const before = await state();
  for (const role of person_roles.filter((one) => one !== 'admin')) {
    const browser = await logIn(role);
    const form_token = browser.token;
    for (const { path } of pages) assert.equal((await browser.ask(path)).status, 200, `${role} ${path}`);
    for (const { path, fields } of forms) {
      const { status } = await browser.ask(path, new URLSearchParams({ ...fields, form_token }));
      assert.equal(status, 403, `${role} ${path}`);
    }
  }
  assert.equal(await state(), before);
});
