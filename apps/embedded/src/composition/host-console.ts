import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isHandle, type PersonRole, personActor } from '@tallystick/access';
import type { Identity } from '@tallystick/console';
import { createHttpApp, createNodeHandler, type MountOptions, type NodeHandler } from '@tallystick/koa';
import type { Container } from 'inversify';
import { parsePublicUrl } from './public-url.ts';
import { tokens } from './tokens.ts';

/** A person as a host knows it. */
export interface HostPerson {
  /** The name in the audit log and in histories: 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-`. */
  readonly handle: string;
  /** The name on the pages. */
  readonly name: string;
  /** What the person may do, for one company or, with null, for all. */
  readonly grants: readonly { readonly role: PersonRole; readonly company_id: number | null }[];
}

export interface ConsoleMountOptions extends MountOptions {
  /**
   * The address at which browsers see the console, for portal links: `https://cards.example/ops`. The
   * pages below its `/portal` need no log-in of the host. Absent: there are no portal links.
   */
  readonly url?: string | undefined;
  /** Who a request comes from, by the log-in of the host; null or undefined: nobody, who is answered 403. */
  readonly person: (request: IncomingMessage) => Promise<HostPerson | null | undefined> | HostPerson | null | undefined;
}

/** The console below a path of a host, who knows the people. */
export function hostConsole(container: Container, { person, url, ...mount }: ConsoleMountOptions): NodeHandler {
  if (typeof person !== 'function') {
    throw new TypeError('console needs the option person: a function that returns who a request comes from, or null');
  }
  const { cookie_keys } = container.get(tokens.vault);
  if (url !== undefined) container.get(tokens.portal).url = `${parsePublicUrl(url)}/portal`;
  const console = container.get(tokens.createConsole)({
    opens_portal: url !== undefined,
    async identify(_, { incoming }) {
      const found = incoming && (await person(incoming));
      return found ? identityOf(found, cookie_keys[0]!) : null;
    },
  });
  const app = createHttpApp({
    ...container.get(tokens.http_ports),
    open_banking: undefined,
    serves_api: false,
    is_behind_https: url?.startsWith('https:') === true,
    console: { path: '', handle: async (request, response, facts) => (await console).handle(request, response, facts) },
  });
  return createNodeHandler(app, mount);
}

function identityOf({ handle, name, grants }: HostPerson, key: string): Identity {
  if (!isHandle(handle)) {
    throw new TypeError('the handle of a person must be 1 to 64 of a-z, 0-9, ".", "_" and "-"');
  }
  const secret = createHmac('sha256', key).update(`console of the host ${handle}`).digest('base64url');
  return { actor: personActor({ handle }), name, grants, secret };
}
