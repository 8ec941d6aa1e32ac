import { invalidQuery, Refusal } from '@tallystick/kernel';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { fileAnswer } from '../file-answer.ts';
import { type Content, html, when } from '../look/html.ts';
import { liveNews } from '../look/live.ts';
import { choice, field, link, pager, panel, table, tick } from '../look/parts.ts';
import { amountIn } from '../look/typed-amount.ts';
import { badge, dash, foreign, money, moneyText } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import { actValue, answerWords, doAct, namingRows } from './item-acts.ts';
import {
  ageOf,
  differenceOf,
  handleOf,
  type Item,
  itemLink,
  kind_choices,
  kindBadge,
  kindMeaning,
  namesOf,
  status_choices,
  statusBadge,
  whatOf,
} from './item-words.ts';

/** Each row has its best suggestion: a page stays small. */
const page_size = 25;

const ages = ['0-1', '2-3', '4-7', '8-30', '8-', '31-'] as const;

/** The queue of breaks, the items of any other status, and their table. */
export function breaksPages(app: ConsoleApp): void {
  const at = '/companies/:company_id/breaks';
  app.get(at, (c) => showBreaks(c.var.visit));
  app.get(`${at}.csv`, async (c) => {
    const { visit } = c.var;
    const filter = filterOf(visit, visit.query);
    return fileAnswer(visit, await visit.call('reconciliation.items.export', { options: { filter } }));
  });

  addForm(app, at, showBreaks, async (visit, form) => {
    const to = `${visit.path('/breaks')}${new URL(visit.request.url).search}`;
    return { to, notice: await doAct(visit, form) };
  });

  addForm(app, `${at}/table`, showBreaks, async (visit, form) => {
    const file = form.get('table');
    if (typeof file === 'string' || file === null || file.size === 0) {
      throw new Refusal('validation_failed', 'choose the table first', [{ path: 'table', message: 'is missing' }]);
    }
    const options = { dry_run: form.get('dry_run') !== null };
    const sent = visit.call('reconciliation.decisions.create', { file: file.stream(), options });
    const answer = await sent.catch(namingRows((row) => `row ${row}`));
    if (answer.errors.length === 0) return { to: visit.path('/breaks'), notice: answerWords(answer) };
    const rows = answer.errors.slice(0, 20).map(({ row, column, message }) => {
      return { path: `row ${row}, ${column}`, message };
    });
    throw new Refusal('validation_failed', `the table has ${answer.errors_total} errors`, rows);
  });
}

async function showBreaks(visit: Visit): Promise<Response> {
  const { query } = visit;
  const options = {
    ...visit.paged(filterOf(visit, query), page_size),
    suggestions: true,
    oldest_first: query.get('order') === 'oldest',
  };
  const { items, next } = await visit.call('reconciliation.items.list', { options }).catch(nothingOf(visit));
  const csv = html`<a class="button second" href="${visit.path('/breaks.csv')}?${query}">Table for a spreadsheet</a>`;
  return await visit.page({
    title: query.get('status') === null || query.get('status') === 'break' ? 'Breaks' : 'Items',
    nav: 'breaks',
    beside: csv,
    content: html`${filters(visit, query)}${liveNews(visit, 'break')}${queue(visit, items)}${pager(visit, visit.path('/breaks'), next)}${when(visit.may('reconciliation.decisions.create'), () => upload(visit))}`,
  });
}

/** A page that is shown again because of its filter has no items. */
function nothingOf({ problem }: Visit) {
  return (error: unknown) => {
    if (problem === undefined || !(error instanceof Refusal)) throw error;
    return { items: [], next: null };
  };
}

