import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import bodyParser from '@koa/bodyparser';
import {
  createFetchHandler,
  createKoaMiddleware,
  createNodeHandler,
  type MountedApp,
  type MountOptions,
} from '@tallystick/koa';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import mount from 'koa-mount';

/** A server of someone else in which the interface is mounted. */
export interface Host {
  readonly name: string;
  readonly framework: string;
  /** The path under which the interface is. */
  readonly prefix: string;
  /** The framework fails by itself when the body of a request was read. */
  readonly refuses_taken_bodies?: boolean;
  /**
   * Starts the server on a free port. With `reads_bodies`, a parser of JSON bodies comes before the
   * interface. The host has a route of its own at `/own`, and sets the header `X-Host`.
   */
  start(t: Cleaning, app: MountedApp, options?: HostOptions): Promise<string>;
}

export interface HostOptions {
  readonly reads_bodies?: boolean;
  /** The host answers 403 at `/operator` below the prefix, by the means of its framework. */
  readonly guards_operator?: boolean;
}

interface Cleaning {
  after(cleanup: () => unknown): void;
}

async function listen(t: Cleaning, listener: RequestListener): Promise<string> {
  return await addressOf(t, createServer(listener));
}

async function addressOf(t: Cleaning, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const own = 'the route of the host';

function nodeHost(name: string, options: MountOptions, prefix: string): Host {
  return {
    name,
    framework: 'node',
    prefix,
    start(t, app, { reads_bodies = false, guards_operator = false } = {}) {
      const handler = createNodeHandler(app, options);
      return listen(t, async (req, res) => {
        res.setHeader('X-Host', 'node');
        if (guards_operator && req.url?.startsWith(`${prefix}/operator`)) return res.writeHead(403).end();
        // A body is read in part, and the rest stays where it is.
        if (reads_bodies && req.method === 'POST') await firstPiece(req);
        handler(req, res, () => res.end(own));
      });
    },
  };
}

function firstPiece(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) =>
    req.once('data', () => {
      req.pause();
      resolve();
    }),
  );
}

function expressHost(name: string, at: string, options: MountOptions, prefix: string): Host {
  return {
    name,
    framework: 'express',
    prefix,
    start(t, app, { reads_bodies = false, guards_operator = false } = {}) {
      const host = express();
      host.use((_req, res, next) => {
        res.setHeader('X-Host', 'express');
        next();
      });
      if (guards_operator) host.use(`${prefix}/operator`, (_req, res) => void res.sendStatus(403));
      if (reads_bodies) host.use(express.json({ limit: '1mb' }));
      host.use(at, createNodeHandler(app, options));
      host.use((_req: unknown, res: ServerResponse) => res.end(own));
      return listen(t, host);
    },
  };
}

function koaHost(name: string, mounted_at: string | null, options: MountOptions, prefix: string): Host {
  return {
    name,
    framework: 'koa',
    prefix,
    start(t, app, { reads_bodies = false, guards_operator = false } = {}) {
      const host = new Koa();
      host.silent = true;
      host.use(async (ctx, next) => {
        ctx.set('X-Host', 'koa');
        if (guards_operator && ctx.path.startsWith(`${prefix}/operator`)) ctx.throw(403);
        await next();
      });
      if (reads_bodies) host.use(bodyParser());
      const middleware = createKoaMiddleware(app, options);
      host.use(mounted_at === null ? middleware : mount(mounted_at, middleware as Koa.Middleware));
      host.use((ctx) => {
        ctx.body = own;
      });
      return listen(t, host.callback());
    },
  };
}

function fastifyHost(name: string, at: string): Host {
  return {
    name,
    framework: 'fastify',
    prefix: at,
    async start(t, app, { reads_bodies = false, guards_operator = false } = {}) {
      const host = fastify();
      const handler = createNodeHandler(app, { prefix: at });
      host.get('/own', () => own);
      if (guards_operator) {
        host.addHook('onRequest', async ({ url }, reply) => {
          if (url.startsWith(`${at}/operator`)) await reply.code(403).send();
        });
      }
      await host.register(async (scope) => {
        if (!reads_bodies) {
          // Bodies stay as they are, in this plugin only.
          scope.removeAllContentTypeParsers();
          scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
        }
        scope.all(`${at}/*`, (request, reply) => {
          reply.hijack();
          reply.raw.setHeader('X-Host', 'fastify');
          handler(request.raw, reply.raw);
        });
        scope.all(at, (request, reply) => {
          reply.hijack();
          handler(request.raw, reply.raw);
        });
      });
      await host.ready();
      t.after(() => host.close());
      return await addressOf(t, host.server);
    },
  };
}

function honoHost(name: string, strips: boolean, prefix: string): Host {
  return {
    name,
    framework: 'hono',
    prefix,
    // It copies the request.
    refuses_taken_bodies: strips,
    async start(t, app, { reads_bodies = false, guards_operator = false } = {}) {
      const host = new Hono();
      const handler = createFetchHandler(app, { prefix, is_stripped: strips });
      host.use(async (c, next) => {
        if (reads_bodies && c.req.method === 'POST') await c.req.json();
        await next();
        c.header('X-Host', 'hono');
      });
      host.get('/own', (c) => c.text(own));
      if (guards_operator) host.use(`${prefix}/operator/*`, async (c) => c.text('forbidden', 403));
      if (strips) host.mount(prefix, handler);
      else host.all(`${prefix}/*`, (c) => handler(c.req.raw));
      return await new Promise<string>((resolve) => {
        const server = serve({ fetch: host.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
          resolve(`http://127.0.0.1:${port}`),
        ) as Server;
        t.after(async () => {
          server.closeAllConnections();
          await new Promise((closed) => server.close(closed));
        });
      });
    },
  };
}

/** Every framework, with the prefix stripped from the URL and with the prefix left in it. */
export const hosts: readonly Host[] = [
  nodeHost('node:http', { prefix: '/bank/cards/' }, '/bank/cards'),
  nodeHost('node:http at the root', { prefix: '/' }, ''),
  expressHost('Express, which strips the prefix', '/cards', {}, '/cards'),
  expressHost('Express, which strips one part of the prefix', '/bank', { prefix: '/cards' }, '/bank/cards'),
  expressHost('Express, which leaves the prefix', '/', { prefix: '/cards' }, '/cards'),
  koaHost('Koa with koa-mount, which strips the prefix', '/cards', {}, '/cards'),
  koaHost('Koa, which leaves the prefix', null, { prefix: '/cards' }, '/cards'),
  fastifyHost('Fastify, which leaves the prefix', '/cards'),
  honoHost('Hono with mount, which strips the prefix', true, '/cards'),
  honoHost('Hono, which leaves the prefix', false, '/cards'),
];
