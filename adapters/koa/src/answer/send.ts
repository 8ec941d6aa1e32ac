import type { Timers } from '@tallystick/kernel';
import { mountOf } from '../mounting/mount.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { isTooLongToDrop } from '../request/body.ts';
import type { RequestContext } from '../request/pipeline.ts';
import type { RenderedAnswer } from './answer.ts';
import { isOfVirtualCards } from './deprecation.ts';
import { sendFile } from './send-file.ts';

/**
 * A year. Other names below the host are not ours to decide about. A host of the interface decides
 * for its own name.
 */
export const strict_transport_security = 'max-age=31536000';

/** The headers of every answer. */
export function headersOf(
  { state, path, req }: Pick<RequestContext, 'state' | 'path' | 'req'>,
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
  const headers = Object.assign(headersOf(ctx, lifecycle), answer.headers);
  if (answer.file !== undefined) return sendFile(res, answer.file, headers, { timers, is_head: method === 'HEAD' });
  if (answer.text !== null) {
    headers['Content-Type'] = 'application/json; charset=utf-8';
    headers['Content-Length'] = String(Buffer.byteLength(answer.text));
  }
  res.writeHead(answer.status, headers);
  res.end(answer.text === null || method === 'HEAD' ? undefined : answer.text);
}
