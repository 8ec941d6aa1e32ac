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
  await askToClose(server.url);
  return world;
}

/** Leaves a closing that waits for a second person. */
async function askToClose(url: string): Promise<void> {
  const send = async (method: string, path: string, role: string, data: object) => {
    const headers = { Authorization: `Bearer tly_test_${role}_sandbox`, 'Content-Type': 'application/json' };
    const { ok, status } = await fetch(url + path, { method, headers, body: JSON.stringify({ data }) });
    if (!ok) throw new Error(`${method} ${path} is answered ${status}`);
  };
  const require = (four_eyes: object | null) => send('PATCH', '/operator/v1/companies/1', 'operator', { four_eyes });
  await require({ above: {} });
  await send('POST', '/v1/reconciliation/periods', 'client', { closed_through: '2026-01-31' });
  await require(null);
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
