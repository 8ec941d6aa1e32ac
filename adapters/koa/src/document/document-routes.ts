import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { mountOf } from '../mounting/mount.ts';
import type { Route } from '../request/route.ts';
import type { SystemRoute } from '../request/system-route.ts';
import { card_details_operations } from '../resources/card-details/page.ts';
import { openApi } from './openapi.ts';
import { address_mark, docsPage } from './page/docs-page.ts';
import { docs_style } from './page/style.ts';

const docs_path = '/docs';

/** What the document and the page say beside the routes. */
export interface DocumentOptions {
  readonly version: string;
  /** Whether the fixed keys of the sandbox open the service. */
  readonly sandbox: boolean;
  /** Whether third parties of Open Banking are served. */
  readonly open_banking: boolean;
}

/** The OpenAPI document of the routes, the page about it, and a redirect from `/` to the page. */
export function documentRoutes(
  routes: readonly Route[],
  { version, ...options }: DocumentOptions,
): readonly SystemRoute[] {
  const document = openApi(routes, version, card_details_operations, options);
  const document_text = JSON.stringify(document, null, 2);
  const page = docsPage(document, options);
  const style_hash = createHash('sha256').update(docs_style).digest('base64');
  return [
    {
      path: '/',
      answer(ctx) {
        ctx.redirect(prefixOf(ctx) + docs_path);
      },
    },
    {
      path: '/openapi.json',
      answer(ctx) {
        ctx.set('Cache-Control', 'no-cache');
        ctx.type = 'json';
        ctx.body = document_text.replace(root_server, () => serverAt(prefixOf(ctx)));
      },
    },
    {
      path: docs_path,
      answer(ctx) {
        const policy = `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
        ctx.set('Content-Security-Policy', policy);
        ctx.set('Cache-Control', 'no-cache');
        ctx.type = 'html';
        ctx.body = page.replace(address_mark, addressOf(ctx));
      },
    },
  ];
}

/**
 * The address at which the caller reached the service. A Host header of an unusual form is not
 * repeated, because readers paste the commands of the page into a shell.
 */
function addressOf({ protocol, host, req }: Context): string {
  const is_plain = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host);
  const address = `${mountOf(req)?.protocol ?? protocol}://${is_plain ? host : '127.0.0.1:8080'}`;
  return address + prefixOf({ req }).replace(/[^\w./~%-]/g, encodeByte);
}

/** The server of a document at the root, in its text. It is the first URL there. */
const root_server = '"url": "/"';

/** The same of a document below a path. */
function serverAt(prefix: string): string {
  return prefix === '' ? root_server : `"url": ${JSON.stringify(prefix)}`;
}

/** The path under which a host has mounted the interface, as the client sent it. */
function prefixOf({ req }: Pick<Context, 'req'>): string {
  return mountOf(req)?.prefix ?? '';
}

/** A character of a path in a form that means nothing to a shell or in HTML. */
function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
