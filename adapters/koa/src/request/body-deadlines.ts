import type { IncomingMessage } from 'node:http';
import type { Timers } from '@tallystick/kernel';

/** Requests whose bodies may take any time, and whether that has ended. */
const exemptions = new WeakMap<IncomingMessage, { is_over: boolean }>();

/**
 * Lets the body of this request take any time, until the returned function is called. Meanwhile
 * whoever reads the body bounds its time otherwise. Afterwards the rest of the body has at least
 * the usual time, and at most twice as long.
 */
export function exemptFromDeadline(req: IncomingMessage): () => void {
  const exemption = { is_over: false };
  exemptions.set(req, exemption);
  return () => {
    exemption.is_over = true;
  };
}

/** Bounds the time in which bodies arrive, because slow senders occupy connections. */
export interface BodyDeadlines {
  /** Begins the time of a request whose headers have arrived. */
  watch(req: IncomingMessage): void;
}

/**
 * Deadlines of `ms_max` after the headers. `expire` is called for a request whose body is not
 * complete by then, unless it is exempt. In place of `requestTimeout` of Node, which is the same
 * for every request of a server.
 */
export function createBodyDeadlines(
  ms_max: number,
  every_ms: number,
  { monotonicNow, after }: Pick<Timers, 'monotonicNow' | 'after'>,
  expire: (req: IncomingMessage) => void,
): BodyDeadlines {
  /** Since when a body arrives, oldest first. */
  const arriving = new Map<IncomingMessage, number>();
  let is_watching = false;

  const look = () => {
    is_watching = false;
    const now_ms = monotonicNow();
    for (const [req, since_ms] of arriving) {
      if (since_ms > now_ms - ms_max) break;
      arriving.delete(req);
      if (req.complete || req.destroyed) continue;
      const exemption = exemptions.get(req);
      if (exemption === undefined) {
        expire(req);
        continue;
      }
      if (exemption.is_over) exemptions.delete(req);
      arriving.set(req, now_ms);
    }
    if (arriving.size > 0) schedule();
  };
  const schedule = () => {
    if (is_watching) return;
    is_watching = true;
    after(every_ms, look, { keeps_alive: false });
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
