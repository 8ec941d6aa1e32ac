import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { chromium_expected } from '@tallystick/test-support';
import type { Browser, Page } from 'playwright-core';
import { mailed } from '../http/mailed-card.ts';
import { startService } from '../http/service.ts';
import { assertReadable, launchChromium, widths } from './readable-page.ts';

describe('the HTML pages in Chromium', { skip: !chromium_expected }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());

  /** A new page. `bypassCSP`: the policy of the pages allows no script, and axe-core is one. */
  async function newPage(t: TestContext, options: { readonly bypassCSP: boolean }): Promise<Page> {
    const context = await browser.newContext(options);
    t.after(() => context.close());
    return await context.newPage();
  }

  it('/docs fits the window and has no accessibility problem', async (t) => {
    const { url } = await startService(t);
    const page = await newPage(t, { bypassCSP: true });
    await page.goto(`${url}/docs`);
    await assertReadable(page);
  });

  it('/ leads to /docs, which is styled under its own policy and loads nothing from elsewhere', async (t) => {
    const { url } = await startService(t);
    const page = await newPage(t, { bypassCSP: false });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(url);
    assert.equal(page.url(), `${url}/docs`);
    assert.notEqual(await page.evaluate('getComputedStyle(document.body).maxWidth'), 'none');
    assert.deepEqual(
      requested.filter((address) => !address.startsWith(`${url}/`)),
      [],
    );
  });

  it('every link inside /docs leads to an element that is shown, and no two elements share an id', async (t) => {
    const { url } = await startService(t);
    const page = await newPage(t, { bypassCSP: false });
    await page.goto(`${url}/docs`);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const [links, lost, repeated] = (await page.evaluate(`(() => {
        const anchors = [...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute('href').slice(1));
        const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
        const isShown = (anchor) => document.getElementById(anchor)?.checkVisibility({ visibilityProperty: true }) ?? false;
        return [anchors.length, anchors.filter((anchor) => !isShown(anchor)), ids.filter((id, at) => ids.indexOf(id) !== at)];
      })()`)) as [number, string[], string[]];
      assert.ok(links > 200, `only ${links} links`);
      assert.deepEqual([lost, repeated], [[], []], `${width} px`);
    }
  });

  it('a link of the contents scrolls to the operation', async (t) => {
    const { url } = await startService(t);
    const page = await newPage(t, { bypassCSP: false });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${url}/docs`);
    await page.getByRole('navigation').getByRole('link', { name: 'Change a virtual card' }).click();
    const target = page.locator(':target');
    assert.equal(await target.textContent(), 'Change a virtual card');
    const box = await target.boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y < 900, JSON.stringify(box));
  });

  it('the card page is readable before the number is shown, with it, and when the link is used', async (t) => {
    const { service, path, card_number } = await mailed(t);
    const page = await newPage(t, { bypassCSP: true });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(service.url + path);
    await assertReadable(page);
    await page.getByRole('button', { name: 'Show number and code' }).click();
    await page.getByText('Security code').waitFor();
    assert.equal((await page.locator('code').first().textContent())?.replaceAll(' ', ''), card_number);
    await assertReadable(page);
    await page.goto(service.url + path);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await assertReadable(page);
    assert.deepEqual(
      requested.filter((address) => !address.startsWith(`${service.url}/`)),
      [],
    );
  });
});
