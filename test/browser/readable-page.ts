import assert from 'node:assert/strict';
import { findChromium, full_run } from '@tallystick/test-support';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  assert.ok(executablePath !== null, 'no Chromium on this machine: name one in TEST_CHROMIUM');
  return await chromium.launch({ executablePath, args: ['--disable-gpu', '--disable-quic', '--disable-sync'] });
}

/** A phone and a laptop, in CSS pixels. */
const widths = [390, 1280];
const color_schemes = ['light', 'dark'] as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core finds wrong with the page as it is shown now. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const run = 'axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)';
  const violations = (await page.evaluate(run)) as readonly Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
}

/** By how many pixels the page is wider than its window, or one of its tables than its frame. */
export async function excessWidth(page: Page): Promise<number> {
  const frames = '[document.documentElement, ...document.querySelectorAll(".scroll")]';
  return (await page.evaluate(
    `Math.max(...${frames}.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`,
  )) as number;
}

/** What a finger may miss: links, buttons and fields that are less than 24 pixels high. */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  const all = '[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]';
  return (await page.evaluate(
    `${all}.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24).map(({ outerHTML }) => outerHTML.slice(0, 150))`,
  )) as readonly string[];
}

/** Asserts what holds of a page at every width and in every color scheme. */
export async function assertReadable(page: Page): Promise<void> {
  for (const width of widths) {
    for (const colorScheme of color_schemes) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const at = `${width} px, ${colorScheme}`;
      assert.equal(await excessWidth(page), 0, `${at}: scrolls sideways`);
      // On a long page this takes seconds: the short run has each width and each scheme once.
      const is_checked = full_run || (width === 390) === (colorScheme === 'dark');
      if (is_checked) assert.deepEqual(await violationsOf(page), [], at);
    }
  }
}
