import type { ConsoleApp } from '../console-app.ts';
import { html, when } from '../look/html.ts';
import { liveNews } from '../look/live.ts';
import { choice, facts, pager, panel, table } from '../look/parts.ts';
import { exactInstant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

/** The most characters of a state that a page shows. */
const state_length_max = 16_000;

/** The event log of a company: what happened, and the state of the object then. */
export function eventPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/events', (c) => listPage(c.var.visit));
  app.get('/companies/:company_id/events/:id{[0-9]+}', (c) => eventPage(c.var.visit, c.req.param('id')));
}

async function listPage(visit: Visit): Promise<Response> {
  const type = visit.query.get('type') ?? 'all';
  const [{ items, next }, types] = await Promise.all([
    visit.call('events.list', { options: visit.paged(type === 'all' ? {} : { event_type: type }) }),
    visit.call('events.types.list'),
  ]);
  const at = visit.path('/events');
  return await visit.page({
    title: 'Events',
    nav: 'events',
    content: html`<form class="filters" action="${at}">${choice({
      name: 'type',
      label: 'Type',
      value: type,
      of: types.map(({ name }) => [name, name === 'all' ? 'all types' : name]),
    })}<button class="second">Filter</button></form>${liveNews(visit, 'event')}${table({
      caption: 'Events, newest first',
      columns: [
        { title: 'Event', cell: ({ id }) => html`<a href="${at}/${id}">Event\u00a0${id}</a>` },
        { title: 'Type', cell: ({ event_type }) => event_type },
        { title: 'Time', cell: ({ created_at }) => exactInstant(created_at) },
      ],
      rows: items,
      empty:
        type === 'all'
          ? 'There is no event yet. Cards, purchases and clearings make events.'
          : 'There is no event of this type.',
      rowId: ({ id }) => `event-${id}`,
    })}${pager(visit, at, next)}`,
  });
}

async function eventPage(visit: Visit, id: string): Promise<Response> {
  const event = await visit.call('events.read', { parameters: { id } });
  const state = (value: object) => {
    const text = JSON.stringify(value, null, 2);
    return html`<pre tabindex="0">${text.slice(0, state_length_max)}</pre>${when(text.length > state_length_max, () => html`<p class="quiet">The rest is not shown.</p>`)}`;
  };
  return await visit.page({
    title: `Event ${id}`,
    nav: 'events',
    trail: [],
    content: html`${panel(
      'What happened',
      facts([
        ['Type', event.event_type],
        ['Time', exactInstant(event.created_at)],
      ]),
    )}${panel('State after it', state(event.payload))}${when(event.previous, (previous) => panel('State before it', state(previous)))}`,
  });
}
