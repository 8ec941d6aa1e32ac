import type { BankAccount } from '@tallystick/accounts';
import type { Consent } from '@tallystick/consents';
import { escapeHtml, type Page } from './layout.ts';
import { accessText, accessVerb, accountText, endText, instantText } from './wording.ts';

export interface ShownConsent {
  readonly consent: Consent;
  readonly third_party_name: string;
  readonly accounts: readonly BankAccount[];
}

export interface ConsentList {
  /** A page of them, newest first. */
  readonly consents: readonly ShownConsent[];
  readonly is_first_page: boolean;
  /** The cursor of the next page; null: this is the last one. */
  readonly older: string | null;
  readonly form_token: string;
  readonly was_withdrawn: boolean;
}

/** Who has access, to what, until when, to which accounts, since when. */
export function consentListPage(list: ConsentList): Page {
  const { consents, is_first_page, older, form_token, was_withdrawn } = list;
  const items = consents.map((shown) => {
    const name = escapeHtml(shown.third_party_name);
    const address = `/consents/${encodeURIComponent(shown.consent.consent_id)}`;
    return `<li>
<h2>${name}</h2>
${details(shown)}
<a class="button second" href="${escapeHtml(address)}">Withdraw access of ${name}</a>
</li>`;
  });
  const nobody = is_first_page ? '<p>Nobody has access.</p>' : '<p>There is no older access.</p>';
  const links = [
    ...(older === null ? [] : [`<a href="/consents?after=${encodeURIComponent(older)}">Older</a>`]),
    ...(is_first_page ? [] : ['<a href="/consents">Newest</a>']),
  ];
  return {
    status: 200,
    title: 'Who has access to your accounts',
    content: `${was_withdrawn ? '<p role="status"><strong>The access was withdrawn. It ended at once.</strong></p>' : ''}
${items.length === 0 ? nobody : `<ul class="list">\n${items.join('\n')}\n</ul>`}
${links.length === 0 ? '' : `<p>${links.join(' ')}</p>\n`}<form method="post" action="/consents/logout">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button type="submit" class="second">Log out</button>
</form>`,
  };
}

export function withdrawalPage(shown: ShownConsent, form_token: string): Page {
  const name = escapeHtml(shown.third_party_name);
  const address = `/consents/${encodeURIComponent(shown.consent.consent_id)}/withdraw`;
  const again =
    shown.consent.kind === 'account_access'
      ? `${name} can only get access again if you log in and confirm it.`
      : `${name} can only get access again if it asks for a new consent and you allow it.`;
  return {
    status: 200,
    title: `Withdraw access of ${shown.third_party_name}?`,
    content: `${details(shown)}
<h2>What happens</h2>
<ul>
<li>The access ends at once.</li>
<li>${name} keeps what it has already read. To have that deleted, ask ${name}.</li>
<li>${again}</li>
</ul>
<form method="post" action="${escapeHtml(address)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button type="submit">Withdraw access</button>
</form>
<a class="button second" href="/consents">Keep access</a>`,
  };
}

function details({ consent, accounts }: ShownConsent): string {
  const since = consent.authorised_at_ms === null ? '' : instantText(consent.authorised_at_ms);
  const names = accounts.map((account) => `<li>${escapeHtml(accountText(account))}</li>`);
  return `<dl>
<dt>What it can ${accessVerb(consent)}</dt><dd>${accessText(consent)}</dd>
<dt>Until when</dt><dd>${endText(consent)}</dd>
<dt>Accounts</dt><dd><ul>${names.join('')}</ul></dd>
<dt>Allowed, or last confirmed</dt><dd>${escapeHtml(since)}</dd>
</dl>`;
}
