import { maskCardNumbers } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { assetPath } from '../assets.ts';
import type { ConsolePorts, Identity, RequestFacts } from '../ports.ts';
import type { Problem } from '../problem.ts';
import { search_length_max } from '../search/parse-search.ts';
import { type Content, html, raw, when } from './html.ts';
import { icon, type Section } from './icons.ts';
import { nameOf } from './names.ts';
import { company_entries, installation_entries, type NavigationEntry } from './navigation.ts';

export interface PageOptions {
  /** What the page is about, which is its only heading of the first level. */
  readonly title: string;
  /** The entry of the navigation that leads here. */
  readonly nav?: Section | undefined;
  readonly content: Content;
  /** Links and buttons beside the title. */
  readonly beside?: Content | undefined;
  /**
   * The pages between this one and that of its entry: names with their paths, from the outermost.
   * Absent: the page is that of the entry.
   */
  readonly trail?: readonly (readonly [name: string, path: string])[] | undefined;
  readonly status?: 200 | 403 | 404 | 409 | 410 | 422 | 503 | undefined;
}

/** What the layout shows of a visit. */
export interface VisitShown {
  readonly identity: Identity;
  readonly facts: RequestFacts;
  readonly request: Request;
  readonly ports: Pick<ConsolePorts, 'sandbox' | 'log_in'>;
  readonly company_id: number | null;
  readonly csrf: Content;
  readonly form_token: string;
  readonly query: URLSearchParams;
  readonly problem: Problem | undefined;
  path(path: string): string;
  rootPath(path: string): string;
  may(id: keyof Results, company_id?: number | null): boolean;
}

/** Renders a whole page: the navigation, the search, and the content. */
export async function renderPage(
  visit: VisitShown,
  { title, nav, content, beside, trail, notice }: PageOptions & { readonly notice: string | null },
): Promise<string> {
  const { identity, ports } = visit;
  const pages = trail && [entryOf(visit, nav!), ...trail];
  const body = html`<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="${identity.portal_of === undefined ? visit.rootPath('/') : visit.path('/webhooks')}">${mark}<span>Tallystick</span></a>
${identity.portal_of === undefined ? searchField(visit) : ''}
<div class="who"><span class="name">${identity.name}</span>${when(
    identity.portal_of,
    () =>
      html`<form method="post" action="${visit.path('/end')}">${visit.csrf}<button class="link">End this visit</button></form>`,
  )}${when(
    identity.portal_of === undefined && ports.log_in,
    () => html`<a href="${visit.rootPath('/account')}">Account</a>
<form method="post" action="${visit.rootPath('/log-out')}">${visit.csrf}<button class="link">Log out</button></form>`,
  )}</div>
</header>
<div class="frame">
${navigation(visit, nav)}
<main id="main" tabindex="-1"${visit.company_id !== null && visit.may('events.list') ? html` data-news-from="${visit.path('/live')}"` : ''}>
${when(pages, (all) => html`<nav class="trail" aria-label="Breadcrumb"><ol>${all.map(([name, path]) => html`<li><a href="${path}">${name}</a></li>`)}</ol></nav>`)}
${when(notice, (text) => html`<p class="notice" role="status" tabindex="-1">${text}</p>`)}
${when(visit.problem, (problem) => errorSummary(problem, content))}
<div class="title"><h1>${title}</h1>${when(beside, (links) => html`<div class="beside">${links}</div>`)}</div>
${content}
</main>
</div>`;
  const [above = ''] = pages?.at(-1) ?? [];
  const names = [visit.problem === undefined ? title : `Error: ${title}`, above].filter((name) => name !== '');
  return await renderDocument(visit.facts.base, { title: names.join(' · '), body, token: visit.form_token });
}

/** A page without navigation, also for somebody who is not logged in. */
export async function narrowPage(
  { base }: Pick<RequestFacts, 'base'>,
  status: number,
  title: string,
  content: Content,
): Promise<Response> {
  const body = html`<main id="main" class="panel"><h1>${title}</h1>${content}</main>`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  return new Response(await renderDocument(base, { title, body }), { status, headers });
}

/**
 * Renders a document with the console's style and script. `token` is that of the visitor's forms,
 * for the script; without a visitor the document is narrow.
 */
