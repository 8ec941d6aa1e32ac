import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { field, pager, panel, table, textArea } from '../look/parts.ts';
import { badge, date, foreign, instant } from '../look/values.ts';
import { who } from '../look/who.ts';
import type { Visit } from '../visit.ts';
import { ageOf, differenceOf, type Item, itemLink, kindTitle, statusBadge, whatOf } from './item-words.ts';

const listed_max = 10;
const counted_max = 50;

/** Closing days, and undoing it. */
export function periodPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/periods', (c) => showPeriods(c.var.visit));

  addForm(app, '/companies/:company_id/periods', showPeriods, async (visit, form) => {
    const data = { closed_through: textOf(form, 'closed_through') };
    const result = await visit.call('reconciliation.periods.close', { data });
    if (result.type === 'reconciliation_approval') return waiting(visit, result.id);
    const notice = `Closed through ${result.closed_through}: ${result.frozen} items frozen, ${result.open_breaks} breaks stay open.`;
    return { to: visit.path('/periods'), notice };
  });

  addForm(app, '/companies/:company_id/periods/:id/reopen', showPeriods, async (visit, form, { id }) => {
    const call = { parameters: { id }, data: { note: textOf(form, 'note') || null } };
    const result = await visit.call('reconciliation.periods.reopen', call);
    if (result !== undefined) return waiting(visit, result.id);
    return { to: visit.path('/periods'), notice: 'The period is open again.' };
  });
}

function waiting(visit: Visit, id: string) {
  return { to: visit.path(`/approvals/${id}`), notice: 'A second person has to approve it first.' };
}

/** The last day of the month before, unless it is closed. */
function proposed(now_ms: number, newest: { readonly closed_through: string } | undefined): string {
  const now = new Date(now_ms);
  const month_end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString().slice(0, 10);
  return newest !== undefined && newest.closed_through >= month_end ? '' : month_end;
}

async function showPeriods(visit: Visit): Promise<Response> {
  const { items, next } = await visit.call('reconciliation.periods.list', { options: visit.paged({}, 25) });
  const day = visit.typed('closed_through', visit.query.get('closed_through'));
  const through = String(day.value ?? '');
  const is_date = /^\d{4}-\d\d-\d\d$/.test(through);
  const newest = items.find(({ status }) => status !== 'reopened');
  return await visit.page({
    title: 'Periods',
    nav: 'periods',
    content: html`${when(visit.may('reconciliation.periods.close'), () =>
      panel(
        'Close days',
        html`<form class="filters" action="${visit.path('/periods')}" aria-label="Look before you close">
${field({ ...day, label: 'Close all days through', type: 'date', value: through || proposed(visit.now_ms, newest), required: true })}
<button class="second">Look first</button></form>`,
      ),
    )}${is_date ? await preview(visit, through) : ''}${panel(
      'Closed periods',
      html`${table({
        caption: 'Periods, the newest first',
        columns: [
          { title: 'Through', cell: ({ closed_through }) => date(closed_through) },
          { title: 'Status', cell: ({ status }) => badge(status, status === 'closed' ? 'ok' : 'quiet') },
          { title: 'Frozen', kind: 'number', cell: ({ frozen }) => frozen },
          { title: 'Open breaks', kind: 'number', cell: ({ open_breaks }) => open_breaks },
          { title: 'Closed', cell: (one) => html`${instant(one.closed_at)} by ${who(visit, one.closed_by)}` },
          {
            title: 'Reopened',
            cell: (one) =>
              one.reopened_at === null
                ? ''
                : html`${instant(one.reopened_at)} by ${who(visit, one.reopened_by)}${when(one.reopened_note, (note) => html`: ${foreign(note)}`)}`,
          },
        ],
        rows: items,
        empty: 'No period was closed yet.',
      })}${when(newest?.status === 'closed' && visit.may('reconciliation.periods.reopen') ? newest : null, ({ id, closed_through }) => reopening(visit, id, closed_through))}${pager({ query: new URLSearchParams() }, visit.path('/periods'), next)}`,
    )}`,
  });
}

function reopening(visit: Visit, id: string, closed_through: string): Content {
  return html`<details><summary>Reopen the period through ${date(closed_through)}</summary>
<form method="post" action="${visit.path(`/periods/${id}/reopen`)}">${visit.csrf}
${textArea({ name: 'note', label: 'Why', rows: 2, maxlength: 1000 })}
<button class="danger">Reopen the period</button></form></details>`;
}

/** What a closing would freeze, and what stays open. */
async function preview(visit: Visit, through: string): Promise<Content> {
  const list = (status: Item['status'], dates: 'settlement_date' | 'booking_date') =>
    visit.call('reconciliation.items.list', {
      options: { limit: counted_max, filter: { status, [dates]: [null, through] } },
    });
  const found = async (statuses: readonly Item['status'][]) => {
    const pages = [];
    for (const status of statuses) {
      for (const dates of ['settlement_date', 'booking_date'] as const) pages.push(await list(status, dates));
    }
    const items = new Map(pages.flatMap((page) => page.items.map((item) => [item.id, item] as const)));
    return {
      items: [...items.values()].filter(({ period_id }) => period_id === null),
      has_more: pages.some(({ next }) => next !== null),
    };
  };
  const frozen = await found(['matched', 'accepted', 'ignored']);
  const open = await found(['break', 'proposed', 'awaiting']);
  const waits = await visit.call('reconciliation.approvals.list', {
    options: { limit: 50, filter: { status: 'pending' } },
  });
  const countOf = ({ items, has_more }: typeof open) => (has_more ? `${items.length} or more` : `${items.length}`);
  return panel(
    html`If you close through ${date(through)}`,
    html`<ul>
<li><strong>${countOf(frozen)}</strong> items are frozen: they are matched, accepted or ignored, and do not change any more.</li>
<li><strong>${countOf(open)}</strong> items stay open, and can be decided later.</li>
${when(waits.items.length > 0, () => html`<li><a href="${visit.path('/approvals')}"><strong>${waits.items.length}</strong> ${waits.items.length === 1 ? 'act waits' : 'acts wait'} for a second person</a>: nothing of it changes.</li>`)}</ul>
${table({
  caption: 'What stays open',
  columns: [
    { title: 'Item', cell: ({ id }) => itemLink(visit, id) },
    { title: 'Status', cell: ({ status, kind }) => html`${statusBadge(status)} ${kindTitle(kind)}` },
    { title: 'What', cell: whatOf },
    { title: 'Age', cell: ageOf },
    { title: 'Difference', kind: 'number', cell: differenceOf },
  ],
  rows: open.items.slice(0, listed_max),
  empty: 'Nothing stays open.',
})}
<form method="post" action="${visit.path('/periods')}">${visit.csrf}<input type="hidden" name="closed_through" value="${through}">
<button>Close through ${date(through)}</button></form>`,
    { id: 'preview' },
  );
}
