import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Identity, RequestFacts } from './ports.ts';

/** The parts of a visit that a notice depends on. */
interface Noticed {
  readonly identity: Identity;
  readonly facts: RequestFacts;
  readonly request: Request;
}

/** The cookie that carries what was done to the next page. */
const name = 'tallystick_notice';
const seconds = 60;

/** Adds to an answer what the next page shows once. The text is signed: nobody else can show one. */
export function withNotice(visit: Noticed, response: Response, notice: string | undefined): Response {
  if (notice !== undefined) {
    const text = Buffer.from(notice).toString('base64url');
    response.headers.append('Set-Cookie', cookie(visit, `${text}.${sign(visit, text)}`, seconds));
  }
  return response;
}

/** What this page shows once, and the cookie that forgets it. */
export function readNotice(visit: Noticed): { readonly notice: string | null; readonly forget: string | null } {
  const sent = new RegExp(`(?:^|;\\s*)${name}=([\\w-]+)\\.([\\w-]+)`).exec(visit.request.headers.get('cookie') ?? '');
  if (sent === null) return { notice: null, forget: null };
  const [, text = '', signature = ''] = sent;
  const forget = cookie(visit, '', 0);
  const [own, other] = [Buffer.from(sign(visit, text)), Buffer.from(signature)];
  if (own.length !== other.length || !timingSafeEqual(own, other)) return { notice: null, forget };
  return { notice: Buffer.from(text, 'base64url').toString(), forget };
}

function sign({ identity }: Noticed, text: string): string {
  return createHmac('sha256', `console notice ${identity.secret}`).update(text).digest('base64url');
}

function cookie({ facts }: Noticed, value: string, max_age_s: number): string {
  const secure = facts.is_https ? '; Secure' : '';
  return `${name}=${value}; Path=${facts.base || '/'}; HttpOnly; SameSite=Lax; Max-Age=${max_age_s}${secure}`;
}
