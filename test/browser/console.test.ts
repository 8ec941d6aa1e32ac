import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { chromium_expected, full_run } from '@tallystick/test-support';
import type { Locator } from 'playwright-core';
import { console_pages, openPage } from './console-pages.ts';
import { console_tasks } from './console-tasks.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';
import { excessWidth, smallTargets, violationsOf } from './readable-page.ts';

const color_schemes = ['light', 'dark'] as const;

/** A phone, a tablet and a laptop, in CSS pixels. */
const widths = [390, 768, 1280] as const;

const page_bytes_max = 100_000;

describe('the console in Chromium', { skip: !chromium_expected }, () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await startConsoleWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  it('every page is readable on a phone, a tablet and a laptop, light and dark, and keeps its policy', async (t) => {
    const page = await world.open('admin');
    t.after(() => page.context().close());
    const problems: string[] = [];
    // A violation of the policy of the page is an error of the browser's console.
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${world.url}/`)) problems.push(`requested ${request.url()}`);
    });
    const found: string[] = [];
    const titles = new Map<string, string>();
    for (const [number, one] of console_pages.entries()) {
      for (const width of widths) {
        const at = `${one.name}, ${width} px`;
        await page.setViewportSize({ width, height: 900 });
        // In the short run a page is opened on a phone, and then gets wider.
        if (full_run || width === 390) {
          const { status, bytes } = await openPage(page, world.url, one);
          if (status !== 200) found.push(`${at}: status ${status}`);
          if (bytes > page_bytes_max) found.push(`${at}: ${bytes} bytes`);
        }
        if ((await excessWidth(page)) !== 0) found.push(`${at}: scrolls sideways`);
        for (const target of await smallTargets(page)) found.push(`${at}: too low: ${target}`);
        for (const [at_scheme, colorScheme] of color_schemes.entries()) {
          // axe-core takes long: in the short run each page has a phone in the dark, or a laptop in the light.
          if (!full_run && (width === 768 || number % 2 !== at_scheme || (width === 390) !== (at_scheme === 1)))
            continue;
          await page.emulateMedia({ colorScheme });
          for (const violation of await violationsOf(page)) found.push(`${at}, ${colorScheme}: ${violation}`);
        }
        for (const problem of problems.splice(0)) found.push(`${at}: ${problem}`);
      }
      const title = await page.title();
      const namesake = titles.get(title) ?? page.url();
      if (namesake !== page.url()) found.push(`${one.name}: the title of ${namesake}`);
      titles.set(title, page.url());
    }
    assert.deepEqual(found, []);
  });

  it('every page is there without scripts, and does not scroll sideways', async (t) => {
    const page = await world.open('admin', { javaScriptEnabled: false });
    t.after(() => page.context().close());
    const found: string[] = [];

    for (const one of console_pages) {
      for (const width of full_run ? widths : [390]) {
        await page.setViewportSize({ width, height: 900 });
        const { status } = await openPage(page, world.url, one);
        if (status !== 200) found.push(`${one.name}: status ${status}`);
        if ((await excessWidth(page)) !== 0) found.push(`${one.name}, ${width} px: scrolls sideways`);
      }
      if ((await page.getByRole('heading', { level: 1 }).count()) !== 1) found.push(`${one.name}: not one heading`);
    }
    assert.deepEqual(found, []);
  });

  it('a click on an act asks for its note, and Enter in a field decides nothing else', async (t) => {
    const page = await world.open('finance');
    t.after(() => page.context().close());
    await page.goto(`${world.url}/companies/1/breaks?kind=amount&amount_to=60`);
    const row = page.locator('.queue tbody tr').last();
    const link = row.locator('a').first();
    const [item, to] = [await link.textContent(), await link.getAttribute('href')];
    await row.getByRole('button', { name: /^Ignore/ }).click();
    await page.locator('[name="note"]:focus').waitFor();
    await page.keyboard.type('Too small to ask');
    await page.evaluate("document.activeElement.dispatchEvent(new FocusEvent('blur'))");
    await page.keyboard.press('Enter');
    await page.getByText(`${item} is ignored now.`).waitFor();
    await page.goto(new URL(to!, world.url).href);
    await page.getByRole('button', { name: 'Undo the decision' }).waitFor();
    await page.getByLabel('Note', { exact: true }).fill('It was not');
    await page.getByRole('button', { name: 'Undo the decision' }).click();
    await page.getByLabel(/ith these records/).fill('line:1');
    await page.getByLabel('Note', { exact: true }).fill('Not this one');
    const assertEnterSendsNothing = async (field: Locator) => {
      await page.evaluate(
        "document.addEventListener('submit', (event) => { event.preventDefault(); window.sent = true; })",
      );
      await field.press('Enter');
      assert.equal(await page.evaluate('window.sent'), undefined);
    };
    await assertEnterSendsNothing(page.getByLabel(/ith these records/));
    await page.goto(`${world.url}/companies/1/breaks`);
    await assertEnterSendsNothing(page.getByLabel('Note on what you decide'));
  });

  for (const { title, role, path, perform } of console_tasks) {
    it(`a person with the keyboard alone ${title}`, async (t) => {
      const page = await world.open(role);
      t.after(() => page.context().close());
      await page.goto(world.url + path);
      await perform(page);
    });
  }
});

describe('the table of the console’s pages', () => {
  it('has every page that the console has', () => {
    const folder = new URL('../../adapters/console/src/pages/', import.meta.url);
    const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const routes = texts
      .flatMap((text) => [...text.matchAll(/app\.get\(\s*'([^']+)'/g)])
      .map(([, route]) => route!.replace(/\{[^}]*\}/g, ''));
    // The first page only leads on, and a table or a stream of events is no page.
    const pages = routes.filter((route) => route !== '/' && !/\.(csv|ndjson|json)$|\/live$/.test(route));
    const known = new Set(console_pages.map(({ route }) => route));
    assert.deepEqual(
      pages.filter((route) => !known.has(route)),
      [],
    );
  });
});
