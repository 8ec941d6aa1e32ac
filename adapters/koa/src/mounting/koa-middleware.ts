import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MountOptions } from './mount.ts';
import { createMountedAnswering, type MountedApp } from './node-handler.ts';

/** The parts of a Koa context that the middleware needs. */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The URL as the client sent it. koa-mount changes the URL of `req`. */
  readonly originalUrl: string;
  respond?: boolean;
}

/**
 * The same as `createNodeHandler`, as a middleware of Koa: `app.use(middleware)` with a prefix, or
 * `app.use(mount('/cards', middleware))` without. It resolves when the answer is sent, and passes on
 * requests that are not below the prefix.
 */
export function createKoaMiddleware(
  app: MountedApp,
  options: MountOptions = {},
): (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  const answer = createMountedAnswering(app, options);
  return async (ctx, next) => {
    const { req, res } = ctx;
    if (!answer(req, res, { original_url: ctx.originalUrl, answers_outside: false })) {
      await next();
      return;
    }
    // Koa would also answer.
    ctx.respond = false;
    if (!res.closed) await new Promise((resolve) => res.once('close', resolve));
  };
}
