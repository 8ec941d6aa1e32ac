import { isOfCompanies } from '@tallystick/access';
import { Fault, Refusal } from '@tallystick/kernel';
import type { FileInput, Parameter, Results, VisitorCall } from '@tallystick/operations';
import { readForm } from './form.ts';
import { digestOf, formToken, isFormToken } from './form-token.ts';
import { type Content, html } from './look/html.ts';
import { type PageOptions, renderPage } from './look/layout.ts';
import { readNotice, withNotice } from './notice.ts';
import type { ConsolePorts, Identity, RequestFacts } from './ports.ts';
import { Problem } from './problem.ts';

/** What an operation is called with, besides who calls it. */
export interface VisitCall {
  readonly parameters?: Readonly<Partial<Record<Parameter, string | number>>>;
  /** The fields of the resource. */
  readonly data?: unknown;
  readonly file?: FileInput;
  /** `{ filter: { status: 'break' }, limit: 50 }`. Members that are undefined are left out. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Instead of that of the page; null: all companies, or none. */
  readonly company_id?: number | null;
}

/** Where a form leads after its work. */
export interface Done {
  /** A path of the console, from `visit.path`. */
  readonly to: string;
  /** What was done, shown once on the next page. */
  readonly notice?: string;
}

/** One request of a visitor. */
export class Visit {
  readonly identity: Identity;
  readonly facts: RequestFacts;
  readonly request: Request;
  readonly ports: ConsolePorts;
  /** The company of the page; null: the page is about all companies, or about none. */
  readonly company_id: number | null;

  constructor(ports: ConsolePorts, identity: Identity, facts: RequestFacts, request: Request) {
    this.ports = ports;
    this.identity = identity;
    this.facts = facts;
    this.request = request;
    const id = /^\/companies\/([1-9]\d{0,14})(?:\/|$)/.exec(new URL(request.url).pathname)?.[1];
    this.company_id = identity.portal_of ?? (id === undefined ? null : Number(id));
    this.#is_meant = ['GET', 'HEAD'].includes(request.method);
  }

  /** The refusal of the form whose page is shown again. */
  problem: Problem | undefined;

  /** The query of the address. */
  get query(): URLSearchParams {
    return new URL(this.request.url).searchParams;
  }

  /** The options of a list: its first page, or the one that the address names. */
  paged(filter: object = {}, limit = 50): { readonly filter: object; readonly limit: number; readonly after?: string } {
    const after = this.query.get('after');
    return { filter, limit, ...(after ? { after } : {}) };
  }

  /** The name of a field of a form, what was typed into it, else `value`, and what is wrong with it. */
  typed(name: string, value?: string | number | null) {
    return { name, value: this.problem?.typed(name) ?? value, error: this.problem?.of(name) };
  }

  /** Service time, epoch milliseconds: that of the sandbox's clock in a sandbox. */
  get now_ms(): number {
    return this.ports.clock.nowMs();
  }

  /** A path of the console as the browser sees it. Of the company, where the page has one. */
  path(path: string): string {
    if (this.identity.portal_of !== undefined) return this.rootPath(`/portal${path}`);
    return this.company_id === null ? this.rootPath(path) : this.rootPath(`/companies/${this.company_id}${path}`);
  }

  /** A path of the console that belongs to no company. */
  rootPath(path: string): string {
    return `${this.facts.base}${path}`;
  }

  /** Does the work of an operation, in the roles of the visitor. Rejects as `Calls.callAs` does. */
  async call<Id extends keyof Results>(id: Id, call: VisitCall = {}): Promise<Results[Id]> {
    const { calls } = this.ports;
    const work = async (): Promise<unknown> => {
      this.assertMeant();
      return await calls.callAs(this.identity, id, this.callOf(id, call));
    };
    const operation = calls.operations.get(id);
    if (operation === undefined) throw new Refusal('not_found', 'this installation does not offer it');
    // Other operations have many short transactions, and may wait for the sender of a file.
    const has_one = 'read' in operation || 'write' in operation;
    return (await (has_one ? this.facts.transaction(work) : work())) as Results[Id];
  }

  /**
   * Calls operations that only read, of these, in one transaction: see `Calls.readAs`. Those that the
   * installation does not offer are left out.
   */
  async together<Result>(
    ids: readonly (keyof Results)[],
    work: (read: Visit['call']) => Promise<Result>,
  ): Promise<Result> {
    const { calls } = this.ports;
    const offered = ids.filter((id) => calls.operations.has(id));
    return await this.facts.transaction(async () => {
      this.assertMeant();
      return await calls.readAs(this.identity, offered, this.company_id, (read) =>
        work(async (id, call = {}) => (await read(id, this.callOf(id, call))) as Results[typeof id]),
      );
    });
  }

