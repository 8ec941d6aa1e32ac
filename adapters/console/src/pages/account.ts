import { person_password_length_max, person_password_length_min } from '@tallystick/access';
import { invalid, Refusal, toInstantText } from '@tallystick/kernel';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { typedTextOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, field, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { LogIn } from '../ports.ts';
import type { Visit } from '../visit.ts';
import { grantsList } from './people.ts';

/** The page of a person about itself. */
export function accountPages(app: ConsoleApp): void {
  app.get('/account', (c) => showAccount(c.var.visit));

  addForm(app, '/account/password', showAccount, async (visit, form) => {
    const [present, password, again] = ['present', 'password', 'again'].map((name) => typedTextOf(form, name));
    if (password !== again) throw invalid({ path: 'again', message: 'must be the same as the new password' });
    await logInOf(visit).changePassword(visit.request, visit.facts, { present: present!, password: password! });
    return { to: visit.rootPath('/account'), notice: 'Your password is changed. Your other sessions have ended.' };
  });

  addForm(app, '/account/end-sessions', showAccount, async (visit) => {
    await logInOf(visit).endSessions(visit.request, visit.facts);
    return { to: visit.rootPath('/log-in') };
  });
}

/** The log-in of the console itself. Refuses `not_found` where a host has its own. */
function logInOf({ ports }: Visit): LogIn {
  if (ports.log_in === undefined) throw new Refusal('not_found', 'this console has no accounts of its own');
  return ports.log_in;
}

async function showAccount(visit: Visit): Promise<Response> {
  const { sessions, has_password } = await logInOf(visit).account(visit.request, visit.facts);
  const { name, actor, grants } = visit.identity;
  return await visit.page({
    title: 'Your account',
    content: html`${panel(
      'You',
      facts([
        ['Name', name],
        ['In histories', actor],
        ['Roles', grantsList(grants)],
      ]),
    )}${panel(
      'Where you are logged in',
      html`${table({
        caption: 'Your sessions, newest first',
        columns: [
          { title: 'Since', cell: ({ created_machine_ms }) => instant(toInstantText(created_machine_ms)) },
          { title: 'Last request', cell: ({ seen_machine_ms }) => instant(toInstantText(seen_machine_ms)) },
          { title: 'Ends', cell: ({ ends_machine_ms }) => instant(toInstantText(ends_machine_ms)) },
          { title: 'Address', cell: ({ source_address }) => foreign(source_address) },
          { title: 'Which', cell: ({ is_this }) => (is_this ? badge('this one', 'info') : '') },
        ],
        rows: sessions,
        empty: 'You are logged in nowhere.',
      })}
<form method="post" action="${visit.rootPath('/account/end-sessions')}">${visit.csrf}<button class="second">Log out everywhere</button></form>`,
    )}${when(has_password, () => panel('Password', passwordForm(visit)))}`,
  });
}

function passwordForm(visit: Visit): Content {
  const passwordField = (name: string, label: string, autocomplete: string, hint?: string) =>
    field({
      name,
      label,
      hint,
      error: visit.problem?.of(name),
      type: 'password',
      autocomplete,
      maxlength: person_password_length_max,
      required: true,
    });
  const length = `At least ${person_password_length_min} characters.`;
  return html`<form method="post" action="${visit.rootPath('/account/password')}">${visit.csrf}
${passwordField('present', 'Present password', 'current-password')}
${passwordField('password', 'New password', 'new-password', length)}
${passwordField('again', 'New password, again', 'new-password')}
<button>Change the password</button></form>`;
}
