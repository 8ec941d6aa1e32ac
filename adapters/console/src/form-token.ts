import { createHash } from 'node:crypto';
import { equalBytes, type Random, toBase64Url } from '@tallystick/kernel';

/** The characters of the id at the beginning of a token. */
const id_length = 22;

/**
 * The token that the forms of a page carry: a random id, by which what is sent twice is recognized, and
 * what cannot be known without the secret.
 */
export function formToken(secret: string, random: Pick<Random, 'bytes'>): string {
  return toBase64Url(random.bytes(16)) + proofOf(secret);
}

function proofOf(secret: string): string {
  return createHash('sha256').update(`console form ${secret}`).digest('base64url');
}

/** What a form is about, as its page showed it, in so few characters that the form can carry it. */
export function digestOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
}

export function isFormToken(token: unknown, secret: string): token is string {
  if (typeof token !== 'string') return false;
  return equalBytes(Buffer.from(proofOf(secret)), Buffer.from(token.slice(id_length)));
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
