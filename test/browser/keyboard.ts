import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

const presses_max = 80;

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < presses_max; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator(':focus').count()) === 0) continue;
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
  }
  assert.fail(`Tab does not reach ${target}`);
}

/** Presses Tab until the element has the focus, and then Enter. */
export async function tabAndEnter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}
