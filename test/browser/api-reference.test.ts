import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { sandbox_keys } from '@tallystick/access';
import { apiReferencePages } from '@tallystick/server';
import { chromium_expected } from '@tallystick/test-support';
import type { Browser } from 'playwright-core';
import { startService } from '../http/service.ts';
import { launchChromium } from './readable-page.ts';

describe('the page /docs in Chromium', { skip: !chromium_expected }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());

  it('is where / leads; it is searched, and sends a request that creates a card in the sandbox', async (t) => {
    const service = await startService(t, 'sqlite', (ports) => ({
      ...ports,
      pages: apiReferencePages({ sandbox: true }),
    }));
    const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 1280, height: 900 } });
    t.after(() => context.close());
    const page = await context.newPage();
    const requested: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => problems.push(error.message));
    // A violation of the policy of the page is an error of the console.
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
    });
    await page.goto(service.url);
    await page.getByRole('heading', { level: 1, name: 'Tallystick' }).waitFor({ timeout: 60_000 });
    assert.equal(new URL(page.url()).pathname, '/docs');
    assert.equal(await page.evaluate('document.body.classList.contains("dark-mode")'), true);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('list the companies');
    await page
      .getByRole('option', { name: /List the companies/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /^List the companies/ }).waitFor();
    const send = async (name: string): Promise<number> => {
      await page.getByRole('button', { name: `Test Request (${name})` }).click();
      const answered = page.waitForResponse((response) =>
        response.url().startsWith(`${service.url}${name.split(' ')[1]}`),
      );
      await page.getByRole('button', { name: /^Send/ }).first().click();
      const status = (await answered).status();
      await page.getByText('200 OK').first().waitFor();
      await page.keyboard.press('Escape');
      return status;
    };
    // Each role has its key.
    assert.equal(await send('get /operator/v1/companies'), 200);

    await page
      .getByRole('link', { name: /^Create a virtual card/ })
      .first()
      .click();
    assert.equal(await send('post /v1/virtualcards'), 200);
    const { data } = (await service.send('GET', '/v1/virtualcards')).json;
    assert.equal(data.length, 1);

    assert.deepEqual(problems, []);
    assert.deepEqual(
      requested.filter((address) => !address.startsWith(`${service.url}/`) && !/^(data|blob):/.test(address)),
      [],
    );
  });
});

describe('the page /docs', () => {
  it('is served with its own policy, and its scripts compressed and only once', async (t) => {
    const pages = apiReferencePages({ sandbox: true });
    const { url } = await startService(t, 'sqlite', (ports) => ({ ...ports, pages }));
    const page = await fetch(url);
    assert.deepEqual([page.url, page.status], [`${url}/docs`, 200]);
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
    const scripts = [...(await page.text()).matchAll(/<script src="([^"]+)"/g)].map(([, path]) => `${url}/${path}`);
    assert.equal(scripts.length, 2);
    for (const script of scripts) {
      const compressed = await fetch(script);
      assert.equal(compressed.headers.get('content-encoding'), 'gzip');
      const script_text = await compressed.text();
      const plain = await fetch(script, { headers: { 'Accept-Encoding': 'identity' } });
      assert.deepEqual([plain.headers.get('content-encoding'), await plain.text()], [null, script_text]);
      const etag = compressed.headers.get('etag') ?? '';
      // fetch adds a header to such a request that asks for the whole answer.
      const [again] = await once(get(script, { headers: { 'If-None-Match': etag } }), 'response');
      assert.deepEqual([again.statusCode, await text(again)], [304, '']);
    }
  });

  it('has the keys of the sandbox in a sandbox only', async () => {
    for (const sandbox of [true, false]) {
      const page = apiReferencePages({ sandbox }).find(({ path }) => path === '/docs');
      const { body } = await page!.answer({});
      for (const key of Object.values(sandbox_keys)) assert.equal(body.toString().includes(key), sandbox);
    }
  });
});