async function renderDocument(
  base: string,
  { title, body, token }: { readonly title: string; readonly body: Content; readonly token?: string },
): Promise<string> {
  const text = await html`${raw('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="htmx-config" content='{"allowEval":false,"includeIndicatorStyles":false,"historyCacheSize":0,"selfRequestsOnly":true,"scrollIntoViewOnBoost":false}'>
${when(token, (text) => html`<meta name="form-token" content="${text}">`)}
<title>${title} · Tallystick</title>
<link rel="icon" href="${assetPath(base, 'icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath(base, 'console.css')}">
<script src="${assetPath(base, 'htmx.js')}" defer></script>
<script src="${assetPath(base, 'console.js')}" defer></script>
</head>
<body${token === undefined ? html` class="narrow"` : ''}>
${body}
</body>
</html>
`;
  return text.toString();
}

/** What was refused; of a field, by its label, with a link to it where the content has it. */
async function errorSummary({ message, fields }: Problem, content: Content) {
  const shown = String(await html`${content}`);
  const found = shown.matchAll(/<(?:label for|fieldset id)="field-([^"]*)">(?:<legend>)?([^<]*)</g);
  const labels = new Map(Array.from(found, ([, name, label]) => [name, label]));
  const list = fields.map(([path, text]) => {
    const label = labels.get(path);
    return label === undefined
      ? html`<li>${nameOf(path)}: ${text}</li>`
      : html`<li><a href="#field-${path}">${raw(label)}: ${text}</a></li>`;
  });
  return html`<div class="problem" role="alert" tabindex="-1" id="problem"><h2>That was not done</h2>${list.length === 0 ? html`<p>${message}</p>` : html`<ul>${list}</ul>`}</div>`;
}

function searchField(visit: VisitShown): Content {
  const typed = maskCardNumbers(visit.query.get('q') ?? '');
  return html`<form class="search" role="search" action="${visit.path('/search')}"><label class="visually-hidden" for="search">Search</label>
<input id="search" name="q" type="search" value="${typed}" placeholder="Card, amount, merchant" aria-keyshortcuts="/" maxlength="${search_length_max}"><button>Search</button></form>`;
}

function navigation(visit: VisitShown, nav: Section | undefined): Content {
  const of_company = visit.company_id === null ? [] : entries(visit, company_entries, (path) => visit.path(path));
  // Pages of no company lead back by it: to the person's company, or to the overview of all.
  const home = visit.company_id === null ? [{ entry: company_entries[0]!, href: visit.rootPath('/') }] : [];
  const of_all =
    visit.identity.portal_of !== undefined
      ? []
      : [...home, ...entries(visit, installation_entries, (path) => visit.rootPath(path), null)];
  const list = (title: string, shown: readonly Shown[]): Content =>
    shown.length === 0
      ? ''
      : html`<h2 id="nav-${title.toLowerCase()}">${title}</h2><ul aria-labelledby="nav-${title.toLowerCase()}">${shown.map(
          ({ entry, href }) =>
            html`<li><a href="${href}"${entry.section === nav ? html` aria-current="page"` : ''}>${icon(entry.section)}${entry.title}</a></li>`,
        )}</ul>`;
  return html`<nav class="side" aria-label="Console"><details open><summary>Menu</summary>
${list('Company', of_company)}${list('Installation', of_all)}
</details></nav>`;
}

/** The name and the path of an entry of the navigation. */
function entryOf(visit: VisitShown, nav: Section): readonly [name: string, path: string] {
  const of_company = company_entries.find(({ section }) => section === nav);
  if (of_company !== undefined) return [of_company.title, visit.path(of_company.path)];
  const { title, path } = installation_entries.find(({ section }) => section === nav)!;
  return [title, visit.rootPath(path)];
}

interface Shown {
  readonly entry: NavigationEntry;
  readonly href: string;
}

function entries(
  visit: VisitShown,
  all: readonly NavigationEntry[],
  hrefOf: (path: string) => string,
  company_id?: null,
): readonly Shown[] {
  return all
    .filter(({ needs, only_sandbox }) => {
      const exists = only_sandbox !== true || visit.ports.sandbox;
      return exists && (needs === null || visit.may(needs, ...(company_id === null ? [null] : [])));
    })
    .map((entry) => ({ entry, href: hrefOf(entry.path) }));
}

const mark = raw(
  '<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M4 3h16v18H4z M4 8h7 M4 12h11 M4 16h5" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>',
);
