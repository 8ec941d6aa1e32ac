import { card_account_prefix } from '@tallystick/accounts';
import { applicableRecords, doneRecords, releasable_statement_codes } from '@tallystick/imports';
import { Refusal } from '@tallystick/kernel';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { countText } from '../look/charts.ts';
import { type Content, html, when } from '../look/html.ts';
import { livePart, secondsOf } from '../look/live.ts';
import { choice, facts, field, link, pager, panel, table, textArea } from '../look/parts.ts';
import { badge, dash, date, foreign, instant, money } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import { type HeldStatement, type Import, importBadge, importMeaning, sentence } from './import-words.ts';
import { quarantineTable } from './quarantine.ts';

/** What is held and refused is shown up to here; a link leads to the rest. */
const shown_max = 20;

/** One file: what was applied, what is held and why, and the button that mends it. */
export function importPages(app: ConsoleApp): void {
  app.get('/imports/:id', (c) => importPage(c.var.visit, c.req.param()));

  app.get('/imports/:id/statements', async (c) => {
    const { visit } = c.var;
    const id = c.req.param('id');
    const { status = '' } = c.req.query();
    const filter = status === '' ? {} : { status };
    const [found, { items, next }] = await Promise.all([
      visit.call('operator.imports.read', { parameters: { id } }),
      visit.call('operator.imports.statements', { parameters: { id }, options: visit.paged(filter) }),
    ]);
    const path = visit.rootPath(`/imports/${id}/statements`);
    return await visit.page({
      title: 'Statements of the file',
      nav: 'imports',
      trail: [[found.name, visit.rootPath(`/imports/${id}`)]],
      content: html`<form class="filters" action="${path}">${choice({
        name: 'status',
        label: 'Status',
        value: status,
        of: [
          ['', 'any'],
          ['held', 'held'],
          ['applied', 'applied'],
          ['recording', 'being recorded'],
          ['staged', 'to be checked'],
        ],
      })}<button class="second">Filter</button></form>
${statementsTable(items)}${pager(visit, path, next)}`,
    });
  });

  app.get('/imports/:id/quarantine', async (c) => {
    const { visit } = c.var;
    const id = c.req.param('id');
    const [found, { items, next }] = await Promise.all([
      visit.call('operator.imports.read', { parameters: { id } }),
      visit.call('operator.imports.quarantine', { parameters: { id }, options: visit.paged() }),
    ]);
    return await visit.page({
      title: 'Records in quarantine',
      nav: 'imports',
      trail: [[found.name, visit.rootPath(`/imports/${id}`)]],
      content: html`${quarantineTable(visit, items, id)}${pager(visit, visit.rootPath(`/imports/${id}/quarantine`), next)}`,
    });
  });

  const addAct = (act: 'release' | 'replay' | 'account', work: Work): void =>
    addForm(app, `/imports/:id/${act}`, importPage, async (visit, form, { id }) => {
      return { to: visit.rootPath(`/imports/${id}`), notice: await work(visit, form, id) };
    });

  addAct('release', async (visit, form, id) => {
    const data = { note: textOf(form, 'note') || undefined, ...statementOf(form) };
    const { status } = await visit.call('operator.imports.release', { parameters: { id }, data });
    return status === 'held' ? 'It was released, and is held again for another reason.' : 'It was released.';
  });

  addAct('replay', async (visit, form, id) => {
    const call = { parameters: { id }, data: statementOf(form) };
    const { quarantined, held } = await visit.call('operator.imports.replay', call);
    if (quarantined === 0 && held === 0) return 'Everything of the file is applied now.';
    return `It was tried again. What is left: ${countText(quarantined)} records in quarantine, ${countText(held)} held lines.`;
  });

  addAct('account', async (visit, form, id) => {
    const number = textOf(form, 'number');
    const kind = number.startsWith(card_account_prefix) ? 'card' : 'deposit';
    const currency = textOf(form, 'currency').toUpperCase();
    await visit.call('bank.accounts.create', {
      data: { company_id: textOf(form, 'company_id'), number, currency, kind },
    });
    const { held } = await visit.call('operator.imports.replay', { parameters: { id }, data: {} }).catch(leftToJob);
    if (held === 0) return 'The account is created, and its statements are applied.';
    return 'The account is created. Its statements are applied by themselves, unless something else holds them.';
  });
}

/** Does something with an import. Returns what was done. */
type Work = (visit: Visit, form: FormData, id: string) => Promise<string>;

/** A job applies what an account was missing for, and may have done so already. */
function leftToJob(error: unknown): { readonly held: null } {
  if (error instanceof Refusal) return { held: null };
  throw error;
}

