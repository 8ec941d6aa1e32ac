/** The style sheet of the page, light and dark: its hash is in the page's Content-Security-Policy. */
export const docs_style = `
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1c2430; --muted: #55606f; --link: #0a58a8; --line: #d5dbe3; --soft: #f3f5f8;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181f; --text: #e2e7ee; --muted: #a3aebd; --link: #86bdff; --line: #343d4a; --soft: #1d232c; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 6rem; max-width: 82rem;
  background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word;
}
h1, h2, h3, h4 { line-height: 1.25; }
h2, h3, h4 { scroll-margin-top: 1rem; }
h1 { margin: 0; font-size: 2rem; }
h2 { margin: 4rem 0 1rem; padding-bottom: 0.4rem; border-bottom: 2px solid var(--line); font-size: 1.6rem; }
h3 { margin: 0 0 0.5rem; font-size: 1.2rem; }
h4 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
pre + h3, p + h3, table + h3 { margin-top: 2.5rem; }
h2 a, h3 a, h4 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover, h4 a:hover { text-decoration: underline; }
:target { background: var(--soft); outline: 0.3rem solid var(--soft); }
a { color: var(--link); }
p { margin: 0.5rem 0; max-width: 46rem; }
code, pre, .method { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
pre {
  margin: 1rem 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--soft);
  font-size: 0.85rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere;
}
section { margin: 2.5rem 0; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.facts, .kind { color: var(--muted); font-size: 0.9rem; }
.facts code { color: var(--text); }
.method { font-size: 0.8em; font-weight: 700; }
nav ul, .operations ul { margin: 0; padding: 0; list-style: none; }
nav a, .operations a { text-decoration: none; }
nav a:hover, .operations a:hover { text-decoration: underline; }
nav { margin: 1.5rem 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
nav li ul { display: none; }
.operations { padding: 0.75rem 1rem; border-radius: 6px; background: var(--soft); }
.operations li { padding: 0.15rem 0; }
.operations a { display: grid; grid-template-columns: 4.25rem 1fr; align-items: baseline; }
dl { margin: 0.5rem 0; }
dt { padding-top: 0.5rem; border-top: 1px solid var(--line); }
dt strong { font-size: 0.8rem; }
dd { margin: 0 0 0.5rem; }
dd p { margin: 0.1rem 0; font-size: 0.95rem; }
dd dl { margin-left: 0.25rem; padding-left: 0.75rem; border-left: 2px solid var(--line); }
dl.responses { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: 1rem; }
dl.responses > dt { padding-top: 0.35rem; }
dl.responses > dd { margin: 0; padding: 0.3rem 0; border-top: 1px solid var(--line); }
table { width: 100%; margin: 1rem 0; border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th code, td:first-child code { overflow-wrap: normal; }
@media (max-width: 30rem) { table { font-size: 0.875rem; } th, td { padding-right: 0.5rem; } }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr); column-gap: 3rem; grid-template-rows: auto 1fr; }
  header, main { grid-column: 2; }
  nav {
    grid-column: 1; grid-row: 1 / 3; position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem);
    overflow-y: auto; margin: 0; font-size: 0.9rem;
  }
  nav li ul { display: block; margin: 0.1rem 0 0.75rem 0.5rem; padding-left: 0.6rem; border-left: 2px solid var(--line); }
  nav li { padding: 0.1rem 0; }
}
@media print { nav { display: none; } }
`;
