import { rate_limit_max, roles } from '@tallystick/access';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf, wholeOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { choice, facts, field, link, pager, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

type Key = Results['operator.keys.read'];

const role_titles: Readonly<Record<(typeof roles)[number], string>> = {
  client: 'client: a company’s own cards, events, webhooks and reconciliation',
  network: 'network: authorizations and clearings of the card network',
  bank: 'bank: the systems of the bank',
  operator: 'operator: companies, keys and what happens in all of them',
};

/** The keys of programs. */
export function keyPages(app: ConsoleApp): void {
  app.get('/keys', (c) => showKeys(c.var.visit));
  app.get('/keys/:id', (c) => showKey(c.var.visit, c.req.param()));

  addForm(app, '/keys', showKeys, async (visit, form) => {
    const data = { role: textOf(form, 'role'), company_id: textOf(form, 'company_id') || null, ...fieldsOf(form) };
    const { id, key } = await visit.call('operator.keys.create', { data });
    return await showKey(visit, { id }, key);
  });

  addForm(app, '/keys/:id', showKey, async (visit, form, { id }) => {
    visit.refuseStale(form, changeable(await visit.call('operator.keys.read', { parameters: { id } })));
    await visit.call('operator.keys.update', { parameters: { id }, data: fieldsOf(form) });
    return { to: visit.rootPath(`/keys/${id}`), notice: 'The key is changed. Servers know it within two seconds.' };
  });

  addForm(app, '/keys/:id/revoke', showKey, async (visit, _, { id }) => {
    await visit.call('operator.keys.revoke', { parameters: { id } });
    return { to: visit.rootPath(`/keys/${id}`), notice: 'The key is revoked. Servers refuse it within two seconds.' };
  });
}

async function showKeys(visit: Visit): Promise<Response> {
  const company_id = visit.query.get('company_id') || undefined;
  const options = visit.paged(company_id === undefined ? {} : { company_id });
  const { items, next } = await visit.call('operator.keys.list', { options });
  return await visit.page({
    title: 'API keys',
    nav: 'keys',
    content: html`<form class="filters" action="${visit.rootPath('/keys')}" aria-label="Filter">
${field({ name: 'company_id', id: 'filter', label: 'Company', value: company_id, inputmode: 'numeric', maxlength: 15 })}<button class="second">Filter</button></form>
${panel(
  'Keys of programs',
  html`${table({
    caption: 'API keys, the newest first',
    columns: [
      { title: 'Name', cell: ({ id, name }) => link(visit.rootPath(`/keys/${id}`), foreign(name)) },
      { title: 'Role', cell: ({ role }) => role },
      { title: 'Company', cell: companyOf },
      { title: 'State', cell: (key) => stateOf(visit, key) },
      { title: 'Last used', cell: ({ last_used_at }) => instant(last_used_at) },
    ],
    rows: items,
    empty: 'There are no keys.',
  })}${pager(visit, visit.rootPath('/keys'), next)}`,
)}${when(visit.may('operator.keys.create'), () =>
  panel(
    'Create a key',
    html`<form method="post" action="${visit.rootPath('/keys')}">${visit.csrf}
${choice({ ...visit.typed('role', 'client'), label: 'Role', of: roles.map((role) => [role, role_titles[role]] as const) })}
${field({ ...visit.typed('company_id', company_id), label: 'Company', hint: 'Its id. Needed for client, possible for bank.', inputmode: 'numeric', maxlength: 15 })}
${keyFields(visit, null)}<button>Create</button></form>`,
  ),
)}`,
  });
}

/** `text`: that of the key, which only the answer to its creation shows. */
async function showKey(visit: Visit, { id }: { readonly id: string }, text?: string): Promise<Response> {
  const key = await visit.call('operator.keys.read', { parameters: { id } });
  const is_open = key.revoked_at === null;
  return await visit.page({
    title: key.name,
    nav: 'keys',
    trail: [],
    content: html`${when(text, (shown) =>
      panel(
        'The text of the key',
        html`<p>It is shown only now: copy it to the program that needs it.</p><p><code>${shown}</code></p>`,
      ),
    )}${panel(
      'Key',
      facts([
        ['Role', role_titles[key.role]],
        ['Company', companyOf(key)],
        ['State', stateOf(visit, key)],
        ['Requests must be signed', key.signed ? 'yes' : 'no'],
        ['Requests per minute', key.rate_limit_per_minute ?? 'the default of the server'],
        ['Created', instant(key.created_at)],
        ['Last used', instant(key.last_used_at)],
        ['Ends', key.expires_at === null ? 'never' : instant(key.expires_at)],
        [
          'Histories',
          html`<a href="${visit.rootPath(`/audit?actor=${encodeURIComponent(`key:${id}`)}`)}">what was done with it</a>`,
        ],
      ]),
    )}${when(
      is_open && visit.may('operator.keys.update'),
      () =>
        html`${panel(
          'Change',
          html`<form method="post" action="${visit.rootPath(`/keys/${id}`)}">${visit.changing(changeable(key))}${keyFields(visit, key)}<button>Save</button></form>`,
        )}${panel(
          'Revoke',
          html`<form method="post" action="${visit.rootPath(`/keys/${id}/revoke`)}">${visit.csrf}
<p>The program that uses it is refused within two seconds, for good.</p><button class="danger">Revoke the key</button></form>`,
        )}`,
    )}`,
  });
}

function keyFields(visit: Visit, key: Key | null): Content {
  return html`${field({ ...visit.typed('name', key?.name), label: 'Name', hint: 'What the key is for.', maxlength: 255, required: true })}
${field({ ...visit.typed('rate_limit_per_minute', key?.rate_limit_per_minute), label: 'Requests per minute', hint: `1 to ${rate_limit_max}; empty: the default of the server.`, inputmode: 'numeric', maxlength: 7 })}
${field({ ...visit.typed('expires_at', key?.expires_at?.slice(0, 10)), label: 'Ends on', type: 'date', hint: 'At the beginning of this day in UTC; empty: never.' })}`;
}

/** What the form of a key changes, all at once. */
function changeable({ name, rate_limit_per_minute, expires_at }: Key) {
  return { name, rate_limit_per_minute, expires_at };
}

function fieldsOf(form: FormData) {
  const end = textOf(form, 'expires_at');
  return {
    name: textOf(form, 'name'),
    rate_limit_per_minute: wholeOf(form, 'rate_limit_per_minute'),
    expires_at: end === '' ? null : /^\d{4}-\d\d-\d\d$/.test(end) ? `${end}T00:00:00Z` : end,
  };
}

function companyOf({ company_id }: Key): Content {
  return company_id === null ? 'no single one' : String(company_id);
}

function stateOf(visit: Visit, { revoked_at, expires_at }: Key): Content {
  if (revoked_at !== null) return html`${badge('revoked', 'quiet')} ${instant(revoked_at)}`;
  if (expires_at !== null && Date.parse(expires_at) <= visit.now_ms) return badge('ended', 'quiet');
  return badge('active', 'ok');
}
