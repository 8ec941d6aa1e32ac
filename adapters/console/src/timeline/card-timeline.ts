/** What happened to a card, newest first: from its events, its versions, the audit log and its mails. */
import type { Results } from '@tallystick/operations';
import { type Content, html, when } from '../look/html.ts';
import { link } from '../look/parts.ts';
import { badge, exactInstant, foreign, money } from '../look/values.ts';
import { who } from '../look/who.ts';
import { changesOf, outcomeOf } from '../pages/card-words.ts';
import type { Visit } from '../visit.ts';
import { mergePages, type ReadPage } from './merge-pages.ts';

/** Something that happened. */
interface Entry {
  readonly at: string;
  readonly what: Content;
  /** Who did it; null: the card network, or the service. */
  readonly by: Content | null;
  /** Why, in the words of the person. */
  readonly note: string | null;
}

const page_size = 25;

/** Reads a page of the timeline of a card. */
export async function cardTimeline(
  visit: Visit,
  { id, currency, created_at }: { readonly id: string; readonly currency: string; readonly created_at: string },
  after: string | undefined,
): Promise<{ readonly items: readonly Entry[]; readonly next: string | null }> {
  const parameters = { id };
  const lists: readonly ReadPage<Entry>[] = [
    async (cursor, limit) => {
      const options = { filter: { 'payload.vcn_id': id }, limit, after: cursor };
      return shown(await visit.call('events.list', { options }), (event) => ofEvent(visit, event));
    },
    async (cursor, limit) => {
      const page = await visit.call('virtualCards.versions.list', { parameters, options: { limit, after: cursor } });
      return shown(page, (version) => ofVersion(visit, version, currency, created_at));
    },
    async (cursor, limit) => {
      const page = await visit.call('virtualCards.audit.list', { parameters, options: { limit, after: cursor } });
      return shown(page, (entry) => ofAudit(visit, id, entry, currency));
    },
    async (cursor, limit) => {
      const page = await visit.call('virtualCards.mails.list', { parameters, options: { limit, after: cursor } });
      return shown(page, (mail) => ofMail(visit, mail));
    },
  ];
  return await mergePages(lists, after, page_size);
}

/** The timeline as a list. */
export function timelineList(entries: readonly Entry[]): Content {
  if (entries.length === 0) return html`<p class="empty">Nothing more happened.</p>`;
  return html`<ol class="timeline">${entries.map(
    ({ at, what, by, note }) =>
      html`<li><div class="when">${exactInstant(at)}${when(by, (name) => html` · ${name}`)}</div><div>${what}</div>${when(
        note,
        (text) => html`<div class="quiet">“${foreign(text)}”</div>`,
      )}</li>`,
  )}</ol>`;
}

type Of<Id extends keyof Results> = Results[Id] extends { readonly items: readonly (infer Item)[] } ? Item : never;

function shown<Item>(
  { items, next }: { readonly items: readonly Item[]; readonly next: string | null },
  entryOf: (item: Item) => Entry | null,
) {
  return { items: items.flatMap((item) => entryOf(item) ?? []), next };
}

function ofEvent(visit: Visit, event: Of<'events.list'>): Entry | null {
  const entry = (what: Content): Entry => ({ at: event.created_at, what, by: null, note: null });
  switch (event.event_type) {
    case 'virtualcard.realtime.auths': {
      const one = event.payload;
      const outcome =
        one.decline_reason === null
          ? badge(one.message_type_indicator.startsWith('Reversal') ? 'Reversal' : 'Approved', 'ok')
          : html`${outcomeOf(one.decline_reason)}:`;
      const path = visit.path(`/cards/${one.vcn_id}/decisions/${one.id}`);
      return entry(
        html`${outcome} <a href="${path}">${money(one.merchant_amount, one.merchant_currency)} at ${foreign(one.merchant_name)}</a>`,
      );
    }
    case 'virtualcard.clearings': {
      const one = event.payload;
      const name = html`${money(one.billing_amount, one.billing_currency)} at ${foreign(one.merchant_name)}`;
      const path = visit.path(`/cards/${one.vcn_id}/decisions/${one.authorization_id}`);
      const what = one.authorization_id === null ? name : link(path, name);
      return entry(html`${badge(one.clearing_type === 'CREDIT' ? 'Credit' : 'Cleared', 'info')} ${what}`);
    }
    // Its age is in the item.
    case 'reconciliation.break.aged':
      return null;
    case 'reconciliation.break.opened':
    case 'reconciliation.break.resolved': {
      const path = visit.path(`/items/${event.payload.item_id}`);
      return entry(link(path, break_words[event.event_type]));
    }
    default:
      return entry(event.event_type);
  }
}

const break_words = {
  'reconciliation.break.opened': 'A break opened',
  'reconciliation.break.resolved': 'A break was resolved',
} as const;

/** A change of the controls. Freezes have an entry of the audit log, which says why. */
function ofVersion(
  visit: Visit,
  { from, by, changes, version }: Of<'virtualCards.versions.list'>,
  currency: string,
  created_at: string,
): Entry | null {
  if (version === 1) return { at: created_at, what: 'The card was created', by: null, note: null };
  if (from === null || (changes?.length === 1 && changes[0]!.name === 'frozen_at')) return null;
  const is_cancel = changes?.some(({ name, after }) => name === 'status' && after === 'Canceled') === true;
  const what = is_cancel ? badge('Canceled', 'bad') : html`${badge('Changed')} ${changesOf(changes, currency)}`;
  return { at: from, what, by: who(visit, by), note: null };
}

function ofAudit(
  visit: Visit,
  id: string,
  { at, action, actor, details }: Of<'virtualCards.audit.list'>,
  currency: string,
) {
  const { authorization_id, amount, note, reason } = details;
  const why = note ?? reason;
  const entry = (what: Content): Entry => ({
    at,
    what,
    by: who(visit, actor),
    note: typeof why === 'string' ? why : null,
  });
  switch (action) {
    // The mail itself is in the timeline.
    case 'card.mailed':
      return null;
    case 'card.frozen':
      return entry(badge('Frozen', 'warn'));
    case 'card.unfrozen':
      return entry(badge('Unfrozen', 'ok'));
    case 'card_number.shown':
      return entry(html`${badge('Number shown', 'warn')}`);
    case 'hold.released': {
      const path = visit.path(`/cards/${id}/decisions/${String(authorization_id)}`);
      return entry(html`${badge('Released')} <a href="${path}">a hold of ${money(Number(amount), currency)}</a>`);
    }
    default:
      return entry(action.replaceAll(/[._]/g, ' '));
  }
}

const mail_tones = { pending: 'quiet', sent: 'ok', failed: 'bad' } as const;

function ofMail(
  visit: Visit,
  { created_at, recipient, state, error, queued_by }: Of<'virtualCards.mails.list'>,
): Entry {
  const why = error === null ? '' : html` <span class="quiet">${error}</span>`;
  const what = html`${badge(`Mail ${state}`, mail_tones[state])} to ${foreign(recipient)}${why}`;
  return { at: created_at, what, by: who(visit, queued_by), note: null };
}
