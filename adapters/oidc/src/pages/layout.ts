import { createHash } from 'node:crypto';

export interface Page {
  readonly status: number;
  readonly title: string;
  /** HTML: all that is not ours was escaped. */
  readonly content: string;
  /** Origins besides our own to which a form of the page may lead. */
  readonly leads_to?: readonly string[];
}

/** Text as HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #fff; --text: #1c2430; --muted: #55606f; --line: #d5dbe3; --field: #8490a0;
  --action: #0a58a8; --on-action: #fff; --warn: #9b1c1c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181f; --card: #1d232c; --text: #e2e7ee; --muted: #a3aebd; --line: #343d4a; --field: #7c899a;
    --action: #86bdff; --on-action: #14181f; --warn: #ffb4ab;
  }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--ground); color: var(--text); font: 18px/1.5 system-ui, sans-serif; }
header { max-width: 40rem; margin: 4vh auto 0.5rem; font-weight: 600; overflow-wrap: anywhere; }
main {
  max-width: 40rem; margin: 0 auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); overflow-wrap: anywhere;
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.15rem; }
p { margin: 0 0 1rem; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
ul.list { padding: 0; list-style: none; }
ul.list > li { margin: 0 0 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; }
h3 { margin: 0 0 0.5rem; font-size: 1.15rem; }
dl { margin: 0 0 1rem; }
dt { color: var(--muted); font-size: 0.9rem; }
dd { margin: 0 0 0.75rem; }
form { margin: 0 0 1rem; }
fieldset { margin: 0 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 8px; }
legend { padding: 0 0.25rem; font-weight: 600; }
label { display: block; }
label.text { margin: 0 0 0.25rem; font-weight: 600; }
label.choice { display: flex; gap: 0.75rem; align-items: baseline; padding: 0.5rem 0; }
input[type=text], input[type=password] {
  width: 100%; margin: 0 0 1rem; padding: 0.6rem 0.75rem; border: 1px solid var(--field); border-radius: 6px;
  background: var(--card); color: var(--text); font: inherit;
}
input[type=checkbox] { width: 1.1rem; height: 1.1rem; flex: none; }
button, a.button {
  display: block; width: 100%; margin-top: 0.75rem; padding: 0.75rem 1rem; border: 1px solid var(--action);
  border-radius: 6px; background: var(--action); color: var(--on-action); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer;
}
button.second, a.second { background: transparent; color: var(--action); }
a { color: var(--action); }
:focus-visible { outline: 3px solid var(--action); outline-offset: 2px; }
.muted { color: var(--muted); font-size: 0.9rem; }
.problem { padding: 0.75rem 1rem; border: 2px solid var(--warn); border-radius: 6px; color: var(--warn); font-weight: 600; }
`;
const style_hash = createHash('sha256').update(style).digest('base64');

function contentSecurityPolicy(leads_to: readonly string[]): string {
  const form_action = ["'self'", ...leads_to].join(' ');
  return `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action ${form_action}; frame-ancestors 'none'`;
}

export const page_headers: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy': contentSecurityPolicy([]),
  // Forms of the page must say that they come from it.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow, noarchive, nosnippet',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * The headers of this page. A browser follows the answer of a form only to where the policy allows
 * it, redirects included, so a page whose form ends at the third party names its origin.
 */
export function headersOf({ leads_to = [] }: Page): Readonly<Record<string, string>> {
  return { ...page_headers, 'Content-Security-Policy': contentSecurityPolicy(leads_to) };
}

export function renderPage({ title, content }: Pick<Page, 'title' | 'content'>, bank_name: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - ${escapeHtml(bank_name)}</title>
<style>${style}</style>
</head>
<body>
<header>${escapeHtml(bank_name)}</header>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

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
