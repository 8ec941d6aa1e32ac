import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTallystick, type HostPerson, type Tallystick, type TallystickOptions } from 'tallystick';

/** A page as a browser without a script gets it. */
export interface BrowsedPage {
  readonly status: number;
  /** The HTML, or what a file contains. */
  readonly html: string;
  /** Its words, without the markup. */
  readonly text: string;
  /** The path of the page after redirects. */
  readonly path: string;
  readonly headers: Headers;
}

/** A person with a browser that runs no script. */
export interface Browser {
  get(path: string): Promise<BrowsedPage>;
  /** Sends a form of the page that was got last, and follows the redirect. */
  post(path: string, fields?: Readonly<Record<string, string>> | FormData): Promise<BrowsedPage>;
}

export interface BrowsedConsole extends AsyncDisposable {
  readonly tally: Tallystick;
  readonly url: string;
  /** Opens the console as somebody whom the host does not know. */
  stranger(): Browser;
  /** Opens the console as a person with these grants. */
  as(...grants: HostPerson['grants'] | readonly [handle: string, ...grants: HostPerson['grants']]): Browser;
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
    stranger: () => openBrowser(url, ''),
    as(...given) {
      const [first, ...rest] = given;
      const named = typeof first === 'string' ? first : `person${people.size + 1}`;
      const grants = (typeof first === 'string' ? rest : given) as HostPerson['grants'];
      people.set(named, { handle: named, name: `Test ${named}`, grants });
      return openBrowser(url, named);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await tally.close();
    },
  };
}

function openBrowser(url: string, person: string): Browser {
  let token = '';
  const cookies = new Map<string, string>();

  async function ask(path: string, init: RequestInit = {}): Promise<BrowsedPage> {
    const headers = new Headers(init.headers);
    headers.set('x-person', person);
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const target = path.startsWith('/ops') ? new URL(path, url).href : url + path;
    const response = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (response.status === 303 && location !== null) {
      await response.body?.cancel();
      return await ask(location);
    }
    const html = await response.text();
    token = /name="form-token" content="([^"]+)"/.exec(html)?.[1] ?? token;
    return {
      status: response.status,
      html,
      text: toText(html),
      path: new URL(target).pathname.replace(/^\/ops/, '') + new URL(target).search,
      headers: response.headers,
    };
  }

  return {
    get: (path) => ask(path),
    post(path, fields = {}) {
      if (fields instanceof FormData) {
        fields.set('form_token', token);
        return ask(path, { method: 'POST', body: fields });
      }
      return ask(path, { method: 'POST', body: new URLSearchParams({ ...fields, form_token: token }) });
    },
  };
}

function toText(html: string): string {
  return html
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}
