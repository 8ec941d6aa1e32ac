import assert from 'node:assert/strict';
import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import type { Page } from 'playwright-core';
import { tabAndEnter, tabTo } from './keyboard.ts';

/** What a person does in the console, with the keyboard alone. */
export interface ConsoleTask {
  readonly title: string;
  readonly role: string;
  /** Where the person begins. */
  readonly path: string;
  readonly perform: (page: Page) => Promise<void>;
}

const cdf3 = clearing_formats.find(({ name }) => name === 'cdf3')!;

/** Of a card that does not exist. */
const clearing = {
  vcn_id: 999_999,
  network_financial_transaction_id: 'TX-77',
  billing_amount: 2_400,
  billing_currency: 'USD',
  clearing_type: 'DEBIT',
  settlement_date: '2030-03-16',
} as ClearingInput;

export const console_tasks: readonly ConsoleTask[] = [
  {
    title: 'logs in, skips the navigation, and opens a company',
    role: 'viewer',
    path: '/companies',
    async perform(page) {
      await page.context().clearCookies();
      await page.reload();
      await tabAndEnter(page, page.getByRole('button', { name: /^support/ }));
      await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await tabAndEnter(page, page.getByRole('link', { name: 'Sandbox company' }));
      await page.waitForURL(/\/companies\/1$/);
    },
  },
  {
    title: 'tries a purchase',
    role: 'support',
    path: '/companies/1/sandbox',
    async perform(page) {
      await tabTo(page, page.getByLabel('Amount, USD'));
      await page.keyboard.press('Control+a');
      await page.keyboard.type('12.34');
      await page.keyboard.press('Enter');
      await page.getByText(/(Approved|Declined): 12.34 USD at Corner Grocer/).waitFor();
    },
  },
  {
    title: 'searches, finds a card, and freezes it',
    role: 'support',
    path: '/companies/1',
    async perform(page) {
      await page.keyboard.press('/');
      await page.keyboard.type('card 2');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /^Card 2, ending in/ }).waitFor();
      await tabTo(page, page.getByLabel('Why (optional)'));
      await page.keyboard.type('Reported lost');
      await tabAndEnter(page, page.getByRole('button', { name: 'Freeze', exact: true }));
      await page.locator('.notice:focus').getByText('The card is frozen.').waitFor();
    },
  },
  {
    title: 'works through breaks by letters',
    role: 'finance',
    // An act on more waits for a second person. Which examples there are depends on the day.
    path: '/companies/1/breaks?kind=amount&amount_to=60',
    async perform(page) {
      const rows = page.locator('.queue tbody tr');
      const second = await rows.nth(1).getAttribute('id');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('a');
      // Escape leads back to the row, and what was meant is forgotten.
      await page.keyboard.press('Escape');
      await rows.nth(1).locator(':focus').waitFor();
      await page.keyboard.press('a');
      await page.keyboard.type('Agreed with the bank');
      await page.keyboard.press('Enter');
      await page.getByText(/is accepted now/).waitFor();
      // The next one is at its place, once the script has run.
      await rows.nth(1).locator(':focus').waitFor();
      assert.notEqual(await rows.nth(1).getAttribute('id'), second);
    },
  },
  {
    title: 'sends a failed delivery again',
    role: 'admin',
    path: '/companies/1/webhooks',
    async perform(page) {
      await tabAndEnter(page, page.getByRole('link', { name: /localhost/ }).first());
      await tabAndEnter(page, page.getByRole('button', { name: /^Send again/ }).first());
      await page.getByRole('status').waitFor();
    },
  },
  {
    title: 'looks at a month and closes it, which waits for a second person',
    role: 'finance',
    path: '/companies/1/periods',
    async perform(page) {
      // The examples move the clock by 20 days, and close a period 12 days before.
      const [year, month, day] = new Date(Date.now() + 15 * 86_400_000).toISOString().slice(0, 10).split('-');
      await tabTo(page, page.getByLabel('Close all days through'));
      await page.keyboard.type(`${month}${day}${year}`);
      await tabAndEnter(page, page.getByRole('button', { name: 'Look first' }));
      await page.getByRole('heading', { name: /^If you close/ }).waitFor();
      await tabAndEnter(page, page.getByRole('button', { name: /^Close/ }));
      await page.getByRole('status').waitFor();
    },
  },
  {
    title: 'sees what a file is, and brings it in',
    role: 'finance',
    path: '/imports',
    async perform(page) {
      const chosen = page.waitForEvent('filechooser');
      await tabAndEnter(page, page.locator('input[type="file"]'));
      const buffer = Buffer.concat([
        ...cdf3.write!({ sequence: 77, created_on: '2030-03-16', mode: 'test', clearings: [{ input: clearing }] }),
      ]);
      await (await chosen).setFiles({ name: 'day.xml', mimeType: 'application/octet-stream', buffer });
      await tabAndEnter(page, page.locator('form:has(input[type="file"]) button'));
      await page.getByText('Nothing is stored yet').waitFor();
      assert.deepEqual(await page.locator('main button:not(.second)').allTextContents(), ['Import']);
      await tabAndEnter(page, page.getByRole('button', { name: 'Import', exact: true }));
      await page.waitForURL(/\/imports\/\d+$/);
      await page.getByText('applied in part').waitFor();
    },
  },
];
