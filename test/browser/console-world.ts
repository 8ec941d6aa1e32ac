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
  const [server, browser] = await Promise.all([
    startServer({ database_url: 'sqlite::memory:', env: { LOG_LEVEL: 'error' } }),
    launchChromium(),
  ]);
  const world = worldOf(server, browser);
  const page = await world.open('admin');
  await page.goto(`${world.url}/companies/1/sandbox`);
  await page.getByRole('button', { name: 'Fill with examples' }).click();
  await page.getByText(/purchases were made/).waitFor();
  await page.context().close();
  await makeKeyAndConsent(server.url);
  return world;
}

/** Leaves a key, and a consent that a user has authorised. */
async function makeKeyAndConsent(url: string): Promise<void> {
  const send = async (path: string, authorization: string, body: object | URLSearchParams) => {
    const is_form = body instanceof URLSearchParams;
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { authorization, ...(is_form ? {} : { 'content-type': 'application/json' }) },
      body: is_form ? body : JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`POST ${path} is answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as { readonly access_token: string; readonly Data: { readonly ConsentId: string } };
  };
  const data = { role: 'client', company_id: 1, name: 'Back office' };
  await send('/operator/v1/keys', 'Bearer tly_test_operator_sandbox', { data });
  const grant = new URLSearchParams({ grant_type: 'client_credentials', scope: 'accounts' });
  const { access_token } = await send('/oauth/token', `Basic ${btoa('sandbox-aisp:sandbox-aisp-secret')}`, grant);
  const asked = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} };
  const { Data } = await send('/account-access-consents', `Bearer ${access_token}`, asked);
  const decide = `/sandbox/v1/consents/${Data.ConsentId}/decide`;
  await send(decide, 'Bearer tly_test_bank_sandbox', { data: { decision: 'approve' } });
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
