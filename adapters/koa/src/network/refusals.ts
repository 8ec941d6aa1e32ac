import type { IncomingMessage, ServerResponse } from 'node:http';
import { mayUse, type Principal } from '@tallystick/access';
import { headersOfAnswer } from '../answer/send.ts';
import { noteKnownCaller } from '../connection/connections.ts';
import type { Route } from '../join-endpoints.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { RequestLog } from '../operations/request-log.ts';
import { isTooLongToDrop } from '../request/body.ts';
import { countOverload, overloadOf } from '../request/overload.ts';
import { ownerOf, type PipelinePorts } from '../request/pipeline.ts';
import { hasRateLimit } from '../request/rate-limit.ts';
import { readRequestId } from '../request/request-id.ts';

/**
 * Refuses a request if the pipeline would refuse it now because of load, and for no other reason.
 * Returns whether it did.
 */
export type Refuse = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface RefusalPorts {
  readonly pipeline: PipelinePorts;
  readonly metrics: Pick<Metrics, 'request'>;
  readonly request_log: Pick<RequestLog, 'refused'>;
  readonly lifecycle: Pick<Lifecycle, 'stopping' | 'enter'>;
  readonly is_behind_https: boolean;
}

/**
 * Refuses messages of the network on a route, at little more than what Node takes for a request
 * (ADR 0083). Only a known key is answered here: everything else goes through the pipeline.
 */
export function createRefuse(
  { pipeline, metrics, request_log, lifecycle, is_behind_https }: RefusalPorts,
  route: Route,
): Refuse {
  const { network, authenticator, random } = pipeline;
  const { decisions } = pipeline.doors;
  const answers = { plain: prepareAnswer(route, false), https: prepareAnswer(route, true) };

  /** The caller if it may send this message and has no rate limit; else null. */
  function callerOf({ headers }: IncomingMessage): Principal | null {
    try {
      const known = authenticator.authenticate(headers.authorization);
      if (known instanceof Promise) {
        // The pipeline waits for the same look-up.
        known.catch(() => undefined);
        return null;
      }
      return mayUse(known, route.operation.area) && !hasRateLimit(pipeline, known) ? known : null;
    } catch {
      return null;
    }
  }

  function answer(req: IncomingMessage, res: ServerResponse, principal: Principal, is_full: boolean): void {
    const request_id = readRequestId(req.headers['x-request-id'], random);
    if (is_full) pipeline.metrics.requestRefused();
    else network.refuseUnread();
    network.hurry();
    countOverload(pipeline, route);
    const is_https = is_behind_https || 'encrypted' in req.socket;
    const { status, headers, text } = answers[is_https ? 'https' : 'plain'](request_id);
    res.on('close', lifecycle.enter());
    res.writeHead(status, headers);
    res.end(text, 'latin1');
    metrics.request(route.method, route.path, status, 0);
    request_log.refused(route, status, principal, request_id);
  }

  return (req, res) => {
    const is_full = decisions.isFull(null);
    if (!is_full && !network.isOverloaded()) return false;
    if (lifecycle.stopping || isTooLongToDrop(req)) return false;
    const principal = callerOf(req);
    if (principal === null) return false;
    noteKnownCaller(req, ownerOf(principal));
    // A body that came with its headers is then parsed, so that there is nothing to discard.
    void Promise.resolve().then(() => answer(req, res, principal, is_full));
    return true;
  };
}

/** In the place of the id of a request. */
const placeholder = '00000000-0000-0000-0000-000000000000';

/** The answer of a route under overload. Only the id is not prepared. */
function prepareAnswer(route: Route, is_https: boolean) {
  const rendered = overloadOf(route, placeholder);
  const { status } = rendered;
  const [before = '', after = ''] = (rendered.text ?? '').split(placeholder);
  const ctx = {
    path: route.path,
    req: { headers: {} },
    state: { request_id: placeholder, is_https, deprecation: null },
  };
  const prepared = Object.entries(headersOfAnswer(ctx, rendered, { stopping: false })).flat();
  const [id_at, length_at] = [prepared.indexOf('X-Request-Id') + 1, prepared.indexOf('Content-Length') + 1];
  return (request_id: string) => {
    const text = before + request_id + after;
    const headers = prepared.slice();
    headers[id_at] = request_id;
    // It is ASCII.
    headers[length_at] = String(text.length);
    return { status, headers, text };
  };
}
