import { escapeHtml } from '../../answer/html.ts';
import { endpoints } from '../../open-banking/endpoints.ts';
import { base_paths } from '../../open-banking/routes.ts';
import { code, heading, table } from './markup.ts';

/** The written standard and its OpenAPI documents. */
export const open_banking_standard = 'https://openbankinguk.github.io/read-write-api-site3/v3.1.11/';

/** The section of the page and its anchor, for the list of contents. */
export const open_banking_section = { anchor: 'open-banking', content: 'Open Banking' } as const;

/** HTML of the list of the endpoints of third parties. The standard describes them. */
export function openBankingSection(): string {
  const rows = endpoints.flatMap(({ method, paths, scope, grant_type }) =>
    paths.map((path) => [code(method), code(path.replace(':id', idOf(path))), code(scope), code(grant_type)]),
  );
  const bases = Object.entries(base_paths).map(([scope, base]) => `${code(base)} (${escapeHtml(scope)})`);
  return `${heading(2, open_banking_section.anchor, open_banking_section.content)}
<p>Regulated third parties read account information and confirm funds as
<a href="${open_banking_standard}" rel="noreferrer">version 3.1.11 of the standard</a> describes it, which also has the OpenAPI
documents of these endpoints. They are at the root and below ${bases.join(' and ')}. The guide is
${code('docs/open-banking.md')}. A third party finds the authorisation server at
<a href="/.well-known/openid-configuration">${code('/.well-known/openid-configuration')}</a>.</p>
${table(['Method', 'Path', 'Scope', 'Grant type of the token'], rows)}`;
}

function idOf(path: string): string {
  return path.startsWith('/accounts/') ? '{AccountId}' : '{ConsentId}';
}
