import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { machine_timers } from '@tallystick/kernel';
import { type DatabaseName, migratedDatabase, PageBrowser } from '@tallystick/test-support';
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
  browser(): PageBrowser;
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
    browser: () => new PageBrowser(url),
  };
}
