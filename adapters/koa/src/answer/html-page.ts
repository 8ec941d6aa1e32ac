import { createHash } from 'node:crypto';
import type { HttpContext } from '../request/pipeline.ts';

/** Escapes the text for HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A page for a person: a title and a few words. `content` is HTML. */
export interface HtmlPage {
  readonly status: 200 | 404 | 410;
  readonly title: string;
  readonly content: string;
}

const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #fff; --text: #1c2430; --muted: #55606f; --line: #d5dbe3; --action: #0a58a8; --on-action: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181f; --card: #1d232c; --text: #e2e7ee; --muted: #a3aebd; --line: #343d4a; --action: #86bdff; --on-action: #14181f;
  }
}
body { margin: 0; padding: 1rem; background: var(--ground); color: var(--text); font: 18px/1.5 system-ui, sans-serif; }
main {
  max-width: 32rem; margin: 8vh auto 0; padding: 1.5rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); overflow-wrap: anywhere;
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
button {
  width: 100%; margin-top: 0.5rem; padding: 0.75rem 1rem; border: 0; border-radius: 6px;
  background: var(--action); color: var(--on-action); font: inherit; font-weight: 600; cursor: pointer;
}
a { color: var(--action); }
dl { margin: 0; }
dt { color: var(--muted); font-size: 0.9rem; }
dd { margin: 0 0 1rem; }
code { font: 1.2em ui-monospace, "DejaVu Sans Mono", monospace; }
`;
const style_hash = createHash('sha256').update(style).digest('base64');

const headers = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow, noarchive, nosnippet',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Answers with the page. It runs no script, loads nothing, and is neither stored nor indexed. */
export function showPage(ctx: HttpContext, { status, title, content }: HtmlPage): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
