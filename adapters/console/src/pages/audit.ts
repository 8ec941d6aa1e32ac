import type { Results } from '@tallystick/operations';
import type { ConsoleApp } from '../console-app.ts';
import { fileAnswer } from '../file-answer.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, field, pager, panel, table } from '../look/parts.ts';
import { badge, exactInstant, foreign } from '../look/values.ts';
import { who } from '../look/who.ts';
import type { Visit } from '../visit.ts';

type Entry = Results['operator.audit.list']['items'][number];

const filters = [
  { name: 'actor', label: 'Who', hint: 'anna, key:17, command' },
  { name: 'action', label: 'What', hint: 'card_number.shown' },
  { name: 'object', label: 'On what', hint: 'virtualcard:17' },
  { name: 'company_id', label: 'Company', hint: 'its id' },
] as const;

/** Of the details of an entry, in characters. The files have them whole. */
const shown_length_max = 300;

/** Who did what, and the proof that nobody changed it. */
export function auditPages(app: ConsoleApp): void {
  app.get('/audit', async (c) => {
    const { visit } = c.var;
    const { query } = visit;
    const { items, next } = await visit.call('operator.audit.list', { options: visit.paged(filterOf(query)) });
    const same = textOf(query);
    return await visit.page({
      title: 'Audit log',
      nav: 'audit',
      content: html`<form class="filters" action="${visit.rootPath('/audit')}" aria-label="Filter">
${filters.map(({ name, label, hint }) => field({ name, label, hint, value: query.get(name), maxlength: 255 }))}
${field({ name: 'from', label: 'From', type: 'date', value: query.get('from') })}
${field({ name: 'to', label: 'To', type: 'date', value: query.get('to') })}
<button class="second">Filter</button></form>
${panel(
  'Entries',
  html`${table({
    caption: 'Entries of the audit log, the newest first',
    columns: [
      { title: 'When', cell: ({ at }) => exactInstant(at) },
      {
        title: 'Who',
        cell: ({ actor, source_address }) =>
          html`${link(visit, 'actor', actor, who(visit, actor))}${when(source_address, (address) => html`<br><span class="quiet">${address}</span>`)}`,
      },
      {
        title: 'What',
        cell: ({ action, object, company_id }) =>
          html`${link(visit, 'action', action, breakable(action))}<br>${objectOf(visit, object)}${when(company_id, (id) => html`<br><span class="quiet">company ${id}</span>`)}`,
      },
      { title: 'Details', cell: detailsOf },
    ],
    rows: items,
    empty: 'There are no such entries.',
  })}${pager(visit, visit.rootPath('/audit'), next)}`,
)}${panel(
  'Export',
  html`<p>All entries that fit the filter, of any number.</p>
<p><a href="${visit.rootPath('/audit.csv')}?${same}" download>As a table (CSV)</a>,
<a href="${visit.rootPath('/audit.ndjson')}?${same}" download>as JSON lines (NDJSON)</a></p>
<p>Every entry is chained to the one before it. <a href="${visit.rootPath('/audit/verify')}">Verify that none was changed, removed or inserted</a>.</p>`,
)}`,
    });
  });

  app.get('/audit.csv', (c) => exportEntries(c.var.visit, 'csv'));
  app.get('/audit.ndjson', (c) => exportEntries(c.var.visit, 'ndjson'));

  app.get('/audit/verify', async (c) => {
    const { visit } = c.var;
    const { query } = visit;
    const from_number = query.get('from_number') || undefined;
    const found = await visit.call('operator.audit.verify', { options: { from_number } });
    const counted = Number(query.get('counted') ?? 0) || 0;
    const checked = counted + found.checked;
    const further = `${visit.rootPath('/audit/verify')}?from_number=${found.from_number}&counted=${checked}`;
    return await visit.page({
      title: 'Verify the audit log',
      nav: 'audit',
      trail: [],
      content: html`${panel(
        resultOf(found),
        html`${facts([
          ['Entries checked', checked.toLocaleString('en-US')],
          ['Up to number', found.from_number],
          ['Link of that entry', html`<code>${found.link}</code>`],
          ['Removed after their time', found.removed_number === 0 ? 'none' : `the first ${found.removed_number}`],
        ])}${when(found.finding, ({ kind, number, id, problem, expected }) =>
          facts([
            ['What is wrong', badge(kind, 'bad')],
            ['Where', id === null ? `number ${number}` : `entry ${id}, number ${number}`],
            ['Problem', problem],
            ['Expected', expected],
          ]),
        )}${found.is_whole ? html`<p>Note number and link outside of the database: a later verification on the command line can ask for them (<code class="nowrap">--known</code>).</p>` : html`<p><a class="button" href="${further}">Check the next entries</a></p>`}`,
      )}`,
    });
  });
}

async function exportEntries(visit: Visit, format: 'csv' | 'ndjson'): Promise<Response> {
  const filter = filterOf(visit.query);
  return fileAnswer(visit, await visit.call('operator.audit.export', { options: { filter, format } }));
}

function resultOf({ intact, is_whole }: Results['operator.audit.verify']): string {
  if (!intact) return 'The log is NOT intact';
  return is_whole ? 'The log is intact' : 'Intact so far';
}

/** The filter of the operation. A date is all of its day; without an end the interval is open. */
function filterOf(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const texts = filters.flatMap(({ name }) => {
    const value = query.get(name)?.trim();
    if (!value) return [];
    // A person is shown without the beginning of the actor.
    const is_handle = name === 'actor' && !value.includes(':') && !['command', 'unknown'].includes(value);
    return [[name, is_handle ? `person:${value}` : value] as const];
  });
  const [from, to] = [query.get('from')?.trim() || '', query.get('to')?.trim() || ''];
  const at = from === '' && to === '' ? {} : { at: `[${from},${to}]` };
  return { ...Object.fromEntries(texts), ...at };
}

/** The filter as the query of a link. */
function textOf(query: URLSearchParams): string {
  const names = [...filters.map(({ name }) => name), 'from', 'to'];
  const kept = names.flatMap((name) => (query.get(name) ? [[name, query.get(name)!] as [string, string]] : []));
  return new URLSearchParams(kept).toString();
}

function link(visit: Visit, name: string, value: string, shown: Content): Content {
  return html`<a href="${visit.rootPath(`/audit?${new URLSearchParams({ [name]: value })}`)}">${shown}</a>`;
}

function objectOf(visit: Visit, object: string): Content {
  return /^[a-z_]+:\d+$/.test(object) ? link(visit, 'object', object, breakable(object)) : foreign(object);
}

function detailsOf({ details }: Entry): Content {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return foreign(text.length > shown_length_max ? `${text.slice(0, shown_length_max)}…` : text);
}

/** The name of an action or object, which may break between its words. */
function breakable(name: string): Content {
  return name.split(/(?<=[._:])/).map((part) => html`${part}<wbr>`);
}
