import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PageBrowser } from '@tallystick/test-support';
import { createTallystick, type HostPerson, type Tallystick, type TallystickOptions } from 'tallystick';

export interface BrowsedConsole extends AsyncDisposable {
  readonly tally: Tallystick;
  readonly url: string;
  /** Opens the console as somebody whom the host does not know. */
  stranger(): PageBrowser;
  /** Opens the console as a person with these grants. */
  as(...grants: HostPerson['grants'] | readonly [handle: string, ...grants: HostPerson['grants']]): PageBrowser;
}

/** A sandbox with the console below `/ops`, over HTTP. People name themselves in a header. */
export async function browseConsole(options: TallystickOptions = { sandbox: true }): Promise<BrowsedConsole> {
  const tally = await createTallystick(options);
  await tally.migrate();
  const people = new Map<string, HostPerson>();
  const handler = tally.console({
    prefix: '/ops',
    url: 'https://host.example/ops',
    person: ({ headers }) => people.get(String(headers['x-person'])),
  });
  const server = createServer({ keepAliveTimeout: 65_000 }, handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ops`;
  return {
    tally,
    url,
    stranger: () => new PageBrowser(url),
    as(...given) {
      const [first, ...rest] = given;
      const named = typeof first === 'string' ? first : `person${people.size + 1}`;
      const grants = (typeof first === 'string' ? rest : given) as HostPerson['grants'];
      people.set(named, { handle: named, name: `Test ${named}`, grants });
      return new PageBrowser(url, { 'x-person': named });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await tally.close();
    },
  };
}
