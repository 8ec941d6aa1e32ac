import { addForm, type ConsoleApp } from '../console-app.ts';
import { type Content, html, when } from '../look/html.ts';
import { choice, facts, link, pager, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import { type Quarantined, quarantine_words, sentence } from './import-words.ts';

/** Clearings that were refused and are kept, record by record. */
export function quarantinePages(app: ConsoleApp): void {
  app.get('/quarantine', async (c) => {
    const { visit } = c.var;
    const { status = 'quarantined', reason = '' } = c.req.query();
    const filter = { ...(status === 'all' ? {} : { status }), ...(reason === '' ? {} : { reason }) };
    const { items, next } = await visit.call('operator.quarantine.list', { options: visit.paged(filter) });
    return await visit.page({
      title: 'Quarantine',
      nav: 'quarantine',
      content: html`<p>Clearings that were refused and are kept. Once the cause is gone, try them again.</p>
<form class="filters" action="${visit.rootPath('/quarantine')}">
${choice({
  name: 'status',
  label: 'Status',
  value: status,
  of: [
    ['quarantined', 'in quarantine'],
    ['applied', 'applied later'],
    ['all', 'all'],
  ],
})}
${choice({ name: 'reason', label: 'Reason', value: reason, of: [['', 'any'], ...Object.entries(quarantine_words).map(([name, [why]]) => [name, why] as const)] })}
<button class="second">Filter</button></form>
${quarantineTable(visit, items)}${pager(visit, visit.rootPath('/quarantine'), next)}`,
    });
  });

  app.get('/quarantine/:id', (c) => recordPage(c.var.visit, c.req.param()));

  addForm(app, '/quarantine/:id/replay', recordPage, async (visit, form, { id }) => {
    await visit.call('operator.quarantine.replay', { parameters: { id } });
    const import_id = form.get('import');
    const to = typeof import_id === 'string' ? `/imports/${import_id}` : `/quarantine/${id}`;
    return { to: visit.rootPath(to), notice: `The record ${id} is applied.` };
  });
}

/** The records of a list. `import_id`: those of an import, to which their buttons lead back. */
export function quarantineTable(visit: Visit, items: readonly Quarantined[], import_id?: string): Content {
  return table({
    caption: 'Clearings in quarantine, newest first',
    columns: [
      {
        title: 'Record',
        cell: ({ id, ordinal }) =>
          link(
            visit.rootPath(`/quarantine/${id}`),
            `Record\u00a0${import_id === undefined || ordinal === null ? id : ordinal}`,
          ),
      },
      {
        title: 'Why',
        cell: ({ reason, explanation }) =>
          html`<strong>${quarantine_words[reason][0]}</strong><br>${sentence(explanation)}`,
      },
      {
        title: 'Seen',
        cell: ({ last_seen_at, count }) =>
          html`${instant(last_seen_at)}${when(count > 1, () => html`<br><span class="quiet">${count} times</span>`)}`,
      },
      { title: 'Act', cell: (record) => replayButton(visit, record, import_id) },
    ],
    rows: items,
    empty: 'There is no record in quarantine.',
  });
}

function replayButton(visit: Visit, { id, status }: Quarantined, import_id?: string): Content {
  if (status === 'applied') return badge('applied', 'ok');
  if (!visit.may('operator.quarantine.replay')) return badge('in quarantine', 'warn');
  return html`<form method="post" action="${visit.rootPath(`/quarantine/${id}/replay`)}">${visit.csrf}${when(
    import_id,
    (of) => html`<input type="hidden" name="import" value="${of}">`,
  )}<button class="second">Try again<span class="visually-hidden"> record ${id}</span></button></form>`;
}

async function recordPage(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const record = await visit.call('operator.quarantine.read', { parameters: { id } });
  const { reason, explanation, status, source, import_id, ordinal, position, clearing_id, message } = record;
  const [why, remedy] = quarantine_words[reason];
  return await visit.page({
    title: `Quarantined record ${record.id}`,
    nav: 'quarantine',
    trail: [],
    content: html`${panel(
      why,
      html`<p>${sentence(explanation)}</p>${when(status === 'quarantined', () => html`<p>${remedy}</p>`)}
<div class="actions">${replayButton(visit, record)}</div>`,
    )}${panel(
      'Where it comes from',
      facts([
        ['Source', source === 'file' ? 'A file' : 'A message of the network'],
        ...(import_id === null
          ? []
          : ([
              ['Import', link(visit.rootPath(`/imports/${import_id}`), import_id)],
              ['Record of the file', ordinal],
              ['Place in the file', position],
            ] as const)),
        ['First seen', instant(record.first_seen_at)],
        ['Last seen', instant(record.last_seen_at)],
        ['Times refused', record.count],
        ...(status === 'applied'
          ? ([
              ['Applied', instant(record.applied_at)],
              ['Clearing', clearing_id ?? 'It is no clearing'],
            ] as const)
          : []),
      ]),
    )}${panel(
      'What was sent',
      table({
        caption: 'The fields of the record',
        columns: [
          { title: 'Field', cell: ([name]) => html`<code>${name}</code>` },
          { title: 'Value', cell: ([, value]) => foreign(typeof value === 'string' ? value : JSON.stringify(value)) },
        ],
        is_compact: true,
        rows: Object.entries(message),
        empty: 'Nothing of it could be read.',
      }),
    )}`,
  });
}
