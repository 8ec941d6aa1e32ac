import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { machine_timers } from '@tallystick/kernel';
import { type DatabaseName, migratedDatabase } from '@tallystick/test-support';
import { createPasswordHasher } from '@tallystick/vault';
import { pino } from 'pino';
import { createKeys, type Tallystick } from 'tallystick';
import { createContainer, openContainer, openHostLog, readOptions, type Settings, tokens } from 'tallystick/inversify';

/** A console that is served, in an installation of its own. */
export interface ConsoleWorld {
  readonly url: string;
  readonly tally: Tallystick;
  /** Moves the clock of the machine. */
  advance(ms: number): void;
  nowMs(): number;
  browser(): Browser;
}

type Change = Partial<Pick<Settings, 'sandbox' | 'console_provider' | 'public_url' | 'open_banking'>>;

/** `changeOf` gets the address at which the console is served. */
export async function openConsole(
  t: { after(work: () => Promise<void> | void): void },
  changeOf: (url: string) => Change = () => ({}),
  name: DatabaseName = 'sqlite',
): Promise<ConsoleWorld> {
  const scratch = await migratedDatabase(name);
  t.after(() => scratch.dispose());
  let answer: ((...args: Parameters<NonNullable<Parameters<typeof createServer>[1]>>) => unknown) | null = null;
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => answer!(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let moved_ms = 0;
  const nowMs = () => machine_timers.nowMs() + moved_ms;
  const settings = readOptions({ database: scratch.database_url, keys: await createKeys() });
  const container = createContainer({ ...settings, public_url: url, console: true, ...changeOf(url) });
  container.bind(tokens.logger).toConstantValue(openHostLog(pino({ level: 'silent' })));
  container.rebind(tokens.timers).toConstantValue({ ...machine_timers, nowMs });
  const vault = container.get(tokens.vault);
  const passwords = createPasswordHasher(vault.random, { ln: 4, r: 8, p: 1 });
  container.rebind(tokens.vault).toConstantValue({ ...vault, passwords });
  const tally = await openContainer(container);
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await tally.close();
  });
  await tally.migrate();
  answer = (await container.getAsync(tokens.http_app)).callback();
  return {
    url,
    tally,
    advance(ms) {
      moved_ms += ms;
    },
    nowMs,
    browser: () => new Browser(url),
  };
}

/** A page as a browser has it. */
export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The path of the page, after redirects. */
  readonly path: string;
}

/** What a browser without a script does: it follows redirects, keeps cookies, and sends forms. */
export class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();
  #page: Page | null = null;

  constructor(origin: string) {
    this.#origin = origin;
  }

  get cookies(): Map<string, string> {
    return this.#cookies;
  }

  /** The cookies as a request carries them. */
  get cookie_header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get page(): Page {
    assert.ok(this.#page !== null, 'no page was opened');
    return this.#page;
  }

  open(path: string): Promise<Page> {
    return this.#go('GET', path, null);
  }

  /** Sends fields of a form, with the hidden ones of the page that is open. */
  send(path: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    const hidden = (this.#page?.text ?? '').matchAll(/name="(form_token|seen)" value="([\w-]+)"/g);
    const body = new URLSearchParams({ ...Object.fromEntries([...hidden].map((one) => one.slice(1))), ...fields });
    return this.#go('POST', path, body);
  }

  async #go(method: string, path: string, body: URLSearchParams | null): Promise<Page> {
    let [at, by, sent] = [new URL(path, this.#origin), method, body];
    for (let hops = 0; hops < 10; hops += 1) {
      const headers = { cookie: this.cookie_header, 'sec-fetch-site': 'same-origin' };
      const reply = await fetch(at, { method: by, body: sent, headers, redirect: 'manual' });
      for (const set of reply.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (/max-age=0/i.test(set) || value === '') this.#cookies.delete(name);
        else this.#cookies.set(name, value);
      }
      const text = await reply.text();
      const to = reply.headers.get('location');
      this.#page = { status: reply.status, text, headers: reply.headers, path: at.pathname + at.search };
      if (to === null) return this.#page;
      [at, by, sent] = [new URL(to, at), 'GET', null];
    }
    throw new Error('too many redirects');
  }
}
