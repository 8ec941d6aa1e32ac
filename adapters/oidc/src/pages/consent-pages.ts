import type { BankAccount } from '@tallystick/accounts';
import { accessEnd, type Consent } from '@tallystick/consents';
import { escapeHtml, type Page } from './layout.ts';
import { accessText, accessVerb, accountText, endText, instantText } from './wording.ts';

export interface ShownConsent {
  readonly consent: Consent;
  /** Whether the access goes on. */
  readonly has_access: boolean;
  readonly third_party_name: string;
  readonly accounts: readonly BankAccount[];
}

/** A page of consents, newest first. */
export interface ConsentsShown {
  readonly consents: readonly ShownConsent[];
  readonly is_first_page: boolean;
  /** The cursor of the next page; null: this is the last one. */
  readonly older: string | null;
}

export interface ConsentList {
  /** Those that give access; null: the page shows the others only. */
  readonly active: ConsentsShown | null;
  /** Those whose access has ended; null: the page shows the others only. */
  readonly ended: ConsentsShown | null;
  readonly form_token: string;
  readonly was_withdrawn: boolean;
}

/**
 * Who has access, to what, until when, to which accounts, since when; and whose access has ended.
 */
export function consentListPage({ active, ended, form_token, was_withdrawn }: ConsentList): Page {
  return {
    status: 200,
    title: 'Who has access to your accounts',
    content: `${was_withdrawn ? '<p role="status"><strong>The access was withdrawn. It ended at once.</strong></p>' : ''}
${active === null ? '' : activeSection(active)}${ended === null ? '' : endedSection(ended)}${
  active?.is_first_page && ended?.is_first_page ? '' : '<p><a href="/consents">Newest</a></p>\n'
}<form method="post" action="/consents/logout">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button type="submit" class="second">Log out</button>
</form>`,
  };
}

function activeSection({ consents, is_first_page, older }: ConsentsShown): string {
  const items = consents.map((shown) => {
    const name = escapeHtml(shown.third_party_name);
    const address = `/consents/${encodeURIComponent(shown.consent.consent_id)}`;
    return `<h3>${name}</h3>
${details(shown)}
<a class="button second" href="${escapeHtml(address)}">Withdraw access of ${name}</a>`;
  });
  const nobody = is_first_page ? '<p>Nobody has access.</p>' : '<p>There is no older access.</p>';
  return `<h2>Access now</h2>\n${listOf(items, nobody)}${olderLink('after', older, 'Older')}`;
}

/** Nothing when no access has ended: most users never see the section. */
function endedSection({ consents, is_first_page, older }: ConsentsShown): string {
  if (consents.length === 0 && is_first_page) return '';
  const items = consents.map(
    (shown) => `<h3>${escapeHtml(shown.third_party_name)}</h3>\n${endedText(shown)}\n${details(shown)}`,
  );
  const none = '<p>There is no older access that has ended.</p>';
  return `<h2>Access that has ended</h2>\n${listOf(items, none)}${olderLink('ended', older, 'Older access that has ended')}`;
}

function listOf(items: readonly string[], none: string): string {
  return items.length === 0 ? `${none}\n` : `<ul class="list">\n<li>${items.join('</li>\n<li>')}</li>\n</ul>\n`;
}

function olderLink(parameter: string, older: string | null, text: string): string {
  return older === null ? '' : `<p><a href="/consents?${parameter}=${encodeURIComponent(older)}">${text}</a></p>\n`;
}

/** How the access ended, and how the third party could get it again. */
function endedText({ consent, third_party_name }: ShownConsent): string {
  const end = accessEnd(consent);
  if (end === null) return '';
  const [name, at] = [escapeHtml(third_party_name), escapeHtml(instantText(end.at_ms))];
  const words: Readonly<Record<typeof end.how, string>> = {
    withdrawn: `<strong>Withdrawn on ${at}.</strong> ${accessAgain(consent, name)}`,
    stopped: `<strong>Stopped by the bank on ${at}.</strong> ${name} can only get access again if the bank admits it and you log in and confirm it.`,
    tokens_revoked: `<strong>Ended on ${at}: ${name} gave it up, or its use was not safe any more.</strong> ${name} can only get access again if you log in and confirm it.`,
    deleted: `<strong>Ended by ${name} on ${at}.</strong> To give access again, start at ${name}.`,
    expired: `<strong>Expired on ${at}.</strong> You had allowed it until then. To give access again, start at ${name}.`,
    lapsed: `<strong>Ended on ${at}, because it was not confirmed again within 90 days.</strong> If you want it to go on, confirm it at ${name}.`,
  };
  return `<p>${words[end.how]}</p>`;
}

function accessAgain({ kind }: Consent, name: string): string {
  return kind === 'account_access'
    ? `${name} can only get access again if you log in and confirm it.`
    : `${name} can only get access again if it asks for a new consent and you allow it.`;
}

export function withdrawalPage(shown: ShownConsent, form_token: string): Page {
  const name = escapeHtml(shown.third_party_name);
  const address = `/consents/${encodeURIComponent(shown.consent.consent_id)}/withdraw`;
  return {
    status: 200,
    title: `Withdraw access of ${shown.third_party_name}?`,
    content: `${details(shown)}
<h2>What happens</h2>
<ul>
<li>The access ends at once.</li>
<li>${name} keeps what it has already read. To have that deleted, ask ${name}.</li>
<li>${accessAgain(shown.consent, name)}</li>
</ul>
<form method="post" action="${escapeHtml(address)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button type="submit">Withdraw access</button>
</form>
<a class="button second" href="/consents">Keep access</a>`,
  };
}

function details({ consent, accounts, has_access }: ShownConsent): string {
  const since = consent.authorised_at_ms === null ? '' : instantText(consent.authorised_at_ms);
  const names = accounts.map((account) => `<li>${escapeHtml(accountText(account))}</li>`);
  return `<dl>
<dt>What it ${has_access ? 'can' : 'could'} ${accessVerb(consent)}</dt><dd>${accessText(consent)}</dd>
${has_access ? `<dt>Until when</dt><dd>${endText(consent)}</dd>\n` : ''}<dt>Accounts</dt><dd><ul>${names.join('')}</ul></dd>
<dt>Allowed, or last confirmed</dt><dd>${escapeHtml(since)}</dd>
</dl>`;
}
