import type { Deprecation } from '../answer/deprecation.ts';
import { card_details_operations } from '../card-details.ts';
import type { Route } from '../join-endpoints.ts';
import { mountOf } from '../mounting/mount.ts';
import { messages_operations } from '../network/messages-operation.ts';
import type { Page } from '../request/page.ts';
import type { HttpContext } from '../request/pipeline.ts';
import type { SystemRoute } from '../request/system-route.ts';
import { openApi } from './openapi.ts';

const document_path = '/openapi.json';

/** What the document says beside the routes. */
export interface DocumentOptions {
  readonly version: string;
  /** Whether third parties of Open Banking are served. */
  readonly open_banking: boolean;
  /** What the operator announces about the virtual card interface; null: nothing. */
  readonly v1_deprecation: Deprecation | null;
  /** Where `/` leads. */
  readonly home: string;
}

/** The OpenAPI document of the routes, the pages about it, and a redirect from `/`. */
export function documentRoutes(
  routes: readonly Route[],
  pages: readonly Page[],
  { version, home, ...options }: DocumentOptions,
): readonly SystemRoute[] {
  let made: string | null = null;
  const documentText = () => {
    made ??= JSON.stringify(
      openApi(routes, version, { ...card_details_operations, ...messages_operations }, options),
      null,
      2,
    );
    return made;
  };
  return [
    {
      path: '/',
      answer(ctx) {
        ctx.redirect(prefixOf(ctx) + home);
      },
    },
    {
      path: document_path,
      answer(ctx) {
        ctx.set('Cache-Control', 'no-cache');
        ctx.type = 'json';
        ctx.body = documentText().replace(root_server, () => serverAt(prefixOf(ctx)));
      },
    },
    ...pages.map(
      ({ path, answer }): SystemRoute => ({
        path,
        async answer(ctx) {
          const { headers, body } = await answer(ctx.headers);
          ctx.status = 200;
          ctx.set(headers);
          if (ctx.fresh) ctx.status = 304;
          else ctx.body = body;
        },
      }),
    ),
  ];
}

/** The server of a document at the root, in its text. It is the first URL there. */
const root_server = '"url": "/"';

/** The server of a document below a path, in its text. */
function serverAt(prefix: string): string {
  return prefix === '' ? root_server : `"url": ${JSON.stringify(prefix)}`;
}

/** The path under which a host has mounted the interface, as the client sent it. */
function prefixOf({ req }: Pick<HttpContext, 'req'>): string {
  return mountOf(req)?.prefix ?? '';
}
