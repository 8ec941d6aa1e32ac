import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Timers } from '@tallystick/kernel';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { dropBody } from '../request/body.ts';
import { createBodyPace } from '../request/body-pace.ts';
import { createPlaceFinder, headersSetOn, isBodyTaken, type MountOptions, recordMount } from './mount.ts';

/** An application that answers requests of `node:http`: `createHttpApp(...)`. */
export interface MountedApp {
  callback(): (req: IncomingMessage, res: ServerResponse) => unknown;
  readonly lifecycle: Pick<Lifecycle, 'stopping' | 'enter'>;
  readonly timers: Timers;
}

/** Answers a request of `node:http`. `next`, if given, is called when the path is not below the prefix. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void;

/**
 * Returns a handler that serves the interface in the server of a host, below any path:
 *
 *   createServer(handler)                                 node:http
 *   app.use('/cards', handler)                            Express and connect, which strip the URL
 *   app.use(createKoaMiddleware(api, options))            Koa, with or without koa-mount
 *   fastify.all('/cards/*', ({ raw }, reply) => {         Fastify, in a plugin whose parser of
 *     reply.hijack(); handler(raw, reply.raw); })         content types passes bodies on
 *
 * Links in answers, and the addresses of the document and its page, start with the path that the
 * client sent, whether the framework strips it or not. The `url` of a resource does not: it is
 * relative to the address of the service (service specification 2). Signatures cover the path as
 * the client sent it.
 *
 * It has to come before every body parser. A request whose body was read is answered 500 at once,
 * and logged.
 *
 * The host's server decides what `createHttpServer` does otherwise: how long headers and a body may
 * take, how many connections there are, and how long answers that are not read are kept. Bytes that
 * are not HTTP get the host's answer, and several requests that one connection sends at once are
 * worked on at once.
 */
export function createNodeHandler(app: MountedApp, options: MountOptions = {}): NodeHandler {
  const answer = createMountedAnswering(app, options);
  return (req, res, next) => {
    const { originalUrl: original_url } = req as IncomingMessage & { readonly originalUrl?: string };
    const is_answered = answer(req, res, { original_url, answers_outside: next === undefined });
    if (!is_answered) next?.();
  };
}

/** What a framework knows of a request. */
export interface HostedRequest {
  /** The URL as the client sent it, if the framework keeps it. */
  readonly original_url: string | undefined;
  /** A request that is not below the prefix is answered 404. False: it is left to the host. */
  readonly answers_outside: boolean;
}

/** Begins to answer a request below the prefix. Returns whether the request is answered. */
export function createMountedAnswering(
  app: MountedApp,
  options: MountOptions,
): (req: IncomingMessage, res: ServerResponse, hosted: HostedRequest) => boolean {
  const find = createPlaceFinder(options);
  const answer = app.callback();
  const pace = createBodyPace(app.timers.monotonicNow);
  return (req, res, { original_url, answers_outside }) => {
    const { url = '' } = req;
    const place = find({ url, original_url });
    if (place === null && !answers_outside) return false;
    recordMount(req, {
      prefix: place?.prefix ?? '',
      target: place?.target ?? url,
      is_body_taken: isBodyTaken(req),
      host_headers: headersSetOn(res),
      is_outside: place === null,
    });
    req.url = place?.url ?? url;
    res.once('prefinish', () => dropBody(req, pace, app.timers));
    res.once('close', () => {
      req.url = url;
    });
    answer(req, res);
    return true;
  };
}
