import { type ServerProcess, startServer } from '@tallystick/test-support';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './readable-page.ts';

/** A sandbox with examples, and a browser. */
export interface ConsoleWorld extends AsyncDisposable {
  /** The address of the console: `http://127.0.0.1:43210/console`. */
  readonly url: string;
  /** A page of a person who has logged in with one click. */
  open(role: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Starts a sandbox, and fills it with the examples that its own page makes. */
export async function startConsoleWorld(): Promise<ConsoleWorld> {
  const [server, browser] = await Promise.all([
    startServer({ database_url: 'sqlite::memory:', env: { LOG_LEVEL: 'error' } }),
    launchChromium(),
  ]);
  const world = worldOf(server, browser);
  const page = await world.open('admin');
  await page.goto(`${world.url}/companies/1/sandbox`);
  await page.getByRole('button', { name: 'Fill with examples' }).click();
  await page.getByText(/purchases were made/).waitFor({ timeout: 60_000 });
  await page.context().close();
  return world;
}

function worldOf(server: ServerProcess, browser: Browser): ConsoleWorld {
  const url = `${server.url}/console`;
  return {
    url,
    async open(role, options) {
      const context: BrowserContext = await browser.newContext(options);
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      await page.goto(url);
      await page.getByRole('button', { name: new RegExp(`^${role}`) }).click();
      await page.getByRole('button', { name: 'Log out' }).waitFor();
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.kill();
    },
  };
}
