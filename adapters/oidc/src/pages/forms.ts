import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { equalBytes } from '@tallystick/kernel';
import { boundsOfRequest } from '../bounds.ts';
import { headersOf, type Page, renderPage } from './layout.ts';

/** The most bytes of a form. One that chooses 1,000 accounts has 43,000. */
const form_bytes_max = 65_536;

export type FormRead = { readonly form: URLSearchParams } | { readonly status: 400 | 403 | 413 | 415 };

/**
 * Reads a form of our own pages, up to a bound. A browser names the site that a form is from: the
 * form of a log-in has nothing else that another site could not know.
 */
export async function readForm(request: IncomingMessage, issuer: string): Promise<FormRead> {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined && origin !== new URL(issuer).origin) return { status: 403 };
  if (site !== undefined && site !== 'same-origin') return { status: 403 };
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return { status: 415 };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > form_bytes_max) return { status: 413 };
    chunks.push(chunk as Buffer);
  }
  return { form: new URLSearchParams(Buffer.concat(chunks).toString()) };
}

/**
 * Binds a form to the user who sees it and to its purpose. Another site cannot make such a token,
 * even if a browser sends it our cookies.
 */
export function formToken(cookie_keys: readonly string[], ...parts: readonly string[]): string {
  return tokenWith(cookie_keys[0]!, parts);
}

export function hasFormToken(
  cookie_keys: readonly string[],
  form: URLSearchParams,
  ...parts: readonly string[]
): boolean {
  const sent = Buffer.from(form.get('form_token') ?? '');
  return cookie_keys.some((key) => equalBytes(sent, Buffer.from(tokenWith(key, parts))));
}

function tokenWith(key: string, parts: readonly string[]): string {
  return createHmac('sha256', `form ${key}`).update(JSON.stringify(parts)).digest('base64url');
}

/** Returns the function that answers with a page of this bank. A stranger waits for a refusal. */
export function createPageSending(bank_name: string) {
  return async (response: ServerResponse, page: Page): Promise<void> => {
    if (page.status >= 400 && page.status < 500) await boundsOfRequest()?.slowDown();
    const body = Buffer.from(renderPage(page, bank_name));
    response.writeHead(page.status, {
      ...headersOf(page),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': body.length,
    });
    response.end(body);
  };
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 });
  response.end();
}
