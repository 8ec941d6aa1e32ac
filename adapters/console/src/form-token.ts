import { createHash } from 'node:crypto';
import { equalBytes } from '@tallystick/kernel';

/** The token that a form of this visitor carries: it cannot be known without the secret. */
export function formToken(secret: string): string {
  return createHash('sha256').update(`console form ${secret}`).digest('base64url');
}

/** What a form is about, as its page showed it, in so few characters that the form can carry it. */
export function digestOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
}

export function isFormToken(token: unknown, secret: string): boolean {
  return typeof token === 'string' && equalBytes(Buffer.from(formToken(secret)), Buffer.from(token));
}

/** Whether a browser says that the request comes from a page of ours. */
export function isFromOurPage(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || site === 'none';
  const origin = request.headers.get('origin');
  return origin === null || hostOf(origin) === (request.headers.get('host') ?? new URL(request.url).host);
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
