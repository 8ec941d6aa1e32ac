import type { IncomingMessage } from 'node:http';
import { hasBody } from '../request/body.ts';

/** Says what to do about a body that the host has read. For the answer and for the log. */
export const taken_body_message =
  'the host application has read the body before Tallystick could: mount Tallystick before the body parser';

/**
 * Whether something else has read from the body, or has begun to: what it takes would be missing
 * here, and the end would never come.
 */
export function isBodyTaken(req: IncomingMessage): boolean {
  if (!hasBody(req)) return false;
  const { readableDidRead, readableEnded, readableFlowing } = req;
  const listeners = req.listenerCount('data') + req.listenerCount('readable');
  return readableDidRead || readableEnded || readableFlowing === true || listeners > 0;
}
