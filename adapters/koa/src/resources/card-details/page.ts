/**
 * The page of the link in a mail. It shows a card's number, expiry and code once.
 *
 *   GET   a page with a button; changes nothing, because mail scanners and previews follow links
 *   POST  uses the link and shows the card
 *   410   the link was used, has expired, was replaced or is unknown; all have the same answer
 *
 * The path contains the secret: no log, metric, error or other site receives it. The page loads
 * nothing.
 */
import { createHash } from 'node:crypto';
import { type CardVault, isLinkOpen, type OpenedCard, openOneTimeLink } from '@tallystick/cards';
import type { Clock, Sha256, UnitOfWork } from '@tallystick/kernel';
import { escapeHtml } from '../../answer/html.ts';
import type { Operation } from '../../document/operation.ts';
import type { HttpTx } from '../../request/http-tx.ts';
import type { HttpContext } from '../../request/pipeline.ts';
import type { SystemRoute } from '../../request/system-route.ts';

/** Where the page is, under the public address of the service. */
export const card_details_path = '/card-details';

export interface CardDetailsPorts {
  readonly unitOfWork: UnitOfWork<HttpTx>;
  readonly vault: CardVault;
  readonly sha256: Sha256;
  readonly clock: Clock;
  /**
   * Waits until the clock shows the moves of other processes; absent when no other process moves
   * it.
   */
  readonly refreshClock: (() => Promise<void>) | undefined;
}

/** The routes of the page. */
export function cardDetailsPage(ports: CardDetailsPorts): readonly SystemRoute[] {
  const path = `${card_details_path}/:token`;
  const nowMs = async (): Promise<number> => {
    await ports.refreshClock?.();
    return ports.clock.nowMs();
  };
  return [
    {
      method: 'GET',
      path,
      async answer(ctx) {
        const now_ms = await nowMs();
        const open = await ports.unitOfWork.read((tx) => isLinkOpen(tx, ports, tokenOf(ctx), now_ms));
        show(ctx, open ? ask : closed);
      },
    },
    {
      method: 'POST',
      path,
      async answer(ctx) {
        const request = { token: tokenOf(ctx), request_id: ctx.state.request_id, now_ms: await nowMs() };
        // Strangers who guess tokens must not take turns of those who write.
        const open = await ports.unitOfWork.read((tx) => isLinkOpen(tx, ports, request.token, request.now_ms));
        const card = open ? await ports.unitOfWork.run((tx) => openOneTimeLink(tx, ports, request)) : null;
        show(ctx, card === null ? closed : cardPage(card));
      },
    },
  ];
}

interface Page {
  readonly status: 200 | 410;
  readonly title: string;
  readonly content: string;
}

const ask: Page = {
  status: 200,
  title: 'Your virtual card',
  content: `<p>The card number and the security code are shown only once. Be ready to use or to copy them.</p>
<form method="post"><button type="submit">Show number and code</button></form>`,
};

const closed: Page = {
  status: 410,
  title: 'This link no longer works',
  content: `<p>The link was used already, or it is older than 24 hours. Ask the person who issued the card to send you a new
link.</p>`,
};

function cardPage({ rcn_alias, card_number, expiry, cvc }: OpenedCard): Page {
  return {
    status: 200,
    title: 'Your virtual card',
    content: `<dl>
<dt>Card</dt><dd>${escapeHtml(rcn_alias)}</dd>
<dt>Number</dt><dd><code>${card_number.replace(/(\d{4})(?=\d)/g, '$1 ')}</code></dd>
<dt>Expiry (year and month)</dt><dd><code>${escapeHtml(expiry)}</code></dd>
<dt>Security code</dt><dd><code>${escapeHtml(cvc)}</code></dd>
</dl>
<p>The link from the mail no longer works.</p>`,
  };
}

const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #fff; --text: #1c2430; --muted: #55606f; --line: #d5dbe3; --action: #0a58a8; --on-action: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181f; --card: #1d232c; --text: #e2e7ee; --muted: #a3aebd; --line: #343d4a; --action: #86bdff; --on-action: #14181f;
  }
}
body { margin: 0; padding: 1rem; background: var(--ground); color: var(--text); font: 18px/1.5 system-ui, sans-serif; }
main {
  max-width: 32rem; margin: 8vh auto 0; padding: 1.5rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); overflow-wrap: anywhere;
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
button {
  width: 100%; margin-top: 0.5rem; padding: 0.75rem 1rem; border: 0; border-radius: 6px;
  background: var(--action); color: var(--on-action); font: inherit; font-weight: 600; cursor: pointer;
}
dl { margin: 0; }
dt { color: var(--muted); font-size: 0.9rem; }
dd { margin: 0 0 1rem; }
code { font: 1.2em ui-monospace, "DejaVu Sans Mono", monospace; }
`;
const style_hash = createHash('sha256').update(style).digest('base64');

const headers = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow, noarchive, nosnippet',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

function show(ctx: HttpContext, { status, title, content }: Page): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

function tokenOf(ctx: HttpContext): string {
  return (ctx.params as { readonly token?: string } | undefined)?.token ?? '';
}

const html = { 'text/html': { schema: { type: 'string' } } };
const answer_headers = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
const gone = {
  description: 'The link was used, has expired, or does not exist',
  headers: answer_headers,
  content: html,
};

/** The error answers that the page can have. */
function errors(...names: readonly ('InternalError' | 'Unavailable')[]): Operation['responses'] {
  const statuses = { InternalError: 500, Unavailable: 503 };
  return Object.fromEntries(names.map((name) => [statuses[name], { $ref: `#/components/responses/${name}` }]));
}

function operation(
  operationId: string,
  summary: string,
  description: string,
  failures: Operation['responses'],
): Operation {
  return {
    summary,
    description,
    tags: ['Card details'],
    operationId,
    parameters: [
      {
        name: 'token',
        in: 'path',
        required: true,
        description: 'From the mail',
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
      },
    ],
    responses: { 200: { description: 'The page', headers: answer_headers, content: html }, 410: gone, ...failures },
    security: [],
  };
}

/** The operations of the page in the OpenAPI document. */
export const card_details_operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  [`${card_details_path}/{token}`]: {
    get: operation(
      'cardDetails.page',
      'Ask for a card by the link of a mail',
      'A page for people, with a button. Takes no key: the link is the proof. Changes nothing.',
      errors('InternalError', 'Unavailable'),
    ),
    post: operation(
      'cardDetails.show',
      'Show a card by the link of a mail, once',
      'A page for people, with number, expiry and code. Takes no key: the link is the proof, and is used up.',
      errors('InternalError', 'Unavailable'),
    ),
  },
};
