import type { ConsoleAnswer } from './console-crawl.ts';
import { htmlText } from './html-text.ts';

/** A page as a browser without a script has it. */
export interface BrowsedPage {
  readonly status: number;
  /** The HTML, or what a file contains. */
  readonly html: string;
  /** Its words, without the markup. */
  readonly text: string;
  /** The path of the page below the base, after redirects. */
  readonly path: string;
  readonly headers: Headers;
}

/** What a browser without a script does: it follows redirects, keeps cookies, and sends forms with their token. */
export class PageBrowser {
  readonly cookies = new Map<string, string>();
  /** The token of the forms of the page that was opened last. */
  token = '';
  #page: BrowsedPage | undefined;
  readonly #base: string;
  /** The path of the base; empty: the root. */
  readonly #below: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Paths of pages are below `base`. `headers` are those of every request. */
  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#below = new URL(base).pathname.replace(/\/$/, '');
    this.#headers = headers;
  }

  /** The page that is open. */
  get page(): BrowsedPage {
    if (this.#page === undefined) throw new Error('no page was opened');
    return this.#page;
  }

  /** The cookies as a request carries them. */
  get cookie_header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(path: string): Promise<BrowsedPage> {
    return this.#open(path, {});
  }

  /** Sends a form of the page that is open. */
  post(path: string, fields: Readonly<Record<string, string>> | FormData = {}): Promise<BrowsedPage> {
    if (!(fields instanceof FormData)) {
      const [, seen] = /name="seen" value="([^"]+)"/.exec(this.#page?.html ?? '') ?? [];
      const sent = { form_token: this.token, ...(seen === undefined ? {} : { seen }), ...fields };
      return this.#open(path, { method: 'POST', body: new URLSearchParams(sent) });
    }
    fields.set('form_token', this.token);
    return this.#open(path, { method: 'POST', body: fields });
  }

  /** The answer to one request, wherever it leads, and whatever page is open. */
  async ask(path: string, body?: URLSearchParams | FormData): Promise<ConsoleAnswer> {
    const response = await this.#fetch(this.#at(path), body === undefined ? {} : { method: 'POST', body });
    const stays_open = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (stays_open) await response.body?.cancel();
    const html = stays_open ? '' : await response.text();
    return { status: response.status, html, location: response.headers.get('location') };
  }

  async #open(path: string, init: RequestInit): Promise<BrowsedPage> {
    let at = this.#at(path);
    let response = await this.#fetch(at, init);
    for (let hops = 0; response.status >= 300 && response.status < 400; hops += 1) {
      if (hops === 10) throw new Error('too many redirects');
      await response.body?.cancel();
      at = new URL(response.headers.get('location')!, at);
      response = await this.#fetch(at, {});
    }
    const html = await response.text();
    this.token = /name="form-token" content="([^"]+)"/.exec(html)?.[1] ?? this.token;
    const { status, headers } = response;
    this.#page = {
      status,
      html,
      text: htmlText(html),
      path: (at.pathname + at.search).slice(this.#below.length),
      headers,
    };
    return this.#page;
  }

  /** A path below the base, or one of the host. */
  #at(path: string): URL {
    const is_whole = path.startsWith('http') || path.startsWith(`${this.#below}/`);
    return new URL(is_whole ? path : this.#below + path, this.#base);
  }

  async #fetch(at: URL, init: RequestInit): Promise<Response> {
    const headers = { ...this.#headers, cookie: this.cookie_header, 'sec-fetch-site': 'same-origin' };
    const response = await fetch(at, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}
