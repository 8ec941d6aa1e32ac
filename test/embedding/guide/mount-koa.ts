// mount-koa.ts
import Koa from 'koa';
import type { Tallystick } from 'tallystick';

export function createKoaApp(tally: Tallystick) {
  const app = new Koa();
  app.use(tally.koaMiddleware({ prefix: '/cards' }));
  return app;
}
