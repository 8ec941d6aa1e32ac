import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { chromium_expected } from '@tallystick/test-support';
import type { Browser, Page } from 'playwright-core';
import { mailed } from '../http/mailed-card.ts';
import { startService } from '../http/service.ts';
import { assertReadable, launchChromium } from './readable-page.ts';

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

  it('the page for an unknown path is readable, and loads nothing', async (t) => {
    const { url } = await startService(t);
    const page = await newPage(t, { bypassCSP: true });
    await page.goto(`${url}/no/such/path`);
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
    await assertReadable(page);
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
