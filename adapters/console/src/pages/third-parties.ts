import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, link, pager, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

type ThirdParty = Results['operator.thirdParties.read'];

/** Who may ask users of the bank for consents. */
export function thirdPartyPages(app: ConsoleApp): void {
  app.get('/third-parties', async (c) => {
    const { visit } = c.var;
    const { items, next } = await visit.call('operator.thirdParties.list', { options: visit.paged() });
    return await visit.page({
      title: 'Third parties',
      nav: 'third-parties',
      content: html`${table({
        caption: 'Third parties, the newest first',
        columns: [
          { title: 'Name', cell: ({ id, name }) => link(visit.rootPath(`/third-parties/${id}`), foreign(name)) },
          { title: 'Client id', cell: ({ client_id }) => foreign(client_id) },
          { title: 'May ask for', cell: ({ scopes }) => scopes.join(', ') },
          { title: 'Status', cell: statusBadge },
          { title: 'Since', cell: ({ created_at }) => instant(created_at) },
        ],
        rows: items,
        empty: 'No third party is registered.',
      })}${pager(visit, visit.rootPath('/third-parties'), next)}`,
    });
  });

  app.get('/third-parties/:id', (c) => showThirdParty(c.var.visit, c.req.param()));

  for (const [act, notice] of [
    ['suspend', 'It is suspended. All its tokens have ended.'],
    ['activate', 'It is active. Users have to authorise it again.'],
  ] as const) {
    addForm(app, `/third-parties/:id/${act}`, showThirdParty, async (visit, _, { id }) => {
      await visit.call(`operator.thirdParties.${act}`, { parameters: { id } });
      return { to: visit.rootPath(`/third-parties/${id}`), notice };
    });
  }
}

async function showThirdParty(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const found = await visit.call('operator.thirdParties.read', { parameters: { id } });
  const act = found.status === 'active' ? 'suspend' : 'activate';
  return await visit.page({
    title: found.name,
    nav: 'third-parties',
    trail: [],
    content: html`${panel(
      'Third party',
      facts([
        ['Client id', html`<code>${found.client_id}</code>`],
        ['Status', statusBadge(found)],
        ['May ask for', found.scopes.join(', ')],
        ['Users return to', html`<ul>${found.redirect_uris.map((uri) => html`<li>${foreign(uri)}</li>`)}</ul>`],
        ['Keys', found.jwks_uri === null ? 'registered here' : foreign(found.jwks_uri)],
        ['Client certificate', foreign(found.certificate_subject)],
        ['Signs id tokens by', found.id_token_signed_response_alg],
        ['Since', instant(found.created_at)],
      ]),
    )}${when(visit.may(`operator.thirdParties.${act}`), () =>
      panel(
        found.status === 'active' ? 'Suspend' : 'Activate',
        html`<form method="post" action="${visit.rootPath(`/third-parties/${id}/${act}`)}">${visit.csrf}
${
  found.status === 'active'
    ? html`<p>It gets no token any more, and those that it has end at once.</p><button class="danger">Suspend</button>`
    : html`<p>It may authenticate again. Its former tokens stay ended.</p><button>Activate</button>`
}</form>`,
      ),
    )}`,
  });
}

function statusBadge({ status }: ThirdParty): Content {
  return badge(status, status === 'active' ? 'ok' : 'warn');
}
