/** Markdown about the closed lists of the domain, made from the lists that the service works with. */
import { clearing_class_meanings, match_rules, outcomes, reasons } from '@tallystick/cards';
import { endpoints } from '../open-banking/endpoints.ts';
import { base_paths } from '../open-banking/routes.ts';

/** The written standard and its OpenAPI documents. */
const open_banking_standard = 'https://openbankinguk.github.io/read-write-api-site3/v3.1.11/';

/** The answers of decisions, the classes of clearings and the rules by which they are matched. */
export function networkReference(): string {
  return [declineReasons(), clearingClasses(), matchingRules()].join('\n\n');
}

function declineReasons(): string {
  const limits = reasons.filter(({ limit }) => limit).map((reason) => code(reason.code));
  const rows = outcomes.map(({ code: letter, vcn_response, response_code, meaning }) => [
    code(letter),
    vcn_response,
    capitalized(meaning),
    code(response_code),
  ]);
  return `### Decline reasons

The reasons are tried in this order, and the first that applies is the answer. A refund is not declined for
${limits.join(', ')}. The last column is \`response_code\`, the network’s DE39.

${table(['Code', '`vcn_response`', 'When', 'DE39'], rows)}`;
}

function clearingClasses(): string {
  const rows = Object.entries(clearing_class_meanings).map(([name, meaning]) => [code(name), capitalized(meaning)]);
  return `### Clearing classes

Every clearing has one class, \`class\`: the first in this order that applies. A class reports what the amounts and
the references say; no class blocks a clearing.

${table(['Class', 'When'], rows)}`;
}

function matchingRules(): string {
  const rows = match_rules.map(({ rule, meaning }) => [code(String(rule)), capitalized(meaning)]);
  return `### Matching rules

A clearing belongs to an authorization or to an earlier clearing of the same card. The rules are tried in this order, and
the first that finds exactly one wins; a rule that finds several leaves the choice to the next rules, and the clearing is
marked for \`review\`.

${table(['Rule', 'Finds'], rows)}`;
}

/** The endpoints of third parties. The standard describes them. */
export function openBankingReference(): string {
  const rows = endpoints.flatMap(({ method, paths, scope, grant_type }) =>
    paths.map((path) => [code(method), code(path.replace(':id', idOf(path))), code(scope), code(grant_type)]),
  );
  const bases = Object.entries(base_paths).map(([scope, base]) => `${code(base)} (${scope})`);
  return `## Open Banking

Third parties of Open Banking use endpoints that the official OpenAPI documents of version 3.1.11 describe
(<${open_banking_standard}>), at the root and below ${bases.join(' and ')}. They authenticate with tokens of the
authorisation server at \`/.well-known/openid-configuration\`, and not with API keys. The guide is \`docs/open-banking.md\`.

${table(['Method', 'Path', 'Scope', 'Grant type of the token'], rows)}`;
}

function idOf(path: string): string {
  return path.startsWith('/accounts/') ? '{AccountId}' : '{ConsentId}';
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** A table with a row of headings. All cells are Markdown of one line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}
