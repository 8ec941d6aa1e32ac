import { escapeHtml } from './layout.ts';

export interface Leave {
  readonly action: string;
  readonly form_token: string;
  readonly third_party_name: string;
}

/** A button that leads back to the third party without a decision. */
export function leaveForm({ action, form_token, third_party_name }: Leave, look: 'first' | 'second'): string {
  return `<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button type="submit"${look === 'second' ? ' class="second"' : ''}>Back to ${escapeHtml(third_party_name)}</button>
</form>`;
}
