import { createHmac } from 'node:crypto';
import { equalBytes } from '@tallystick/kernel';
import { cookie, readCookie } from './log-in/cookie.ts';
import type { Identity, RequestFacts } from './ports.ts';

/** The parts of a visit that a notice depends on. */
interface Noticed {
  readonly identity: Identity;
  readonly facts: RequestFacts;
  readonly request: Request;
}

/** The cookie that carries what was done to the next page. */
const name = 'notice';
const seconds = 60;

/** The length of an HMAC-SHA-256 in base64url. */
const signature_length = 43;

/** Adds to an answer what the next page shows once. The text is signed: nobody else can show one. */
export function withNotice(visit: Noticed, response: Response, notice: string | undefined): Response {
  if (notice !== undefined) {
    const text = Buffer.from(notice).toString('base64url');
    response.headers.append('Set-Cookie', cookie(visit.facts, name, sign(visit, text) + text, seconds));
  }
  return response;
}

/** What this page shows once, and the cookie that forgets it. */
export function readNotice(visit: Noticed): { readonly notice: string | null; readonly forget: string | null } {
  const sent = readCookie(visit.request, visit.facts, name);
  if (sent === null) return { notice: null, forget: null };
  const [signature, text] = [sent.slice(0, signature_length), sent.slice(signature_length)];
  const forget = cookie(visit.facts, name, '', 0);
  const is_own = equalBytes(Buffer.from(sign(visit, text)), Buffer.from(signature));
  return { notice: is_own ? Buffer.from(text, 'base64url').toString() : null, forget };
}

function sign({ identity }: Noticed, text: string): string {
  return createHmac('sha256', `console notice ${identity.secret}`).update(text).digest('base64url');
}
