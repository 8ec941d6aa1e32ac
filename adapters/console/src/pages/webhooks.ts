import { Temporal, toInstantText } from '@tallystick/kernel';
import type { EventType, Webhook, WebhookOverview } from '@tallystick/operations/resources';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { livePart, secondsUntil } from '../look/live.ts';
import { choice, facts, field, fieldError, link, panel, table, tick } from '../look/parts.ts';
import { badge, dash, foreign, instant, instantText } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import { deliveriesOf } from './deliveries.ts';

/** The webhooks of a company: which fail, what waits for them, and what can be done about it. */
export function webhookPages(app: ConsoleApp): void {
  const all = '/companies/:company_id/webhooks';
  const one = `${all}/:id{[0-9]+}` as const;
  app.get(all, (c) => listPage(c.var.visit));
  app.get(`${all}/new`, (c) => editPage(c.var.visit, {}));
  app.get(one, (c) => webhookPage(c.var.visit, c.req.param()));
  app.get(`${one}/edit`, (c) => editPage(c.var.visit, c.req.param()));
  app.get(`${one}/rotate`, (c) =>
    confirmPage(c.var.visit, c.req.param('id'), {
      title: 'Replace the secret',
      text: 'The webhook gets a new secret, which is shown once. For 24 hours deliveries also bear the signature of the old one, so that the receiver can be changed without a gap.',
      button: 'Replace the secret',
    }),
  );
  app.get(`${one}/delete`, (c) =>
    confirmPage(c.var.visit, c.req.param('id'), {
      title: 'Delete the webhook',
      text: 'Its deliveries are deleted with it, also those that wait. Events stay. To stop deliveries for a while, pause the webhook instead.',
      button: 'Delete the webhook',
      is_danger: true,
    }),
  );

  addForm(
    app,
    `${all}/new`,
    (visit) => editPage(visit, {}),
    async (visit, form) => {
      const data = { callback_url: textOf(form, 'callback_url'), ...changesOf(form) };
      return await secretPage(visit, secretOf(await visit.call('webhooks.create', { data })));
    },
  );

  addForm(app, `${one}/edit`, editPage, async (visit, form, { id }) => {
    visit.refuseStale(form, changeable(await visit.call('webhooks.read', { parameters: { id } })));
    await visit.call('webhooks.update', { parameters: { id }, data: changesOf(form) });
    return { to: visit.path(`/webhooks/${id}`), notice: 'The webhook was changed.' };
  });

  addForm(app, `${one}/rotate`, webhookPage, async (visit, _, { id }) =>
    secretPage(visit, secretOf(await visit.call('webhooks.rotateSecret', { parameters: { id } }))),
  );

  addForm(app, `${one}/delete`, webhookPage, async (visit, _, { id }) => {
    await visit.call('webhooks.delete', { parameters: { id } });
    return { to: visit.path('/webhooks'), notice: `Webhook ${id} was deleted.` };
  });

  for (const act of ['test', 'pause', 'enable', 'recover'] as const) {
    addForm(app, `${one}/${act}`, webhookPage, async (visit, form, { id }) => {
      return { to: visit.path(`/webhooks/${id}`), notice: await actOn(visit, id, act, form) };
    });
  }
}

/** Does one of the small acts of a webhook's page, and returns what is said about it. */
async function actOn(
  visit: Visit,
  id: string,
  act: 'test' | 'pause' | 'enable' | 'recover',
  form: FormData,
): Promise<string> {
  const parameters = { id };
  if (act === 'test') {
    const { status, error } = await visit.call('webhooks.test', { parameters });
    if (status === 0) return `The test event had no answer: ${error}`;
    return `The test event was answered with status ${status}${status >= 200 && status <= 299 ? '' : ', which is a failure'}.`;
  }
  if (act === 'recover') {
    const since = sinceOf(form);
    const { recovered } = await visit.call('webhooks.deliveries.recover', { parameters, data: { since } });
    if (recovered === 0) return 'No delivery has failed since then. What waits is tried again by itself.';
    return `${recovered === 1 ? '1 delivery is' : `${recovered} deliveries are`} sent again.`;
  }
  const status = act === 'pause' ? 'inactive' : 'active';
  await visit.call('webhooks.update', { parameters, data: { status } });
  return status === 'active' ? 'The webhook is active: what waited is sent.' : 'The webhook is paused.';
}

