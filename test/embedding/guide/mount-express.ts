// mount-express.ts
import express from 'express';
import type { Tallystick } from 'tallystick';

export function createExpressApp(tally: Tallystick) {
  const app = express();
  app.use('/cards', tally.nodeHandler());
  app.use(express.json()); // After the interface.
  return app;
}
