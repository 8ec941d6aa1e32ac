import type { IncomingMessage } from 'node:http';

/** Requests whose bodies may take any time. */
const exempt = new WeakSet<IncomingMessage>();

/** Lets the body of this request take any time. Whoever reads it bounds its time otherwise. */
export function exemptFromDeadline(req: IncomingMessage): void {
  exempt.add(req);
}

/** Bounds the time in which bodies arrive, because slow senders occupy connections. */
export interface BodyDeadlines {
  /** Begins the time of a request whose headers have arrived. */
  watch(req: IncomingMessage): void;
}

/**
 * Deadlines of `ms_max` after the headers. `expire` is called for a request whose body is not
 * complete by then, unless it is exempt. In place of `requestTimeout` of Node, which is the same for
 * every request of a server.
 */
export function createBodyDeadlines(
  ms_max: number,
  every_ms: number,
  monotonicNow: () => number,
  expire: (req: IncomingMessage) => void,
): BodyDeadlines {
  /** Since when a body arrives, oldest first. */
  const arriving = new Map<IncomingMessage, number>();
  let is_watching = false;

  const look = () => {
    is_watching = false;
    const until_ms = monotonicNow() - ms_max;
    for (const [req, since_ms] of arriving) {
      if (since_ms > until_ms) break;
      arriving.delete(req);
      if (!req.complete && !req.destroyed && !exempt.has(req)) expire(req);
    }
    if (arriving.size > 0) schedule();
  };
  const schedule = () => {
    if (is_watching) return;
    is_watching = true;
    setTimeout(look, every_ms).unref();
  };

  return {
    watch(req) {
      const { headers } = req;
      if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
      arriving.set(req, monotonicNow());
      req.once('close', () => arriving.delete(req));
      schedule();
    },
  };
}