async function listPage(visit: Visit): Promise<Response> {
  const states = (failing: boolean) =>
    visit.call('webhooks.states.list', { options: { limit: 50, filter: { failing } } });
  const [failing, others, types] = await Promise.all([states(true), states(false), visit.call('events.types.list')]);
  const listed = (caption: string, rows: readonly WebhookOverview[], empty: string): Content =>
    table({
      caption,
      columns: [
        {
          title: 'Webhook',
          cell: (one) =>
            html`${link(visit.path(`/webhooks/${one.id}`), foreign(one.callback_url))}<div class="quiet">${typeNames(one.event_type_ids, types)}</div>`,
        },
        { title: 'State', cell: stateBadge },
        { title: 'Failing since', cell: ({ failing_since }) => instant(failing_since) },
        { title: 'Next attempt', cell: nextAttempt },
        { title: 'Newest deliveries', cell: recentOf },
      ],
      rows,
      empty,
    });
  return await visit.page({
    title: 'Webhooks',
    nav: 'webhooks',
    beside: html`${when(visit.may('decisionEndpoint.read'), () => html`<a class="button second" href="${visit.path('/decision-endpoint')}">Decision endpoint</a>`)}${when(visit.may('portalLinks.create'), () => html`<a class="button second" href="${visit.path('/portal-link')}">Portal link</a>`)}${when(visit.may('webhooks.create'), () => html`<a class="button" href="${visit.path('/webhooks/new')}">New webhook</a>`)}`,
    content: livePart(
      visit,
      'webhooks',
      {
        on: 'event',
        every_s: secondsUntil(visit, ...[...failing.items, ...others.items].map(dueAt)),
      },
      html`${when(failing.items.length > 0, () => panel('Failing', listed('Failing webhooks', failing.items, '')))}${panel(
        failing.items.length > 0 ? 'Others' : 'All webhooks',
        listed(
          'Webhooks that do not fail',
          others.items,
          failing.items.length > 0 ? 'There is no other webhook.' : 'There is no webhook. Events wait to be fetched.',
        ),
      )}${when(others.items.length === 0 ? visit.ports.trial?.endpointOf('webhooks.test') : null, () => html`<p class="quiet">For one that works, run <code>npm run listen</code>.</p>`)}`,
    ),
  });
}

async function webhookPage(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const [webhook, { items: states }, types] = await Promise.all([
    visit.call('webhooks.read', { parameters: { id } }),
    visit.call('webhooks.states.list', { options: { limit: 100 } }),
    visit.call('events.types.list'),
  ]);
  const state = states.find((one) => one.id === id);
  const may_change = visit.may('webhooks.update');
  return await visit.page({
    title: `Webhook ${id}`,
    nav: 'webhooks',
    trail: [],
    content: livePart(
      visit,
      'webhook',
      { on: 'event', every_s: secondsUntil(visit, state === undefined ? null : dueAt(state)) },
      html`${panel(
        'Settings',
        html`${facts([
          ['Callback URL', foreign(webhook.callback_url)],
          ['State', state === undefined ? badge(webhook.status) : stateBadge(state)],
          ['Events', typeNames(webhook.event_type_ids, types)],
          ...(state === undefined ? [] : healthFacts(state)),
        ])}${when(may_change, () => actions(visit, webhook))}`,
      )}${when(may_change && state !== undefined, () => recoverPanel(visit, state!))}${await deliveriesOf(visit, id, state)}`,
    ),
  });
}

function healthFacts(state: WebhookOverview): readonly (readonly [string, Content])[] {
  const { failures_in_a_row, failing_since, backlog } = state;
  return [
    ['Failed attempts in a row', failures_in_a_row],
    ['First of them', instant(failing_since)],
    ['Waiting deliveries', backlog === 1_000 ? '1,000 or more' : backlog],
    ['Next attempt', nextAttempt(state)],
    ['Newest deliveries', recentOf(state)],
  ];
}

