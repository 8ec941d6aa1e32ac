import type { IncomingMessage } from 'node:http';
import type { Timers } from '@tallystick/kernel';
import { mountOf } from '../mounting/mount.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { isTooLongToDrop } from '../request/body.ts';
import type { RequestContext, RequestState } from '../request/pipeline.ts';
import type { RenderedAnswer } from './answer.ts';
import { isOfVirtualCards } from './deprecation.ts';
import { sendFile } from './send-file.ts';

/**
 * A year. Other names below the host are not ours to decide about. A host of the interface decides
 * for its own name.
 */
export const strict_transport_security = 'max-age=31536000';

/** What the headers of an answer depend on. */
interface Addressed {
  readonly path: string;
  readonly req: Pick<IncomingMessage, 'headers'>;
  readonly state: Pick<RequestState, 'request_id' | 'is_https' | 'deprecation' | 'is_turned_away'>;
}

/** The headers of every answer. */
export function headersOf(
  { state, path, req }: Addressed,
  { stopping }: Pick<Lifecycle, 'stopping'>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'X-Request-Id': state.request_id,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  };
  if (state.is_https) headers['Strict-Transport-Security'] = strict_transport_security;
  if (state.deprecation !== null && isOfVirtualCards(path)) Object.assign(headers, state.deprecation);
  if (stopping || state.is_turned_away || isTooLongToDrop(req)) headers.Connection = 'close';
  return headers;
}

/** The headers of every answer, and those of this one. Of a file without its type. */
export function headersOfAnswer(
  to: Addressed,
  { text, headers: own }: RenderedAnswer,
  lifecycle: Pick<Lifecycle, 'stopping'>,
): Record<string, string> {
  const headers = Object.assign(headersOf(to, lifecycle), own);
  if (text !== null) {
    headers['Content-Type'] = 'application/json; charset=utf-8';
    headers['Content-Length'] = String(Buffer.byteLength(text));
  }
  return headers;
}

/**
 * Writes an answer to the response at once, head and body together. Koa would set each header in
 * turn and look at the body for its type, which costs as much as the whole pipeline. A file is sent
 * while it is made, and the promise resolves at its end.
 */
export function send(
  ctx: RequestContext,
  answer: RenderedAnswer,
  lifecycle: Pick<Lifecycle, 'stopping'>,
  timers: Timers,
): void | Promise<void> {
  const { res, method } = ctx;
  ctx.respond = false;
  if (res.headersSent) {
    // An answer that failed while it was sent cannot be replaced.
    res.destroy();
    return;
  }
  // Those of a route that began to answer and failed.
  const set_before = res.getHeaderNames();
  if (set_before.length > 0) {
    const kept = mountOf(ctx.req)?.host_headers;
    for (const name of set_before) if (!kept?.has(name)) res.removeHeader(name);
  }
  const headers = headersOfAnswer(ctx, answer, lifecycle);
  if (answer.file !== undefined) return sendFile(res, answer.file, headers, { timers, is_head: method === 'HEAD' });
  res.writeHead(answer.status, headers);
  res.end(answer.text === null || method === 'HEAD' ? undefined : answer.text);
}
