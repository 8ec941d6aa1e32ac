import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, field, link, pager, panel, table } from '../look/parts.ts';
import { badge, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';

type Consent = Results['bank.consents.read'];

const access_words: Readonly<Record<Consent['access'], string>> = {
  none: 'no access: it is not authorised yet',
  active: 'reads now',
  withdrawn: 'ended: the user withdrew it, or the bank for the user',
  stopped: 'ended: the third party was suspended, or lost this permission',
  tokens_revoked: 'ended: the third party gave its tokens back, or used a code twice',
  deleted: 'ended: the third party deleted the consent',
  expired: 'ended: its time is over',
  lapsed: 'ended: the user did not confirm it within 90 days',
};

/** What users of the bank allow third parties to read. */
export function consentPages(app: ConsoleApp): void {
  app.get('/consents', async (c) => {
    const { visit } = c.var;
    const consent_id = visit.query.get('consent_id')?.trim();
    if (consent_id) return c.redirect(visit.rootPath(`/consents/${encodeURIComponent(consent_id)}`), 303);
    const user_id = visit.query.get('user_id')?.trim() ?? '';
    return await visit.page({
      title: 'Consents',
      nav: 'consents',
      content: html`<form class="filters" action="${visit.rootPath('/consents')}" aria-label="Find consents">
${field({ name: 'user_id', label: 'User of the bank', value: user_id, maxlength: 128 })}
${field({ name: 'consent_id', label: 'or ConsentId', maxlength: 128 })}<button class="second">Find</button></form>
${user_id === '' ? await usersPanel(visit) : await ofUser(visit, user_id)}`,
    });
  });

  app.get('/consents/:consent_id', (c) => showConsent(c.var.visit, c.req.param()));

  addForm(app, '/consents/:consent_id/withdraw', showConsent, async (visit, _, { consent_id }) => {
    await visit.call('bank.consents.withdraw', { parameters: { consent_id } });
    const notice = 'The consent is withdrawn. The third party reads nothing any more.';
    return { to: visit.rootPath(`/consents/${encodeURIComponent(consent_id)}`), notice };
  });
}

async function usersPanel(visit: Visit): Promise<Content> {
  const { items, next } = await visit.call('bank.users.list', {
    options: visit.paged(),
  });
  return panel(
    'Users of the bank',
    html`<p class="quiet">Open a user to see which third parties read the accounts.</p>${table({
      caption: 'Users of the bank',
      columns: [
        {
          title: 'User',
          cell: ({ id }) => link(visit.rootPath(`/consents?user_id=${encodeURIComponent(id)}`), foreign(id)),
        },
        { title: 'Name', cell: ({ name }) => foreign(name) },
        { title: 'Company', cell: ({ company_id }) => company_id },
        { title: 'Accounts', cell: ({ viewable_accounts }) => accountsOf(viewable_accounts) },
        { title: 'Status', cell: ({ status }) => badge(status, status === 'active' ? 'ok' : 'quiet') },
      ],
      rows: items,
      empty: 'The bank has reported no users.',
    })}${pager(visit, visit.rootPath('/consents'), next)}`,
  );
}

async function ofUser(visit: Visit, user_id: string): Promise<Content> {
  const { items, next } = await visit.call('bank.users.consents.list', {
    parameters: { user_id },
    options: visit.paged(),
  });
  return panel(
    `What ${user_id} has authorised`,
    html`${table({
      caption: 'Consents of the user, the newest first',
      columns: [
        {
          title: 'Consent',
          cell: ({ id }) => link(visit.rootPath(`/consents/${encodeURIComponent(id)}`), foreign(id)),
        },
        { title: 'Third party', cell: ({ client_id }) => link(visit.rootPath('/third-parties'), foreign(client_id)) },
        { title: 'Access', cell: accessBadge },
        { title: 'Accounts', cell: ({ account_ids }) => accountsOf(account_ids) },
        { title: 'Authorised', cell: ({ authorised_at }) => instant(authorised_at) },
      ],
      rows: items,
      empty: 'The user has authorised nothing.',
    })}${pager(visit, visit.rootPath('/consents'), next)}`,
  );
}

async function showConsent(visit: Visit, { consent_id }: { readonly consent_id: string }): Promise<Response> {
  const consent = await visit.call('bank.consents.read', { parameters: { consent_id } });
  const { user_id } = consent;
  return await visit.page({
    title: 'Consent',
    nav: 'consents',
    trail: user_id === null ? [] : [[user_id, visit.rootPath(`/consents?user_id=${encodeURIComponent(user_id)}`)]],
    content: html`${panel(
      consent.access === 'active' ? 'The third party reads now' : 'The third party reads nothing',
      html`${facts([
        ['Access', html`${accessBadge(consent)} ${access_words[consent.access]}`],
        [consent.access === 'active' ? 'Until, at the latest' : 'Ended', instant(consent.access_ends_at)],
        ['ConsentId', html`<code>${consent.id}</code>`],
        ['What for', consent.kind === 'account_access' ? 'reading accounts' : 'confirming that funds are there'],
        ['Third party', link(visit.rootPath('/third-parties'), foreign(consent.client_id))],
        ['User', foreign(user_id)],
        ['Company', consent.company_id],
        ['Accounts', accountsOf(consent.account_ids)],
        ['Status in the standard', consent.status],
        ['Ends', foreign(consent.expiration_date_time)],
        ['Created', instant(consent.created_at)],
        ['Authorised', instant(consent.authorised_at)],
        ['Withdrawn', instant(consent.withdrawn_at)],
        ['Deleted', instant(consent.deleted_at)],
      ])}<h3>May read</h3><p>${consent.permissions.length === 0 ? 'only whether funds are there' : consent.permissions.join(', ')}</p>`,
    )}${when(consent.access === 'active' && visit.may('bank.consents.withdraw'), () =>
      panel(
        'Withdraw it for the user',
        html`<form method="post" action="${visit.rootPath(`/consents/${encodeURIComponent(consent.id)}/withdraw`)}">${visit.csrf}
<p>All tokens of the third party for it end at once. The user can authorise a new one.</p>
<button class="danger">Withdraw</button></form>`,
      ),
    )}`,
  });
}

function accessBadge({ access }: Consent): Content {
  return badge(access.replaceAll('_', ' '), access === 'active' ? 'ok' : 'quiet');
}

function accountsOf(numbers: readonly string[]): Content {
  if (numbers.length === 0) return 'none';
  const shown = numbers.slice(0, 20).join(', ');
  return foreign(numbers.length > 20 ? `${shown} and ${numbers.length - 20} more` : shown);
}
