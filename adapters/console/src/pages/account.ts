import { toInstantText } from '@tallystick/kernel';
import type { ConsoleApp } from '../console-app.ts';
import { html } from '../look/html.ts';
import { facts, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';

/** The page of a person about itself. */
export function accountPages(app: ConsoleApp): void {
  app.get('/account', async (c) => {
    const { visit } = c.var;
    const { log_in } = visit.ports;
    if (log_in === undefined) return c.notFound();
    const sessions = await log_in.sessions(visit.request, visit.facts);
    const { name, actor, grants } = visit.identity;
    return await visit.page({
      title: 'Your account',
      content: html`${panel(
        'You',
        facts([
          ['Name', name],
          ['In histories', actor],
          [
            'Roles',
            grants.length === 0
              ? 'none: an administrator gives them'
              : html`<ul>${grants.map(
                  ({ role, company_id }) =>
                    html`<li>${role}, ${company_id === null ? 'all companies' : `company ${company_id}`}</li>`,
                )}</ul>`,
          ],
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
<form method="post" action="${visit.rootPath('/account/end-sessions')}">${visit.csrf}<button>Log out everywhere</button></form>`,
      )}`,
    });
  });

  app.post('/account/end-sessions', async (c) => {
    const { visit } = c.var;
    return await visit.act(
      async () => {
        await visit.ports.log_in?.endSessions(visit.request, visit.facts);
        return { to: visit.rootPath('/log-in') };
      },
      { again: () => c.redirect(visit.rootPath('/account'), 303) },
    );
  });
}