/** The statement that a form names; none: the whole file. */
function statementOf(form: FormData): { readonly statement?: number } {
  const text = textOf(form, 'statement');
  return text === '' ? {} : { statement: Number(text) };
}

async function importPage(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const [found, statements, quarantine] = await Promise.all([
    visit.call('operator.imports.read', { parameters: { id } }),
    visit.call('operator.imports.statements', {
      parameters: { id },
      options: { filter: { status: 'held' }, limit: shown_max },
    }),
    visit.call('operator.imports.quarantine', { parameters: { id }, options: { limit: shown_max } }),
  ]);
  const path = visit.rootPath(`/imports/${id}`);
  const every_s = secondsOf(found.status === 'running');
  return await visit.page({
    title: found.name,
    nav: 'imports',
    trail: [],
    content: livePart(
      visit,
      'import',
      { every_s },
      html`${statePanel(visit, found)}
${heldPanel(visit, found, statements.items, statements.next !== null, await companiesFor(visit, statements.items))}
${when(quarantine.items.length > 0, () =>
  panel(
    'Records in quarantine',
    html`${quarantineTable(visit, quarantine.items, found.id)}${when(quarantine.next, () => html`<p><a href="${path}/quarantine">All records in quarantine</a></p>`)}`,
  ),
)}
${appliedPanel(visit, found)}
${filePanel(found)}`,
    ),
  });
}

/** What became of the file, and what a person can do about it as a whole. */
function statePanel(visit: Visit, found: Import): Content {
  const { status, held, quarantined, statements } = found;
  const is_held_whole = status === 'held' && statements === 0;
  const may_replay =
    visit.may('operator.imports.replay') && status === 'completed_with_quarantine' && held + quarantined > 0;
  return panel(
    'What became of it',
    html`<p>${importBadge(found)} ${importMeaning(found)}</p>${when(status === 'running', () => progressOf(found))}
${when(statements === 0 ? found.problem : null, ({ message }) => html`<p class="warning">${sentence(message)}</p>`)}
${found.warnings.map((warning) => html`<p class="warning">${sentence(warning)}</p>`)}
${when(found.note, (note) => html`<p>Released with the note: ${foreign(note)}</p>`)}
${when(is_held_whole && visit.may('operator.imports.release'), () => releaseForm(visit, found.id, null))}
${when(may_replay, () => html`<form method="post" action="${visit.rootPath(`/imports/${found.id}/replay`)}">${visit.csrf}<button>Try everything again</button></form>`)}
`,
  );
}

/** How far a running import is. While the file is read, nobody knows how many records it has. */
function progressOf(found: Import): Content {
  if (found.phase !== 'applying' && found.phase !== 'recording') {
    return html`<p>${countText(found.records)} records were read so far.</p>`;
  }
  const [done, of] = [doneRecords(found), applicableRecords(found)];
  return html`<p><progress max="${Math.max(1, of)}" value="${done}" aria-label="How much of the file is applied"></progress> ${countText(done)} of ${countText(of)} records</p>`;
}

/** `statement`: the number of one; null: the whole file. */
function releaseForm(visit: Visit, id: string, statement: number | null): Content {
  const { problem } = visit;
  const is_refused = problem !== undefined && (problem.typed('statement') ?? '') === String(statement ?? '');
  return html`<form method="post" action="${visit.rootPath(`/imports/${id}/release`)}">${visit.csrf}
${when(statement, (number) => html`<input type="hidden" name="statement" value="${number}">`)}
${textArea({
  name: 'note',
  id: statement === null ? undefined : `note-${statement}`,
  label: 'Why it may be applied as it is',
  hint: 'The audit log keeps it.',
  value: is_refused ? problem.typed('note') : '',
  error: is_refused ? problem.of('note') : undefined,
  required: true,
  rows: 2,
})}<button class="second">Release</button></form>`;
}

/** The companies that may hold a missing account. Not asked for when no account is missing. */
async function companiesFor(
  visit: Visit,
  held: readonly HeldStatement[],
): Promise<readonly (readonly [id: string, name: string])[]> {
  const is_missing = held.some(({ problem }) => problem !== null && isOfAccount(problem));
  if (!is_missing || !visit.may('bank.accounts.create')) return [];
  const { items } = await visit.call('operator.companies.list', { options: { limit: 50 } });
  return items.map(({ id, name }) => [id, name] as const);
}

