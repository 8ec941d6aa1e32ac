import {
  handle_length_max,
  person_name_length_max,
  person_password_length_max,
  person_password_length_min,
  person_roles,
  subject_length_max,
} from '@tallystick/access';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { choice, facts, field, link, pager, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

type Person = Results['operator.people.read'];
type Grant = Person['grants'][number];

/** Rows for further roles in a form, beside those that a person has. */
const spare_rows = 2;

/** Who may use the console. */
export function peoplePages(app: ConsoleApp): void {
  app.get('/people', (c) => showPeople(c.var.visit));
  app.get('/people/:id', (c) => showPerson(c.var.visit, c.req.param()));

  addForm(app, '/people', showPeople, async (visit, form) => {
    const data = { handle: textOf(form, 'handle'), ...fieldsOf(form) };
    const { id, name } = await visit.call('operator.people.create', { data });
    return { to: visit.rootPath(`/people/${id}`), notice: `${name} may use the console now.` };
  });

  addForm(app, '/people/:id', showPerson, async (visit, form, { id }) => {
    visit.refuseStale(form, changeable(await visit.call('operator.people.read', { parameters: { id } })));
    await visit.call('operator.people.update', { parameters: { id }, data: fieldsOf(form) });
    return { to: visit.rootPath(`/people/${id}`), notice: 'The change counts from the next request on.' };
  });

  addForm(app, '/people/:id/status', showPerson, async (visit, form, { id }) => {
    const status = textOf(form, 'status');
    await visit.call('operator.people.update', { parameters: { id }, data: { status } });
    const notice =
      status === 'disabled' ? 'All sessions have ended, and no log-in is possible.' : 'A log-in is possible again.';
    return { to: visit.rootPath(`/people/${id}`), notice };
  });

  addForm(app, '/people/:id/password', showPerson, async (visit, form, { id }) => {
    const password = form.get('password');
    await visit.call('operator.people.setPassword', { parameters: { id }, data: { password } });
    return { to: visit.rootPath(`/people/${id}`), notice: 'The password is set, and all sessions have ended.' };
  });

  addForm(app, '/people/:id/totp', showPerson, async (visit, _, { id }) => {
    const { totp_secret = '', totp_uri = '' } = await visit.call('operator.people.resetTotp', { parameters: { id } });
    return await showPerson(visit, { id }, { totp_secret, totp_uri });
  });

  addForm(app, '/people/:id/end-sessions', showPerson, async (visit, _, { id }) => {
    await visit.call('operator.people.endSessions', { parameters: { id } });
    return { to: visit.rootPath(`/people/${id}`), notice: 'All sessions have ended.' };
  });
}

async function showPeople(visit: Visit): Promise<Response> {
  const { items, next } = await visit.call('operator.people.list', { options: visit.paged() });
  return await visit.page({
    title: 'People',
    nav: 'people',
    content: html`${panel(
      'Who may use the console',
      html`${table({
        caption: 'People, the newest first',
        columns: [
          { title: 'Name', cell: ({ id, name }) => link(visit.rootPath(`/people/${id}`), foreign(name)) },
          { title: 'Handle', cell: ({ handle }) => handle },
          { title: 'Roles', cell: ({ grants }) => grantsList(grants) },
          { title: 'Logs in by', cell: logsInBy },
          { title: 'Status', cell: statusBadge },
        ],
        rows: items,
        empty: 'Nobody was created yet.',
      })}${pager(visit, visit.rootPath('/people'), next)}`,
    )}${when(visit.may('operator.people.create'), () =>
      panel(
        'Create a person',
        html`<form method="post" action="${visit.rootPath('/people')}">${visit.csrf}
${field({ ...visit.typed('handle'), label: 'Handle', hint: 'For the log-in, and in histories: a-z, 0-9, ".", "_", "-". It never changes.', maxlength: handle_length_max, required: true })}
${personFields(visit, null)}<button>Create</button></form>`,
      ),
    )}`,
  });
}

/** `totp`: the secret that only this answer shows. */
async function showPerson(
  visit: Visit,
  { id }: { readonly id: string },
  totp?: { readonly totp_secret: string; readonly totp_uri: string },
): Promise<Response> {
  const person = await visit.call('operator.people.read', { parameters: { id } });
  const at = (path: string) => visit.rootPath(`/people/${id}${path}`);
  const acts = visit.may('operator.people.update');
  return await visit.page({
    title: person.name,
    nav: 'people',
    trail: [],
    content: html`${when(totp, ({ totp_secret, totp_uri }) =>
      panel(
        'The secret for an app of codes',
        html`<p>It is shown only now. Type it into the app of the person, or open the address there.</p>
${facts([
  ['Secret', html`<code>${totp_secret.match(/.{1,4}/g)?.join(' ') ?? ''}</code>`],
  ['Address', html`<code>${totp_uri}</code>`],
])}`,
      ),
    )}${panel(
      'Person',
      facts([
        ['Handle', person.handle],
        ['Status', statusBadge(person)],
        ['Roles', grantsList(person.grants)],
        ['Logs in by', logsInBy(person)],
        ['Issuer', foreign(person.issuer)],
        ['Subject', foreign(person.subject)],
        ['Created', instant(person.created_at)],
        [
          'Histories',
          html`<a href="${visit.rootPath(`/audit?actor=${encodeURIComponent(`person:${person.handle}`)}`)}">what ${foreign(person.handle)} did</a>`,
        ],
      ]),
    )}${when(
      acts,
      () =>
        html`${panel(
          'Change',
          html`<form method="post" action="${at('')}">${visit.changing(changeable(person))}${personFields(visit, person)}<button>Save</button></form>`,
        )}${panel(
          'Log-in by password',
          html`<form method="post" action="${at('/password')}">${visit.csrf}
${field({ name: 'password', error: visit.problem?.of('password'), label: 'New password', type: 'password', hint: `At least ${person_password_length_min} characters. All sessions end.`, autocomplete: 'new-password', maxlength: person_password_length_max, required: true })}
<button class="second">Set the password</button></form>
<form method="post" action="${at('/totp')}">${visit.csrf}
<p class="hint">A log-in by password also needs a code of an app. A new secret replaces the one before, and all sessions end.</p>
<button class="second">Make a new secret</button></form>`,
        )}${panel(
          'Access',
          html`<div class="actions"><form method="post" action="${at('/end-sessions')}">${visit.csrf}<button class="second">End all sessions</button></form>
<form method="post" action="${at('/status')}">${visit.csrf}<input type="hidden" name="status" value="${person.status === 'active' ? 'disabled' : 'active'}">
${person.status === 'active' ? html`<button class="danger">Disable</button>` : html`<button>Enable</button>`}</form></div>`,
        )}`,
    )}`,
  });
}

/** The fields that a creation and a change have in common. */
function personFields(visit: Visit, person: Person | null): Content {
  const grants: readonly (Grant | null)[] = [
    ...(person?.grants ?? []),
    ...Array.from({ length: spare_rows }, () => null),
  ];
  return html`${field({ ...visit.typed('name', person?.name), label: 'Name', maxlength: person_name_length_max, required: true })}
${field({ ...visit.typed('issuer', person?.issuer), label: 'Issuer (optional)', hint: 'The OpenID provider at which the person logs in, as its tokens name it.', maxlength: subject_length_max })}
${field({ ...visit.typed('subject', person?.subject), label: 'Subject (optional)', hint: 'Who the person is there. A log-in that is not registered shows both.', maxlength: subject_length_max })}
<fieldset><legend>Roles</legend>${grants.map(
    (grant, at) =>
      html`<div class="columns">${choice({
        ...visit.typed(`role_${at}`, grant?.role),
        label: `Role ${at + 1}`,
        error: visit.problem?.of(`grants[${at}].role`),
        of: [['', 'none'], ...person_roles.map((role) => [role, role] as const)],
      })}${field({
        ...visit.typed(`company_${at}`, grant?.company_id),
        label: `Company of role ${at + 1}`,
        hint: 'Its id; empty: all companies.',
        error: visit.problem?.of(`grants[${at}].company_id`),
        inputmode: 'numeric',
        maxlength: 15,
      })}</div>`,
  )}</fieldset>`;
}

/** What the form of a person changes, all at once. */
function changeable({ name, issuer, subject, grants }: Person) {
  return { name, issuer, subject, grants };
}

function fieldsOf(form: FormData) {
  const rows = [...form.keys()].flatMap((name) => /^role_(\d{1,3})$/.exec(name)?.[1] ?? []);
  return {
    name: textOf(form, 'name'),
    issuer: textOf(form, 'issuer') || null,
    subject: textOf(form, 'subject') || null,
    grants: rows
      .filter((at) => textOf(form, `role_${at}`) !== '')
      .map((at) => ({ role: textOf(form, `role_${at}`), company_id: textOf(form, `company_${at}`) || null })),
  };
}

/** Roles with their companies, in words. */
export function grantsList(
  grants: readonly { readonly role: string; readonly company_id: Grant['company_id'] }[],
): Content {
  if (grants.length === 0) return badge('no role', 'warn');
  return grants.map(
    ({ role, company_id }, at) =>
      html`${at > 0 ? ', ' : ''}${role} (${company_id === null ? 'all companies' : `company ${company_id}`})`,
  );
}

function logsInBy({ subject, has_password, has_totp }: Person): Content {
  const ways = [...(subject === null ? [] : ['provider']), ...(has_password && has_totp ? ['password and code'] : [])];
  if (ways.length > 0) return ways.join(', ');
  return badge(has_password ? 'codes are missing' : 'nothing yet', 'warn');
}

function statusBadge({ status }: Person): Content {
  return badge(status, status === 'active' ? 'ok' : 'quiet');
}
