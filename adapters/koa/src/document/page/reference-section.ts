/** Tables of the closed lists of the domain. */
import { clearing_class_meanings, match_rules, outcomes, reasons } from '@tallystick/cards';
import { capitalized, code, heading, prose, table } from './markup.ts';

/** The sections of the reference and their anchors, for the list of contents. */
export const reference_links = [
  { anchor: 'decline-reasons', content: 'Decline reasons' },
  { anchor: 'clearing-classes', content: 'Clearing classes' },
  { anchor: 'matching-rules', content: 'Matching rules' },
] as const;

const [decline_reasons, classes, rules] = reference_links;

/** HTML of the tables, from the lists that the service works with. */
export function referenceSections(): string {
  return [declineReasons(), clearingClasses(), matchingRules()].join('\n');
}

function declineReasons(): string {
  const limits = reasons.filter(({ limit }) => limit).map((reason) => code(reason.code));
  const rows = outcomes.map(({ code: letter, vcn_response, response_code, meaning }) => [
    code(letter),
    prose(vcn_response),
    prose(capitalized(meaning)),
    code(response_code),
  ]);
  return `${heading(2, decline_reasons.anchor, decline_reasons.content)}
<p>The reasons are tried in this order, and the first that applies is the answer. A refund is not declined for
${limits.join(', ')}. The last column is ${code('response_code')}, the network’s DE39.</p>
${table(['Code', code('vcn_response'), 'When', 'DE39'], rows)}`;
}

function clearingClasses(): string {
  const rows = Object.entries(clearing_class_meanings).map(([name, meaning]) => [
    code(name),
    prose(capitalized(meaning)),
  ]);
  return `${heading(2, classes.anchor, classes.content)}
<p>Every clearing has one class, ${code('class')}: the first in this order that applies. A class reports what the amounts and
the references say; no class blocks a clearing.</p>
${table(['Class', 'When'], rows)}`;
}

function matchingRules(): string {
  const rows = match_rules.map(({ rule, meaning }) => [code(String(rule)), prose(capitalized(meaning))]);
  return `${heading(2, rules.anchor, rules.content)}
<p>A clearing belongs to an authorization or to an earlier clearing of the same card. The rules are tried in this order, and
the first that finds exactly one wins; a rule that finds several leaves the choice to the next rules, and the clearing is
marked for ${code('review')}.</p>
${table(['Rule', 'Finds'], rows)}`;
}