function heldPanel(
  visit: Visit,
  found: Import,
  held: readonly HeldStatement[],
  has_more: boolean,
  companies: readonly (readonly [id: string, name: string])[],
): Content {
  if (held.length === 0) return '';
  return panel(
    'Held statements',
    html`<ul class="held">${held.map(
      (
        statement,
      ) => html`<li id="statement-${statement.number}"><h3>Statement ${statement.number} of account ${foreign(statement.account_number)}, ${date(statement.as_of)}</h3>
<p>${sentence(statement.problem?.message)}</p>${remedyOf(visit, found, statement, companies)}</li>`,
    )}</ul>${when(has_more, () => html`<p><a href="${visit.rootPath(`/imports/${found.id}/statements`)}?status=held">All held statements</a></p>`)}`,
  );
}

/** The button that mends a statement: an account, or a release. */
function remedyOf(
  visit: Visit,
  { id }: Import,
  { number, currency, problem: held }: HeldStatement,
  companies: readonly (readonly [id: string, name: string])[],
): Content {
  if (held === null) return '';
  if (isOfAccount(held)) {
    if (companies.length === 0)
      return html`<p class="quiet">A person with the role finance or admin can create the account.</p>`;
    const { problem } = visit;
    const is_refused = problem?.typed('number') === held.waits_for;
    return html`<form class="filters" method="post" action="${visit.rootPath(`/imports/${id}/account`)}">${visit.csrf}
<input type="hidden" name="number" value="${held.waits_for}">
${choice({ name: 'company_id', id: `company-${number}`, label: 'Company that holds it', of: companies, value: is_refused ? problem?.typed('company_id') : undefined })}
${field({ name: 'currency', id: `currency-${number}`, label: 'Currency', value: currency, maxlength: 3, required: true, error: is_refused ? problem?.of('currency') : undefined })}
<button>Create account ${held.waits_for}</button></form>`;
  }
  return releasable_statement_codes.includes(held.code) && visit.may('operator.imports.release')
    ? releaseForm(visit, id, number)
    : '';
}

/** Whether only an account mends the problem. */
function isOfAccount({ code, waits_for }: NonNullable<HeldStatement['problem']>): boolean {
  return waits_for !== null && !releasable_statement_codes.includes(code);
}

function appliedPanel(visit: Visit, found: Import): Content {
  const { applied, duplicates, matched, breaks, quarantined, held, statements, records, other_records } = found;
  const others = Object.entries(other_records).map(([type, count]) => `${type}: ${countText(count)}`);
  const of_kind: readonly (readonly [string, Content])[] =
    statements > 0
      ? [
          ['Statements', link(visit.rootPath(`/imports/${found.id}/statements`), countText(statements))],
          ['Lines applied', countText(applied)],
          ['Lines known before', countText(duplicates)],
          ['Lines held', countText(held)],
        ]
      : [
          ['Clearings applied', countText(applied)],
          ['Known before', countText(duplicates)],
          ['Matched an authorization', countText(matched)],
          ['To be looked at', countText(breaks)],
          [
            'In quarantine',
            quarantined === 0 ? 0 : link(visit.rootPath(`/imports/${found.id}/quarantine`), countText(quarantined)),
          ],
        ];
  return panel(
    'What was applied',
    facts([...of_kind, ['Records of the file', countText(records)], ['Other records', others.join(', ') || dash]]),
  );
}

function filePanel(found: Import): Content {
  const totals = Object.entries(found.control_totals).map(([name, total]) => `${name} ${total}`);
  return panel(
    'The file',
    facts([
      ['Format', html`${found.format}${when(found.read_with, ({ profile }) => html`, profile ${foreign(profile)}`)}`],
      ['Bytes', countText(found.bytes)],
      ['Id in the file', foreign(found.file_id)],
      ['Totals of its trailer', totals.join(', ') || dash],
      ['SHA-256', found.sha256 === null ? dash : html`<code>${found.sha256}</code>`],
      ['Arrived', instant(found.started_at)],
      ['Ended', instant(found.finished_at)],
    ]),
  );
}

function statementsTable(items: readonly HeldStatement[]): Content {
  const tones = { held: 'bad', applied: 'ok', recording: 'info', staged: 'quiet' } as const;
  return table({
    caption: 'Statements, the last of the file first',
    columns: [
      { title: 'Statement', cell: ({ number, account_number }) => html`${number}, account ${foreign(account_number)}` },
      { title: 'Date', cell: ({ as_of }) => date(as_of) },
      { title: 'Status', cell: ({ status }) => badge(status, tones[status]) },
      { title: 'Lines', kind: 'number', cell: ({ lines }) => countText(lines) },
      {
        title: 'Balances',
        kind: 'number',
        cell: ({ opening_balance, closing_balance, currency }) =>
          html`${money(opening_balance, currency)} to ${money(closing_balance, currency)}`,
      },
      { title: 'Why it is held', cell: ({ problem }) => sentence(problem?.message) },
    ],
    rows: items,
    empty: 'The file has no such statement.',
  });
}