function actions(visit: Visit, { id, status }: Webhook): Content {
  const at = (path: string): string => visit.path(`/webhooks/${id}${path}`);
  const post = (path: string, label: string): Content =>
    html`<form method="post" action="${at(path)}">${visit.csrf}<button class="second">${label}</button></form>`;
  return html`<div class="actions">${post('/test', 'Send a test event')}${status === 'active' ? post('/pause', 'Pause') : post('/enable', 'Enable')}
<a class="button second" href="${at('/edit')}">Change</a><a class="button second" href="${at('/rotate')}">Replace the secret</a><a class="button danger" href="${at('/delete')}">Delete</a></div>`;
}

/** Sends again what has failed since a time. The times that people mean can be chosen. */
function recoverPanel(visit: Visit, { id, failing_since }: WebhookOverview): Content {
  const { now_ms } = visit;
  const moments: (readonly [string, string])[] = [
    ...(failing_since === null
      ? []
      : [[failing_since, `It began to fail: ${instantText(new Date(failing_since))}`] as const]),
    ...(['PT12H', 'PT0H'] as const).map((time) => {
      const at = lastTimeOfDay(now_ms, time);
      return [at, `${time === 'PT12H' ? 'Noon' : 'Midnight'}: ${instantText(new Date(at))}`] as const;
    }),
    [toInstantText(now_ms - 3_600_000), 'One hour ago'],
    [toInstantText(now_ms - 7 * 86_400_000), 'One week ago'],
  ];
  return panel(
    'Send again what failed',
    html`<p class="quiet">A delivery has failed when its attempts are used up. What waits is tried again by itself.</p>
<form method="post" action="${visit.path(`/webhooks/${id}/recover`)}">${visit.csrf}<div class="filters">
${choice({ name: 'since', label: 'Failed since', of: moments })}
${field({ name: 'at', label: 'Or since (UTC)', type: 'datetime-local' })}
<button>Send again</button></div></form>`,
    { id: 'recover' },
  );
}

function sinceOf(form: FormData): string {
  const at = String(form.get('at') ?? '');
  if (at === '') return String(form.get('since'));
  return `${at.length === 16 ? `${at}:00` : at}Z`;
}

/** The last instant before now, of this time of the day in UTC. */
function lastTimeOfDay(now_ms: number, time: string): string {
  const now = Temporal.Instant.fromEpochMilliseconds(now_ms).toZonedDateTimeISO('UTC');
  const today = now.startOfDay().add(time);
  const last = Temporal.ZonedDateTime.compare(today, now) <= 0 ? today : today.subtract({ days: 1 });
  return toInstantText(last.epochMilliseconds);
}

/** A webhook to change, or a new one. */
async function editPage(visit: Visit, { id }: { readonly id?: string }): Promise<Response> {
  const { problem } = visit;
  const [webhook, types] = await Promise.all([
    id === undefined ? null : visit.call('webhooks.read', { parameters: { id } }),
    visit.call('events.types.list'),
  ]);
  const sent = problem?.sent.has('form_token') === true ? problem.sent : null;
  const chosen = sent?.getAll('type').map(Number) ?? webhook?.event_type_ids ?? [];
  return await visit.page({
    title: id === undefined ? 'New webhook' : `Change webhook ${id}`,
    nav: 'webhooks',
    trail: [],
    content: panel(
      'What is sent, and where',
      html`<form method="post" action="${visit.path(id === undefined ? '/webhooks/new' : `/webhooks/${id}/edit`)}">${webhook === null ? visit.csrf : visit.changing(changeable(webhook))}
${
  webhook === null
    ? field({
        ...visit.typed('callback_url'),
        label: 'Callback URL',
        hint: 'Where events are posted to: https, on a public address. It cannot be changed later.',
        type: 'url',
        required: true,
        maxlength: 2_048,
      })
    : facts([['Callback URL', foreign(webhook.callback_url)]])
}
<fieldset id="field-event_type_ids"><legend>Events</legend><p class="hint">Within a company each type is on one webhook only.</p>
${fieldError('event_type_ids', problem?.of('event_type_ids'))}
${types.map(({ id: type, name }) => tick('type', name === 'all' ? 'all events' : name, { id: `type-${type}`, value: String(type), checked: chosen.includes(type) }))}</fieldset>
${tick('active', 'Active: events are sent', { checked: sent?.has('active') ?? webhook?.status !== 'inactive' })}
<button>${id === undefined ? 'Create the webhook' : 'Save'}</button></form>`,
    ),
  });
}

