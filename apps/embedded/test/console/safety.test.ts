import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PageBrowser } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

/** The token of a person's forms. */
async function tokenOf(browser: PageBrowser): Promise<string> {
  await browser.get('/companies');
  return browser.token;
}

describe('the console', () => {
  let world: BrowsedConsole;
  before(async () => {
    world = await browseConsole();
  });
  after(() => world[Symbol.asyncDispose]());

  it('answers 403 when the host knows nobody', async () => {
    const response = await fetch(`${world.url}/companies`);
    assert.equal(response.status, 403);
    assert.match(await response.text(), /You are not logged in/);
  });

  it('runs no inline script and no inline style, loads nothing from elsewhere, and is not stored', async () => {
    const { headers, html } = await world.as({ role: 'viewer', company_id: null }).get('/companies');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|nonce|data:|\*/);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.doesNotMatch(html, /<script(?! src="\/ops\/assets)|<style|style="| on\w+="|javascript:|https?:\/\//);
  });

  it('shows a person of one company only that company', async () => {
    const browser = world.as({ role: 'admin', company_id: 1 });
    assert.equal((await browser.get('/companies/1')).status, 200);
    for (const path of ['/companies/2', '/companies']) assert.equal((await browser.get(path)).status, 403, path);
  });

  it('has no page of what the installation does not offer', async () => {
    const browser = world.as({ role: 'admin', company_id: null });
    for (const path of ['/third-parties', '/consents?user_id=alex']) {
      assert.equal((await browser.get(path)).status, 404, path);
    }
  });

  it('refuses a form without the token of its visitor, with that of another one, and from another site', async () => {
    const anna = world.as('anna', { role: 'admin', company_id: null });
    const of_otto = await tokenOf(world.as('otto', { role: 'admin', company_id: null }));
    const own = await tokenOf(anna);
    const send = (form_token: string, headers: Record<string, string> = {}) =>
      fetch(`${world.url}/no-such-form`, {
        method: 'POST',
        headers: { 'x-person': 'anna', ...headers },
        body: new URLSearchParams({ form_token }),
      }).then(({ status }) => status);
    assert.deepEqual(
      [await send(''), await send(of_otto), await send(own, { 'sec-fetch-site': 'cross-site' })],
      [403, 403, 403],
    );
    assert.equal(await send(own, { origin: 'https://evil.example' }), 403);
    assert.equal(await send(own), 404);
  });

  it('refuses a form that is broken off, is none, or is longer than any form', async () => {
    const anna = world.as('anna', { role: 'admin', company_id: null });
    const token = await tokenOf(anna);
    const in_parts = { 'content-type': 'multipart/form-data; boundary=x' };
    const part = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const sound = part('form_token', token);
    for (const [headers, body] of [
      [in_parts, `${sound}--x\r\nContent-Disp`],
      [in_parts, `${sound}${part('note', 'a'.repeat(9_000_000))}--x--\r\n`],
      [{ 'content-type': 'application/octet-stream' }, 'x'],
      [{ 'content-type': 'application/json' }, '{}'],
    ] as const) {
      const post = (path: string, person: string) =>
        fetch(world.url + path, { method: 'POST', headers: { 'x-person': person, ...headers }, body });
      assert.equal((await post('/companies/1/breaks', 'anna')).status, 422);
      assert.equal((await post('/portal', '')).status, 422, 'of a stranger');
    }
  });

  it('refuses a file that is broken off, wherever that is', async () => {
    const anna = world.as('anna', { role: 'admin', company_id: null });
    const token = await tokenOf(anna);
    const head = 'Content-Disposition: form-data; name=';
    const whole = `--x\r\n${head}"form_token"\r\n\r\n${token}\r\n--x\r\n${head}"file"; filename="a.csv"\r\n\r\na,b\r\n--x--\r\n`;
    const send = (body: string, type = 'multipart/form-data; boundary=x') =>
      fetch(`${world.url}/imports`, { method: 'POST', headers: { 'x-person': 'anna', 'content-type': type }, body });
    for (const [length, status] of [
      [0, 403],
      [whole.indexOf('filename'), 403],
      [whole.indexOf('a,b') + 1, 422],
      [whole.length - 4, 422],
    ] as const) {
      assert.equal((await send(whole.slice(0, length))).status, status, `${length} bytes`);
    }
    assert.equal((await send(whole, 'multipart/form-data')).status, 403, 'without a boundary');
    assert.match(await (await send(whole)).text(), /a\.csv/);
  });
});
