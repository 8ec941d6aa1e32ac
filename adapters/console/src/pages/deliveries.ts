import type { Delivery, DeliveryAttempt, DeliveryWithBody, WebhookOverview } from '@tallystick/operations/resources';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { type Content, html, when } from '../look/html.ts';
import { livePart, secondsUntil } from '../look/live.ts';
import { facts, pager, panel, table } from '../look/parts.ts';
import { badge, dash, exactInstant, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

/** The most characters that a page shows of one text, so that it stays small. */
const body_length_max = 16_000;
const answer_length_max = 1_000;

/** Attempts of one delivery that its page shows, the newest. */
const attempts_max = 10;

const states = ['failed', 'pending', 'succeeded', 'all'] as const;

const tones = { failed: 'bad', pending: 'warn', succeeded: 'ok' } as const;
const words = { failed: 'failed', pending: 'waiting', succeeded: 'delivered', all: 'all' } as const;

/** One delivery with its attempts: what was sent, how it was signed, and what was answered. */
export function deliveryPages(app: ConsoleApp): void {
  const route = '/companies/:company_id/webhooks/:id{[0-9]+}/deliveries/:delivery_id{[0-9]+}';
  app.get(route, (c) => deliveryPage(c.var.visit, c.req.param()));
  addForm(app, `${route}/retry`, deliveryPage, async (visit, form, { id, delivery_id }) => {
    await visit.call('webhooks.deliveries.retry', { parameters: { id, delivery_id } });
    const to = form.get('from') === 'list' ? `/webhooks/${id}` : `/webhooks/${id}/deliveries/${delivery_id}`;
    return { to: visit.path(to), notice: `Delivery ${delivery_id} is sent again.` };
  });
}

interface Named {
  readonly id: string;
  readonly delivery_id: string;
}

/** The deliveries of a webhook, by state: those that failed first, when there are some. */
export async function deliveriesOf(visit: Visit, id: string, overview: WebhookOverview | undefined): Promise<Content> {
  const preset = (overview?.recent.failed ?? 0) > 0 ? 'failed' : 'all';
  const state = states.find((one) => one === visit.query.get('state')) ?? preset;
  const options = visit.paged(state === 'all' ? {} : { state });
  const { items, next } = await visit.call('webhooks.deliveries.list', { parameters: { id }, options });
  const at = visit.path(`/webhooks/${id}`);
  const may_retry = visit.may('webhooks.deliveries.retry');
  return panel(
    'Deliveries',
    html`<nav class="tabs" aria-label="State of the deliveries">${states.map(
      (one) =>
        html`<a href="${at}?state=${one}#deliveries"${one === state ? html` aria-current="true"` : ''}>${words[one]}</a>`,
    )}</nav>${table({
      caption: `Deliveries, newest first: ${words[state]}`,
      columns: [
        { title: 'Delivery', cell: ({ id: one }) => html`<a href="${at}/deliveries/${one}">Delivery\u00a0${one}</a>` },
        {
          title: 'Event',
          cell: ({ event_type, created_at }) =>
            html`${event_type}<br><span class="quiet">${instant(created_at)}</span>`,
        },
        { title: 'State', cell: ({ state: one }) => badge(words[one], tones[one]) },
        {
          title: 'Last answer',
          cell: (one) =>
            html`${lastAnswer(one)}<div class="quiet">${one.attempts.length === 1 ? '1 attempt' : `${one.attempts.length} attempts`}${when(one.attempts.at(-1), ({ at }) => html`, the last ${instant(at)}`)}${when(one.next_attempt_at, (at) => html`, the next ${instant(at)}`)}</div>`,
        },
        ...(may_retry ? [{ title: 'Act', cell: (one: Delivery) => retryForm(visit, id, one.id, 'list') }] : []),
      ],
      rows: items,
      empty: state === 'all' ? 'Nothing was delivered yet.' : `No delivery is ${words[state]}.`,
    })}${pager({ query: new URLSearchParams({ state }) }, `${at}#deliveries`, next)}`,
    { id: 'deliveries' },
  );
}

function lastAnswer({ attempts }: Delivery): Content {
  const last = attempts.at(-1);
  return last === undefined ? dash : answerOf(last);
}

/** The status of the answer, or why there was none: `connection_failed: ECONNREFUSED` in words. */
function answerOf({ status, error }: Pick<DeliveryAttempt, 'status' | 'error'>): string {
  if (status !== null) return `status ${status}`;
  const [reason = '', ...detail] = (error ?? '').split(': ');
  return `no answer, ${[reason.replaceAll('_', ' '), ...detail].join(': ')}`;
}

function retryForm(visit: Visit, id: string, delivery_id: string, from: 'list' | 'delivery'): Content {
  const button =
    from === 'list'
      ? html`<button class="second">Send again<span class="visually-hidden">: delivery ${delivery_id}</span></button>`
      : html`<button>Send again</button>`;
  return html`<form method="post" action="${visit.path(`/webhooks/${id}/deliveries/${delivery_id}/retry`)}">${visit.csrf}<input type="hidden" name="from" value="${from}">${button}</form>`;
}

async function deliveryPage(visit: Visit, { id, delivery_id }: Named): Promise<Response> {
  const delivery = await visit.call('webhooks.deliveries.read', { parameters: { id, delivery_id } });
  const { attempts } = delivery;
  const shown = attempts.toReversed().slice(0, attempts_max);
  return await visit.page({
    title: `Delivery ${delivery_id}`,
    nav: 'webhooks',
    trail: [[`Webhook ${id}`, visit.path(`/webhooks/${id}`)]],
    beside: visit.may('webhooks.deliveries.retry') ? retryForm(visit, id, delivery_id, 'delivery') : undefined,
    content: livePart(
      visit,
      'delivery',
      { every_s: secondsUntil(visit, delivery.next_attempt_at) },
      html`${deliveryFacts(visit, delivery)}${
        attempts.length === 0 ? html`<p class="empty">It was not attempted yet.</p>` : ''
      }${shown.map((attempt, at) => attemptPanel(attempt, at === 0))}${when(
        attempts.length > shown.length,
        () => html`<p class="quiet">${attempts.length - shown.length} older attempts are not shown.</p>`,
      )}${panel(
        'Body of the request',
        html`<p class="hint">The same bytes at every attempt. The signatures cover them, and the time of the attempt.</p>${textOf(delivery.body, body_length_max)}`,
      )}`,
    ),
  });
}

function deliveryFacts(visit: Visit, delivery: DeliveryWithBody): Content {
  const { event_id, event_type, sequence, state, next_attempt_at, created_at } = delivery;
  return panel(
    'Delivery',
    facts([
      ['Event', html`<a href="${visit.path(`/events/${event_id}`)}">${event_type}, event ${event_id}</a>`],
      ['State', badge(words[state], tones[state])],
      ['Sequence', sequence],
      ['Made', exactInstant(created_at)],
      ['Next attempt', instant(next_attempt_at)],
    ]),
  );
}

function attemptPanel(attempt: DeliveryAttempt, is_newest: boolean): Content {
  const { number, at, status, error, duration_ms, answer, retry_after, headers } = attempt;
  const is_success = status !== null && status >= 200 && status <= 299;
  const { 'x-signature': signature, ...others } = headers;
  const exchange = html`<h3>Headers of the request</h3>${facts(Object.entries(others).map(([name, value]) => [name, html`<code>${value}</code>`]))}
<h3>Response</h3>${status === null ? html`<p class="empty">There was none.</p>` : answer === null || answer === '' ? html`<p class="empty">It had no body.</p>` : textOf(answer, is_newest ? 4 * answer_length_max : answer_length_max)}`;
  return panel(
    `Attempt ${number}`,
    html`${facts([
      [
        'Result',
        html`${badge(is_success ? 'delivered' : 'failed', is_success ? 'ok' : 'bad')} ${answerOf({ status, error })}`,
      ],
      ['Time', exactInstant(at)],
      ['Took', `${duration_ms} ms`],
      ['Signature that was sent, x-signature', html`<code>${signature ?? ''}</code>`],
      retry_after !== null && ['Retry-After', foreign(retry_after)],
    ])}${is_newest ? exchange : html`<details><summary>Request and response of attempt ${number}</summary>${exchange}</details>`}`,
  );
}

/** A text of others as it is. A long one is cut, and says so. */
function textOf(text: string, length_max: number): Content {
  const cut = text.length > length_max;
  return html`<pre tabindex="0">${cut ? text.slice(0, length_max) : text}</pre>${when(cut, () => html`<p class="quiet">It has ${text.length} characters; the rest is not shown.</p>`)}`;
}
