import type { Identity } from '../ports.ts';
import { type Content, html } from './html.ts';
import { dash, foreign } from './values.ts';

/** Who did something, in words, from the name in the audit log. */
export function who({ identity }: { readonly identity: Identity }, actor: string | null | undefined): Content {
  if (actor === null || actor === undefined) return dash;
  const [, kind, name = ''] = /^(person|key|job|portal|one_time_link):(.*)$/s.exec(actor) ?? [];
  switch (kind) {
    case 'person':
      return actor === identity.actor ? html`${foreign(name)} (you)` : foreign(name);
    case 'key':
      return html`API key ${foreign(name)}`;
    case 'job':
      return html`the service (${name})`;
    case 'portal':
      return `who opened portal link ${name}`;
    case 'one_time_link':
      return 'who opened the mailed link';
    default:
      return actor === 'command' ? 'the command line' : foreign(actor);
  }
}
