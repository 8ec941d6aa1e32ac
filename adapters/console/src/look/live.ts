import { type Content, html } from './html.ts';

/** What can be new: an event of any kind, of one kind, or of one card. */
export type News = 'event' | 'decision' | 'clearing' | 'break' | 'resolved' | 'card' | `card-${string}`;

const plurals: Readonly<Record<Exclude<News, `card-${string}`>, readonly [one: string, several: string]>> = {
  event: ['new event', 'new events'],
  decision: ['new decision', 'new decisions'],
  clearing: ['new clearing', 'new clearings'],
  break: ['new break', 'new breaks'],
  resolved: ['break was resolved', 'breaks were resolved'],
  card: ['change of a card', 'changes of cards'],
};

/**
 * A part of a page that is fetched again when something is new, while nobody works in it. Its id
 * must be unique in the page.
 */
export function livePart({ request }: { readonly request: Request }, id: string, on: News, content: Content): Content {
  const { search } = new URL(request.url);
  return html`<div id="${id}" data-live="${on}" hx-get="${search === '' ? '?' : search}" hx-select="#${id}" hx-swap="outerHTML" hx-trigger="live" hx-headers='{"X-Live":"1"}'>${content}</div>`;
}

/** Above a list, which stays as it is: how much is new, with a link that shows it. */
export function liveNews(on: keyof typeof plurals): Content {
  const [one, several] = plurals[on];
  return html`<p class="news" role="status" data-news="${on}" data-one="${one}" data-several="${several}"></p>`;
}
