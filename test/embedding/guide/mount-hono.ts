// mount-hono.ts
import { Hono } from 'hono';
import type { Tallystick } from 'tallystick';

export function createHonoApp(tally: Tallystick) {
  const app = new Hono();
  const handler = tally.fetchHandler({ prefix: '/cards' });
  app.all('/cards/*', (c) => handler(c.req.raw));
  return app;
}