/** What the form of a webhook changes, all at once. */
function changeable({ event_type_ids, status }: Webhook) {
  return { event_type_ids, status };
}

function changesOf(form: FormData) {
  const event_type_ids = form.getAll('type').map(Number);
  return { event_type_ids, status: form.has('active') ? 'active' : 'inactive' };
}

interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly is_danger?: boolean;
}

async function confirmPage(visit: Visit, id: string, asked: Confirmation): Promise<Response> {
  const { callback_url } = await visit.call('webhooks.read', { parameters: { id } });
  return await visit.page({
    title: asked.title,
    nav: 'webhooks',
    trail: [[`Webhook ${id}`, visit.path(`/webhooks/${id}`)]],
    content: panel(
      `Webhook ${id}`,
      html`<p>${foreign(callback_url)}</p><p>${asked.text}</p>
<form method="post">${visit.csrf}<div class="actions"><button${asked.is_danger === true ? html` class="danger"` : ''}>${asked.button}</button><a href="${visit.path(`/webhooks/${id}`)}">Back to the webhook</a></div></form>`,
    ),
  });
}

interface ShownSecret {
  /** What has it. */
  readonly of: string;
  readonly path: string;
  readonly url: string;
  readonly secret: string | null;
}

/** No redirect may carry a secret, so the answer to the form is its page. */
export async function secretPage(visit: Visit, { of, path, url, secret }: ShownSecret): Promise<Response> {
  return await visit.page({
    title: `The secret of the ${of}`,
    nav: 'webhooks',
    trail: [],
    content: panel(
      'Copy it now',
      html`<p class="warning">This page shows it only now. Copy it to the receiver.</p>
${facts([
  ['Callback URL', foreign(url)],
  ['Secret', html`<code>${secret}</code>`],
])}<p><a class="button" href="${visit.path(path)}">To the ${of}</a></p>`,
    ),
  });
}

function secretOf({ id, secret, callback_url }: Webhook): ShownSecret {
  return { of: 'webhook', path: `/webhooks/${id}`, url: callback_url, secret };
}

function stateBadge({ status, failing }: Pick<WebhookOverview, 'status' | 'failing'>): Content {
  if (status === 'inactive') return badge('paused');
  return failing ? badge('failing', 'bad') : badge('active', 'ok');
}

/** When the next attempt is or was due; null: nothing is attempted. */
function dueAt({ status, oldest_due_at }: WebhookOverview): string | null {
  return status === 'active' ? oldest_due_at : null;
}

function nextAttempt({ status, oldest_due_at, backlog }: WebhookOverview): Content {
  if (oldest_due_at === null) return dash;
  return status === 'active' ? instant(oldest_due_at) : `${backlog} wait until it is enabled`;
}

function recentOf({ recent: { succeeded, failed, pending } }: WebhookOverview): Content {
  const all = succeeded + failed + pending;
  if (all === 0) return dash;
  const not = [failed > 0 ? `${failed} failed` : [], pending > 0 ? `${pending} waiting` : []].flat();
  return html`${succeeded} of ${all} delivered${not.length === 0 ? '' : `, ${not.join(', ')}`}`;
}

function typeNames(ids: readonly number[], types: readonly EventType[]): Content {
  if (ids.length === 0) return html`<span class="quiet">none</span>`;
  const names = new Map(types.map(({ id, name }) => [id, name === 'all' ? 'all events' : name]));
  return [...new Set(ids)].map((id) => names.get(id) ?? id).join(', ');
}
