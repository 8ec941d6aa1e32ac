import { type ServerProcess, startServer } from '@tallystick/test-support';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './readable-page.ts';

/**
 * How long an element or the answer to a click may take on a busy machine, milliseconds. To make the
 * examples takes longest.
 */
const patience_ms = 120_000;

/** A sandbox with examples, and a browser. */
export interface ConsoleWorld extends AsyncDisposable {
  /** The address of the console: `http://127.0.0.1:43210/console`. */
  readonly url: string;
  /** A page of a person who has logged in with one click. */
  open(role: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Starts a sandbox, and fills it with the examples that its own page makes. */
export async function startConsoleWorld(): Promise<ConsoleWorld> {
  const world = await startEmptyConsole();
  const page = await world.open('admin');
  await page.goto(`${world.url}/companies/1/sandbox`);
  await page.getByRole('button', { name: 'Fill with examples' }).click();
  await page.getByText(/purchases were made/).waitFor();
  await page.context().close();
  const { origin } = new URL(world.url);
  await send('operator', 'POST', `${origin}/operator/v1/keys`, { role: 'client', company_id: 1, name: 'Back office' });
  const stand_in = [{ if: { amount_max: 5_000, currency: 'USD' }, decision: 'approve' }];
  const endpoint = { url: 'https://127.0.0.1:9/decide', status: 'inactive', stand_in };
  await send('client', 'PUT', `${origin}/v1/decision-endpoint`, endpoint);
  return world;
}

/** Starts a sandbox in which nothing has happened. */
export async function startEmptyConsole(): Promise<ConsoleWorld> {
  const [server, browser] = await Promise.all([
    startServer({ database_url: 'sqlite::memory:', env: { LOG_LEVEL: 'error' } }),
    launchChromium(),
  ]);
  return worldOf(server, browser);
}

async function send(role: string, method: string, url: string, data: object): Promise<void> {
  const reply = await fetch(url, {
    method,
    headers: { authorization: `Bearer tly_test_${role}_sandbox`, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  });
  if (!reply.ok) throw new Error(`${method} ${url} is refused with ${reply.status}: ${await reply.text()}`);
}

function worldOf(server: ServerProcess, browser: Browser): ConsoleWorld {
  const url = `${server.url}/console`;
  return {
    url,
    async open(role, options) {
      const context: BrowserContext = await browser.newContext(options);
      context.setDefaultTimeout(patience_ms);
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
