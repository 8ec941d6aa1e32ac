import { unescapeHtml } from './html-text.ts';

/** A route of the console: `GET`, `/companies/:company_id/cards/:id`. */
export interface ConsoleRoute {
  readonly method: string;
  readonly path: string;
}

/** An answer to a request for a page. */
export interface ConsoleAnswer {
  readonly status: number;
  /** Empty for an answer that stays open. */
  readonly html: string;
  readonly location: string | null;
}

/** A page that was found, with its path below the console. */
export interface FoundPage extends ConsoleAnswer {
  readonly path: string;
  readonly route: string;
}

/** A form as a browser sends it by one of its buttons, without the token. */
export interface FoundForm {
  readonly path: string;
  readonly route: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface FoundConsole {
  readonly pages: readonly FoundPage[];
  readonly forms: readonly FoundForm[];
  /** Links to where there is no route, each with the page that has it. */
  readonly dead: readonly string[];
}

export interface CrawlOptions {
  /** What the console is mounted below: `/ops`. */
  readonly base: string;
  readonly routes: readonly ConsoleRoute[];
  /** Where to begin. */
  readonly from: readonly string[];
  /** The most pages of a route with the same company and the same names in the query. */
  readonly alike_max: number;
  get(path: string): Promise<ConsoleAnswer>;
}

const linking = /\b(?:href|hx-get)="([^"]*)"/g;
const form_block = /<form\b([^>]*)>([\s\S]*?)<\/form>/g;
const control = /<(input|select|textarea|button)\b([^>]*)>/g;

/** Follows the links of a console from page to page: whatever route is added is found by its links. */
export async function crawlConsole({ base, routes, from, alike_max, get }: CrawlOptions): Promise<FoundConsole> {
  const pages: FoundPage[] = [];
  const forms = new Map<string, FoundForm>();
  const dead: string[] = [];
  const seen = new Map<string, number>();
  const known = new Set<string>();
  const waiting = from.map((path) => ({ path, of: 'the beginning' }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, of } = next;
    if (known.has(path)) continue;
    known.add(path);
    const route = routeOf(routes, 'GET', path);
    if (route === undefined) {
      dead.push(`${path} on ${of}`);
      continue;
    }
    const alike = likeness(route, path);
    const count = seen.get(alike) ?? 0;
    if (count >= alike_max) continue;
    seen.set(alike, count + 1);
    const answer = await get(path);
    pages.push({ ...answer, path, route: route.path });
    const links = [...answer.html.matchAll(linking)].map(([, link = '']) => link);
    if (answer.location !== null) links.push(answer.location);
    for (const [, attributes = '', content = ''] of answer.html.matchAll(form_block)) {
      const action = attributeOf(attributes, 'action') ?? '';
      if (attributeOf(attributes, 'method')?.toLowerCase() !== 'post') {
        links.push(action);
        continue;
      }
      for (const { formaction, fields } of sendings(content)) {
        const target = below(base, path, formaction ?? action);
        const sent_to = target === null ? undefined : routeOf(routes, 'POST', target);
        if (sent_to === undefined) dead.push(`form to ${formaction ?? action} on ${path}`);
        else
          forms.set(`${likeness(sent_to, target!)} ${Object.keys(fields)} ${fields.do}`, {
            path: target!,
            route: sent_to.path,
            fields,
          });
      }
    }
    for (const link of links) {
      const target = below(base, path, link);
      if (target !== null && !of_others.test(target)) waiting.push({ path: target, of: path });
    }
  }
  return { pages, forms: [...forms.values()], dead };
}

/** Files, and what the log-in answers. */
const of_others = /^\/(assets|log-out|log-in)\b/;

/** What a form sends by each of its buttons. What is typed is made up. */
function sendings(
  content: string,
): { readonly formaction: string | undefined; readonly fields: FoundForm['fields'] }[] {
  const fields: Record<string, string> = {};
  const buttons: string[] = [];
  for (const [, kind, attributes = ''] of content.matchAll(control)) {
    if (kind === 'button') buttons.push(attributes);
    const name = attributeOf(attributes, 'name');
    if (kind === 'button' || name === undefined || name === 'form_token') continue;
    const chosen = attributeOf(attributes, 'type') === 'number' ? '1' : 'Checked';
    fields[name] = attributeOf(attributes, 'value') || chosen;
  }
  for (const [, name = '', options = ''] of content.matchAll(
    /<select\b[^>]*\bname="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g,
  )) {
    fields[name] = /<option\b[^>]*\bvalue="([^"]+)"/.exec(options)?.[1] ?? '';
  }
  return (buttons.length === 0 ? [''] : buttons).map((attributes) => {
    const name = attributeOf(attributes, 'name');
    const value = attributeOf(attributes, 'value') ?? '';
    return {
      formaction: attributeOf(attributes, 'formaction'),
      fields: name === undefined ? fields : { ...fields, [name]: value },
    };
  });
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

/** The path of a link below the console; null: it leads elsewhere, or to a place on the same page. */
function below(base: string, page: string, link: string): string | null {
  const text = unescapeHtml(link);
  if (text.startsWith('#')) return null;
  const url = new URL(text, `http://console${base}${page}`);
  const is_below = url.pathname === base || url.pathname.startsWith(`${base}/`);
  if (url.host !== 'console' || !is_below) return null;
  return `${url.pathname.slice(base.length) || '/'}${url.search}`;
}

function routeOf(routes: readonly ConsoleRoute[], method: string, path: string): ConsoleRoute | undefined {
  const [pathname = ''] = path.split('?');
  return routes.find((route) => route.method === method && formOf(route).test(pathname));
}

/** The paths of a route as a regular expression. */
function formOf({ path }: ConsoleRoute): RegExp {
  const parts = path.split(/(:\w+(?:\{[^}]*\})?)/).map((part) => {
    const [, pattern] = /^:\w+(?:\{([^}]*)\})?$/.exec(part) ?? [];
    if (part.startsWith(':')) return `(?:${pattern ?? '[^/]+'})`;
    return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('\\*', '.*');
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** The same for pages that show the same of other things. */
function likeness({ path }: ConsoleRoute, asked: string): string {
  const { pathname, searchParams } = new URL(asked, 'http://console');
  const company = /^\/companies\/\d+/.exec(pathname)?.[0] ?? '';
  return `${company} ${path} ${[...new Set(searchParams.keys())].toSorted().join()}`;
}