/** The filter as the operation takes it. Amounts are in the units of the currency, or in hundredths. */
function filterOf(visit: Visit, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const given = (name: string) => query.get(name)?.trim() || undefined;
  const text = given('text');
  const [from_age, to_age] = (given('age') ?? '').split('-');
  const assignee = given('assignee');
  const currency = given('currency')?.toUpperCase();
  const range = ['amount_from', 'amount_to'].map((name) => {
    const typed = given(name);
    const amount = typed === undefined ? null : amountIn(typed, currency ?? 'EUR');
    if (amount === undefined) throw invalidQuery({ path: name, message: 'must be an amount such as 12.50' });
    return amount;
  });
  const filter = {
    status: given('status') === 'any' ? undefined : (given('status') ?? 'break'),
    class: given('class'),
    kind: given('kind'),
    currency,
    account_id: given('account'),
    assignee: assignee === 'me' ? handleOf(visit) : assignee,
    age_days: from_age === '' ? undefined : [Number(from_age), to_age === '' ? null : Number(to_age)],
    amount: range.every((amount) => amount === null) ? undefined : range,
    ...(text === undefined ? {} : /\d{4}/.test(text) ? { reference: text } : { merchant_name: text }),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function filters(visit: Visit, query: URLSearchParams): Content {
  const value = (name: string) => query.get(name) ?? '';
  const any = ['', 'Any'] as const;
  const other = ['', 'me', 'none'].includes(value('assignee')) ? [] : [[value('assignee'), value('assignee')] as const];
  return html`<form class="filters" action="${visit.path('/breaks')}" aria-label="Filter">
${choice({ name: 'status', label: 'Status', value: value('status') || 'break', of: [...status_choices, ['any', 'Any']] })}
${choice({ name: 'kind', label: 'Kind', value: value('kind'), of: [any, ...kind_choices] })}
${choice({ name: 'age', label: 'Age in days', value: value('age'), of: [any, ...ages.map((age) => [age, age.endsWith('-') ? `over ${Number.parseInt(age, 10) - 1}` : age] as const)] })}
${choice({ name: 'assignee', label: 'Assigned to', value: value('assignee'), of: [['', 'Anybody'], ['me', 'Me'], ['none', 'Nobody'], ...other] })}
${choice({
  name: 'order',
  label: 'Order',
  value: value('order'),
  of: [
    ['', 'Newest first'],
    ['oldest', 'Oldest first'],
  ],
})}
${moreFilters(value)}
<div class="actions"><button class="second">Filter</button><a href="${visit.path('/breaks')}">Clear</a></div></form>`;
}

/** Filters that are open at first only where one of them is set. */
function moreFilters(value: (name: string) => string): Content {
  const is_set = ['amount_from', 'amount_to', 'currency', 'account', 'text'].some((name) => value(name) !== '');
  return html`<details class="more"${is_set ? html` open` : ''}><summary>More filters</summary><div class="filters">
${field({ name: 'amount_from', label: 'Amount from', value: value('amount_from'), inputmode: 'decimal', maxlength: 20 })}
${field({ name: 'amount_to', label: 'Amount to', value: value('amount_to'), inputmode: 'decimal', maxlength: 20 })}
${field({ name: 'currency', label: 'Currency', value: value('currency'), maxlength: 3 })}
${field({ name: 'account', label: 'Account', value: value('account'), maxlength: 40 })}
${field({ name: 'text', label: 'Merchant or reference', value: value('text'), maxlength: 200 })}</div></details>
${when(value('class'), (name) => html`<input type="hidden" name="class" value="${name}">`)}`;
}

function queue(visit: Visit, items: readonly Item[]): Content {
  const may_act = visit.may('reconciliation.items.accept');
  const shown = table({
    caption: `Items, the ${visit.query.get('order') === 'oldest' ? 'oldest' : 'newest'} first`,
    columns: [
      { title: 'Item', cell: (item) => html`${when(may_act, () => tickOf(item))}${aboutOf(visit, item)}` },
      { title: 'Authorized', kind: 'number', cell: ({ authorized, currency }) => sideOf(authorized, currency) },
      { title: 'Cleared', kind: 'number', cell: ({ cleared, currency }) => sideOf(cleared, currency) },
      { title: 'Stated', kind: 'number', cell: ({ stated, currency }) => sideOf(stated, currency) },
      { title: 'Difference', kind: 'number', cell: differenceOf },
      { title: 'Suggestion and acts', cell: (item) => actsOf(visit, item, may_act) },
    ],
    rows: items,
    empty: visit.query.size > 0 ? 'No item fits the filter.' : 'There is no break: nothing waits for you here.',
    rowId: ({ id }) => `item-${id}`,
  });
  if (!may_act) return html`<div class="queue">${shown}</div>`;
  const { search } = new URL(visit.request.url);
  // Enter in the note presses the first button: a disabled one decides nothing.
  return html`<form class="queue" method="post" action="${visit.path('/breaks')}${search}">${visit.csrf}<button disabled hidden></button>
${when(
  items.length > 0,
  () => html`<div class="decide">${field({ ...visit.typed('note'), label: 'Note on what you decide', maxlength: 1000, autocomplete: 'off' })}
<div class="actions" role="group" aria-label="All that are ticked"><button name="do" value="accept" class="second">Accept ticked</button><button name="do" value="ignore" class="second">Ignore ticked</button><button name="do" value="confirm" class="second">Confirm ticked (proposed only)</button><button name="do" value="assign" class="second">Assign ticked to me</button></div></div>
<p class="hint keys"><kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>x</kbd> ticks, <kbd>a</kbd> accepts, <kbd>i</kbd> ignores, <kbd>m</kbd> matches, <kbd>c</kbd> comments</p>`,
)}
${shown}</form>`;
}

/** An amount of a row, whose currency stands at its difference. */
function sideOf(amount: number | null, currency: string): Content {
  return amount === null ? dash : html`<span class="amount">${moneyText(amount, currency)}</span>`;
}

function tickOf({ id, version, status }: Item): Content {
  return html`<input type="checkbox" name="item" value="${id}:${version}" data-key="x" aria-label="Tick item ${id}, ${status}">`;
}

function aboutOf(visit: Visit, item: Item): Content {
  const kind = item.kind === null ? statusBadge(item.status) : kindBadge(item);
  const card = when(item.vcn_id, (id) => html`, <a class="nowrap" href="${visit.path(`/cards/${id}`)}">card ${id}</a>`);
  const more = [
    item.age_days === null ? [] : ageOf(item),
    item.assignee === null ? [] : html`for ${foreign(item.assignee)}`,
  ].flat();
  return html`${itemLink(visit, item.id)} ${kind}<div>${whatOf(item)}${card}</div><div class="quiet">${more.map((one, at) => html`${at === 0 ? '' : ', '}${one}`)}</div>`;
}

function actsOf(visit: Visit, item: Item, may_act: boolean): Content {
  const [best, ...more] = item.suggestions;
  const suggested =
    best === undefined
      ? html`<span class="quiet">${kindMeaning(item.kind)}</span>`
      : html`${money(best.amount, item.currency)}: ${best.reason}${more.length === 0 ? '' : html` ${itemLink(visit, item.id, `${more.length} more`)}`}`;
  if (item.pending_approval_id !== null) {
    const path = visit.path(`/approvals/${item.pending_approval_id}`);
    return link(path, badge('Waits for a second person', 'warn'));
  }
  if (!may_act || item.period_id !== null) return suggested;
  const act = (action: 'accept' | 'ignore' | 'confirm', title: string, key = '') =>
    html`<button class="second" name="do" value="${actValue(action, item)}"${key === '' ? '' : html` data-key="${key}"`}>${title}<span class="visually-hidden"> item ${item.id}</span></button>`;
  return html`<p>${suggested}</p><div class="actions">${when(best, (one) => matchButton(visit, item, one))}${item.status === 'break' ? act('accept', 'Accept', 'a') : ''}${item.status === 'proposed' ? act('confirm', 'Confirm', 'a') : ''}${['break', 'proposed', 'awaiting'].includes(item.status) ? act('ignore', 'Ignore', 'i') : ''}<a data-key="c" href="${visit.path(`/items/${item.id}`)}#field-text">Comment</a></div>`;
}

/** A suggestion with another amount needs a reason, which the page of the item asks for. */
function matchButton(visit: Visit, item: Item, suggestion: Item['suggestions'][number]): Content {
  const names = namesOf(suggestion);
  if (suggestion.differs.amount !== 0) {
    const path = `${visit.path(`/items/${item.id}`)}?with=${encodeURIComponent(names)}#field-note`;
    return html`<a class="button second" data-key="m" href="${path}">Match…</a>`;
  }
  return html`<button class="second" name="do" data-key="m" value="${actValue('match', item, names)}">Match<span class="visually-hidden"> item ${item.id} with ${names}</span></button>`;
}

function upload(visit: Visit): Content {
  return panel(
    'Decide by a table',
    html`<p>Fill in the columns <code>decision</code>, <code>note</code> and <code>with</code> of the table, and send it back. All rows are decided, or none.</p>
<form method="post" action="${visit.path('/breaks/table')}" enctype="multipart/form-data">${visit.csrf}
<div class="field"><label for="field-table">Table (CSV)</label><input type="file" id="field-table" name="table" accept=".csv,text/csv" required></div>
${tick('dry_run', 'Only check it')}
<button>Send the table</button></form>`,
    { id: 'table' },
  );
}