  private callOf(id: string, call: VisitCall): VisitorCall {
    const { request_id, source_address } = this.facts;
    const { company_id = this.companyOf(id), ...rest } = call;
    const { file: _, ...sent } = rest;
    const key = this.#sent_token === null ? undefined : this.keyOf([this.#sent_token, id, company_id, sent]);
    return { ...rest, company_id, request_id, source_address, key };
  }

  /** The key of a call: the same when its form is sent again, and another for other fields. */
  private keyOf(call: readonly unknown[]): string {
    const digest = digestOf(call);
    const times = this.#calls.get(digest) ?? 0;
    this.#calls.set(digest, times + 1);
    return `${digest}.${times}`;
  }

  /** Refuses (`forbidden`) the work of a form whose token was not checked. Throws when nobody waits for a page. */
  private assertMeant(): void {
    if (!this.#is_meant) throw new Refusal('forbidden', 'the token of this form was not checked');
    if (this.request.method !== 'GET' || !this.facts.isGone()) return;
    throw new Fault('the browser has left', { retryable: true });
  }

  /** Whether the visitor may call an operation here. A page shows no button that would be refused. */
  may(id: keyof Results, company_id: number | null = this.companyOf(id)): boolean {
    return this.ports.calls.may(this.identity, id, company_id);
  }

  /** Whether the visitor has a role for the company of the page, if it has one. */
  isOfCompany(): boolean {
    const { company_id } = this;
    return company_id === null || this.identity.grants.some((one) => [null, company_id].includes(one.company_id));
  }

  /** The company for which an operation is called: none for those of the operator. */
  private companyOf(id: string): number | null {
    const area = this.ports.calls.operations.get(id)?.area;
    return area !== undefined && isOfCompanies(area) ? this.company_id : null;
  }

  /** The token of the forms of this page. */
  get form_token(): string {
    this.#form_token ??= formToken(this.identity.secret, this.ports.random);
    return this.#form_token;
  }

  /** The hidden field that every form of the console needs. */
  get csrf(): Content {
    return html`<input type="hidden" name="form_token" value="${this.form_token}">`;
  }

  /** The hidden fields of a form that changes what is `shown`. */
  changing(shown: unknown): Content {
    // A page that is shown again, with what was typed, is about what was seen at first.
    const seen = this.problem?.typed('seen') ?? digestOf(shown);
    return html`${this.csrf}<input type="hidden" name="seen" value="${seen}">`;
  }

  /**
   * Refuses (`conflict`) a form whose page has shown something else than what is there `now`: it would
   * undo what somebody else has changed since. Its page then shows what is there, and nothing typed.
   */
  refuseStale(form: FormData, now: unknown): void {
    const seen = form.get('seen');
    if (seen === null || seen === digestOf(now)) return;
    for (const name of [...form.keys()]) form.delete(name);
    const message = 'somebody has changed it since this page was opened: nothing was saved, and this is how it is now';
    throw new Refusal('conflict', message);
  }

  /** Shows a page within the layout. */
  async page(options: PageOptions): Promise<Response> {
    const { notice, forget } = readNotice(this);
    const text = await renderPage(this, { ...options, notice });
    const headers = new Headers({ 'Content-Type': 'text/html; charset=utf-8' });
    if (forget !== null) headers.append('Set-Cookie', forget);
    return new Response(text, { status: this.problem?.status ?? options.status ?? 200, headers });
  }

  /**
   * Does the work of a form and leads on (303), or answers with its page. Where the domain refuses
   * it, `again` shows the page of the form.
   */
  async act(
    work: (form: FormData) => Promise<Done | Response>,
    again: (problem: Problem) => Promise<Response> | Response,
  ): Promise<Response> {
    const form = await this.form();
    try {
      const done = await work(form);
      if (done instanceof Response) return done;
      return withNotice(this, new Response(null, { status: 303, headers: { Location: done.to } }), done.notice);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem = new Problem(error, form);
      return await again(this.problem);
    }
  }

  /** The fields that a form has sent. Refuses as `readForm` does, and (`forbidden`) without the visitor's token. */
  form(): Promise<FormData> {
    this.#form ??= readForm(this.request).then((form) => {
      this.checkToken(form.get('form_token'));
      return form;
    });
    return this.#form;
  }

  /** Refuses (`forbidden`) another token than that of the visitor. Before it a form calls nothing. */
  checkToken(token: unknown): void {
    if (!isFormToken(token, this.identity.secret)) {
      throw new Refusal('forbidden', 'this page is out of date; go back, reload it, and try again');
    }
    this.#is_meant = true;
    this.#sent_token = token;
  }

  #form: Promise<FormData> | undefined;
  #form_token: string | undefined;
  /** The token of the form that was sent; null: none. */
  #sent_token: string | null = null;
  /** How often the form has called the same. */
  readonly #calls = new Map<string, number>();
  /** Whether the visitor wants what the request does: to read, or by a form that has the token. */
  #is_meant: boolean;
}
