import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../answer/error-answer.ts';

/**
 * Puts the target of a request into the form `/path?query`, which routes and signatures read. A
 * proxy's form, `http://host/path?query`, is accepted too (RFC 9112, 3.2.2). Refuses
 * (`malformed_request`) another form, and HTTP/1.1 without `Host`.
 */
export function normalizeTarget(req: IncomingMessage): void {
  if (lacksHost(req)) throw malformed(req, 'the header Host is missing');
  const target = req.url ?? '';
  // Koa's parser of targets throws for some texts with these characters.
  if (/[#\s]/.test(target)) throw malformed(req, 'the target of the request must have no fragment and no white space');
  const path = pathOfTarget(target);
  if (path === null) throw malformed(req, 'the target of the request must be a path or a URL with http or https');
  if (path !== target) req.url = path;
}

/** HTTP/1.1 requires the header (RFC 9112, 3.2). */
export function lacksHost({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersionMinor === 1;
}

/** Returns the target of a request in the form `/path?query`, or `*`; null when it has another form. */
export function pathOfTarget(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target;
  const authority_at = /^https?:\/\//i.exec(target)?.[0].length;
  if (authority_at === undefined || !URL.canParse(target)) return null;
  const rest = /[/?].*$/.exec(target.slice(authority_at))?.[0] ?? '/';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function malformed(req: IncomingMessage, message: string): HttpProblem {
  // Further steps and the log read a target that is well formed.
  req.url = '/';
  return new HttpProblem('malformed_request', message, { Connection: 'close' });
}
