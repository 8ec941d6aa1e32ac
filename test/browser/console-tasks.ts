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
];
