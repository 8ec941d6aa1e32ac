// mount-fastify.ts
import fastify from 'fastify';
import type { Tallystick } from 'tallystick';

export function createFastifyApp(tally: Tallystick) {
  const app = fastify();
  const handler = tally.nodeHandler({ prefix: '/cards' });
  app.register(async (scope) => {
    // Bodies stay unread, in this plugin only.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/cards/*', (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
  });
  return app;
}
