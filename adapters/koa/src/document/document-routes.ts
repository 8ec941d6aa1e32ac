import { createHash } from 'node:crypto';
import type { Route } from '../request/route.ts';
import type { SystemRoute } from '../request/system-route.ts';
import { card_details_operations } from '../resources/card-details/page.ts';
import { docs_style, docsPage } from './docs-page.ts';
import { openApi } from './openapi.ts';

/** The OpenAPI document of the routes and the page about it. */
export function documentRoutes(routes: readonly Route[], version: string): readonly SystemRoute[] {
  const document = openApi(routes, version, card_details_operations);
  const document_text = JSON.stringify(document, null, 2);
  const page = docsPage(document);
  const style_hash = createHash('sha256').update(docs_style).digest('base64');
  return [
    {
      path: '/openapi.json',
      answer(ctx) {
        ctx.set('Cache-Control', 'no-cache');
        ctx.type = 'json';
        ctx.body = document_text;
      },
    },
    {
      path: '/docs',
      answer(ctx) {
        const policy = `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
        ctx.set('Content-Security-Policy', policy);
        ctx.set('Cache-Control', 'no-cache');
        ctx.type = 'html';
        ctx.body = page;
      },
    },
  ];
}
