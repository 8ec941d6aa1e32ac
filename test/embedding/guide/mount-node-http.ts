// mount-node-http.ts
import { createServer } from 'node:http';
import type { Tallystick } from 'tallystick';

export function createNodeServer(tally: Tallystick) {
  const handler = tally.nodeHandler({ prefix: '/cards' });
  return createServer((req, res) => handler(req, res, () => res.end('the host')));
}
