import { createHash } from 'node:crypto';
import { card_details_operations } from './card-details-page.ts';
import { docs_style, docsPage } from './docs-page.ts';
import { HttpProblem } from './error-answer.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import type { HttpContext } from './pipeline.ts';
import type { Route } from './route.ts';

/** A route beside the interface: no key, no schema. */
export interface SystemRoute {
  /** GET when absent, which answers HEAD too. */
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (ctx: HttpContext) => void | Promise<void>;
}

export interface SystemRoutePorts {
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  readonly ping: () => Promise<void>;
  readonly version: string;
}

/** The document, the page about it, and what operators watch. */
export function systemRoutes(ports: SystemRoutePorts, routes: readonly Route[]): readonly SystemRoute[] {
  const document = openApi(routes, ports.version, card_details_operations);
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
    ...healthRoutes(ports),
  ];
}

/** What operators watch. */
export function healthRoutes(ports: Omit<SystemRoutePorts, 'version'>): readonly SystemRoute[] {
  return [
    {
      path: '/healthz',
      answer(ctx) {
        ctx.body = { status: 'ok' };
      },
    },
    {
      path: '/readyz',
      async answer(ctx) {
        if (ports.lifecycle.stopping) throw new HttpProblem('unavailable', 'the server is stopping');
        try {
          await ports.ping();
        } catch {
          throw new HttpProblem('unavailable', 'the database does not answer', { 'Retry-After': '1' });
        }
        ctx.body = { status: 'ready' };
      },
    },
    {
      path: '/metrics',
      async answer(ctx) {
        ctx.set('Content-Type', ports.metrics.content_type);
        ctx.body = await ports.metrics.read();
      },
    },
  ];
}
