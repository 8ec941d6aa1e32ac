import { type Content, html, when } from './html.ts';

/** What can be new: an event of any kind, an opened break, or an event of one card. */
export type News = 'event' | 'break' | `card-${string}`;

/** When a part is fetched again; never, without a member. */
export interface Refreshed {
  /** When something is new. */
  readonly on?: News | undefined;
  /** After so many seconds: what changes without an event. */
  readonly every_s?: number | undefined;
}

/** A part that may change at any time is fetched again after so many seconds, one that changes now sooner. */
const idle_s = 15;
const busy_s = 2;

/**
 * The seconds after which a part is fetched again that changes at the first of these instants of
 * service time, or is changing already; null: nobody knows when it changes.
 */
export function secondsUntil({ now_ms }: { readonly now_ms: number }, ...instants: readonly (string | null)[]): number {
  const waits = instants.map((at) => (at === null ? idle_s : Math.ceil((Date.parse(at) - now_ms) / 1_000)));
  return Math.max(busy_s, Math.min(idle_s, ...waits));
}

/** The same for work that runs, or does not. */
export function secondsOf(is_running: boolean): number {
  return is_running ? busy_s : idle_s;
}

/**
 * A part of a page that is fetched again, while nobody works in it and the page is in view. Its id
 * must be unique in the page. The answer to a form is no such page: it shows what was typed.
 */
export function livePart(
  { request }: { readonly request: Request },
  id: string,
  { on, every_s }: Refreshed,
  content: Content,
): Content {
  if (request.method !== 'GET' || (on === undefined && every_s === undefined))
    return html`<div id="${id}">${content}</div>`;
  const address = new URL(request.url).search || '?';
  const triggers = ['live', ...(every_s === undefined ? [] : [`every ${every_s}s`])].join(', ');
  return html`<div id="${id}"${when(on, (news) => html` data-live="${news}"`)} hx-get="${address}" hx-select="#${id}" hx-swap="outerHTML" hx-trigger="${triggers}" hx-headers='{"X-Live":"1"}'>${reloadLink(request)}${content}</div>`;
}

/** Above a list, which stays as it is: how much is new, with a link that shows it. */
export function liveNews({ request }: { readonly request: Request }, on: 'event' | 'break'): Content {
  return html`<p class="news" role="status" data-news="${on}"></p>${reloadLink(request)}`;
}

/** What takes the place of live parts without a script. */
function reloadLink({ url }: Pick<Request, 'url'>): Content {
  return html`<noscript><p class="quiet"><a href="${new URL(url).search || '?'}">Reload</a> to see what is new.</p></noscript>`;
}
