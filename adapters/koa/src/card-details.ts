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
import { type CardVault, isLinkOpen, type OpenedCard, openOneTimeLink } from '@tallystick/cards';
import type { Clock, Sha256, UnitOfWork } from '@tallystick/kernel';
import type { OperationTx } from '@tallystick/operations';
import { escapeHtml, type HtmlPage, showPage } from './answer/html-page.ts';
import { card_details_path } from './card-details-path.ts';
import type { Operation } from './document/schemas.ts';
import type { HttpContext } from './request/pipeline.ts';
import type { SystemRoute } from './request/system-route.ts';

export interface CardDetailsPorts {
  readonly unitOfWork: UnitOfWork<OperationTx>;
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
        showPage(ctx, open ? ask : closed);
      },
    },
    {
      method: 'POST',
      path,
      async answer(ctx) {
        const { request_id, source_address } = ctx.state;
        const request = { token: tokenOf(ctx), request_id, source_address, now_ms: await nowMs() };
        // Strangers who guess tokens must not take turns of those who write.
        const open = await ports.unitOfWork.read((tx) => isLinkOpen(tx, ports, request.token, request.now_ms));
        const card = open ? await ports.unitOfWork.run((tx) => openOneTimeLink(tx, ports, request)) : null;
        showPage(ctx, card === null ? closed : cardPage(card));
      },
    },
  ];
}

const ask: HtmlPage = {
  status: 200,
  title: 'Your virtual card',
  content: `<p>The card number and the security code are shown only once. Be ready to use or to copy them.</p>
<form method="post"><button type="submit">Show number and code</button></form>`,
};

const closed: HtmlPage = {
  status: 410,
  title: 'This link no longer works',
  content: `<p>The link was used already, or it is older than 24 hours. Ask the person who issued the card to send you a new
link.</p>`,
};

function cardPage({ rcn_alias, card_number, expiry, cvc }: OpenedCard): HtmlPage {
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
