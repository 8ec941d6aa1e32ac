import type { Results } from '@tallystick/operations';
import type { ConsoleApp } from '../console-app.ts';
import { bar } from '../look/charts.ts';
import { type Content, html, when } from '../look/html.ts';
import { field, link, panel, table } from '../look/parts.ts';
import { badge, money, moneyText } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import { itemLink, kind_choices } from './item-words.ts';

type Bridge = Results['reconciliation.bridge'];

/** How many differences and lines the page lists. */
const listed_max = 50;

const day_ms = 24 * 60 * 60 * 1_000;

/** The way from the opening to the closing balance of an account. */
export function bridgePages(app: ConsoleApp): void {
  app.get('/companies/:company_id/bridge', async (c) => {
    const { visit } = c.var;
    const accounts = await accountsOf(visit);
    const account = c.req.query('account')?.trim() || (accounts[0] ?? '');
    const today = new Date(visit.now_ms).toISOString().slice(0, 10);
    const from = c.req.query('from') ?? new Date(visit.now_ms - 30 * day_ms).toISOString().slice(0, 10);
    const to = c.req.query('to') ?? today;
    const filter = { account_id: account, ...(from || to ? { booking_date: [from || null, to || null] } : {}) };
    const bridge = account === '' ? null : await visit.call('reconciliation.bridge', { options: { filter } });
    return await visit.page({
      title: 'Bridge of an account',
      nav: 'bridge',
      content: html`<form class="filters" action="${visit.path('/bridge')}" aria-label="Account and dates">
${field({ name: 'account', label: 'Account', value: account, maxlength: 40, required: true, hint: accounts.length > 1 ? `For example ${accounts.slice(0, 3).join(', ')}` : undefined })}
${field({ name: 'from', label: 'Booked from', type: 'date', value: from })}
${field({ name: 'to', label: 'Booked until', type: 'date', value: to })}
<button class="second">Show</button></form>${
        bridge === null
          ? html`<p class="empty">No statement was imported yet, so there is no account to show.</p>`
          : bridgeOf(visit, bridge)
      }`,
    });
  });
}

/** The accounts of the newest statement lines. */
async function accountsOf(visit: Visit): Promise<readonly string[]> {
  const { items } = await visit.call('reconciliation.lines.list', { options: { limit: 50 } });
  return [...new Set(items.map(({ account_id }) => account_id))].sort();
}

interface Step {
  readonly title: string;
  readonly amount: number;
  /** How many items are behind it; null: it is no difference. */
  readonly count: number | null;
  readonly href: string | null;
}

function stepsOf(visit: Visit, bridge: Bridge): readonly Step[] {
  const plain = (title: string, amount: number): Step => ({ title, amount, count: null, href: null });
  const differences = (step: 'authorization' | 'statement') =>
    bridge.difference_sums
      .filter((one) => one.step === step)
      .map(({ kind, sum, count, items_url }): Step => {
        return { title: titleOf(kind), amount: sum, count, href: itemsPath(visit, items_url) };
      });
  return [
    plain('Authorized', bridge.authorized),
    ...differences('authorization'),
    plain('Fees', bridge.fees),
    ...differences('statement'),
    {
      title: 'Lines without a clearing',
      amount: bridge.unexplained_sum,
      count: bridge.unexplained_count,
      href: `${visit.path('/breaks')}?kind=unexplained_line&account=${bridge.account_id}`,
    },
    plain('Other lines of the account', bridge.other_lines),
  ];
}

/** A row of the bridge, with the totals before and after it in its picture. */
interface Row extends Step {
  readonly from: number;
  readonly to: number;
}

function bridgeOf(visit: Visit, bridge: Bridge): Content {
  const { currency, opening_balance, closing_balance } = bridge;
  const shownOf = (amount: number) => `${moneyText(amount, currency)} ${currency}`;
  let to: number = opening_balance;
  const rowOf = (step: Step): Row => {
    const from = to;
    to += step.amount;
    return { ...step, from, to };
  };
  const balance = (title: string, amount: number): Row => {
    return { title, amount, count: null, href: null, from: amount, to: amount };
  };
  const steps = stepsOf(visit, bridge).map(rowOf);
  const unexplained = closing_balance - to;
  const rows = [
    balance('Opening balance', opening_balance),
    ...steps,
    rowOf({ title: 'Unexplained', amount: unexplained, count: null, href: null }),
    balance('Closing balance', closing_balance),
  ];
  return html`${panel(
    `From ${shownOf(opening_balance)} to ${shownOf(closing_balance)}`,
    html`<p>${badge(`unexplained: ${shownOf(unexplained)}`, unexplained === 0 ? 'ok' : 'bad')}</p>
${table({
  caption: 'The steps of the bridge',
  columns: [
    { title: 'Step', cell: ({ title }) => title },
    { title: 'Items', kind: 'number', cell: ({ count, href }) => countOf(count, href) },
    { title: 'Amount', kind: 'number', cell: ({ amount }) => money(amount, currency) },
    { title: 'From total to total', kind: 'bar', cell: pictureOf(rows) },
  ],
  rows,
  is_compact: true,
})}`,
  )}${differencesOf(visit, bridge)}`;
}

/**
 * The bars of the rows. Their scale covers the totals that are reached and not 0, so that small steps
 * of a large balance are seen.
 */
function pictureOf(rows: readonly Row[]): (row: Row) => Content {
  const totals = rows.map(({ to }) => to);
  const [low, high] = [Math.min(...totals), Math.max(...totals)];
  const placeOf = (total: number) => (high === low ? 0 : ((total - low) / (high - low)) * 98.5);
  return ({ from, to, amount }) => {
    const is_balance = from === to;
    if (is_balance && amount === 0) return '';
    const [left, right] = [Math.min(placeOf(from), placeOf(to)), Math.max(placeOf(from), placeOf(to))];
    return bar(left, Math.max(right, left + 1.5), is_balance ? 'c1' : amount < 0 ? 'c2' : 'c5');
  };
}

function countOf(count: number | null, href: string | null): Content {
  if (count === null) return '';
  return href === null || count === 0 ? count : link(href, count);
}

function differencesOf(
  visit: Visit,
  { differences, differences_count, unexplained, unexplained_count, currency }: Bridge,
): Content {
  const shown = differences.slice(0, listed_max);
  const lines = unexplained.slice(0, listed_max);
  const more = differences_count + unexplained_count - shown.length - lines.length;
  return panel(
    'Each difference',
    html`${table({
      caption: 'Differences with their items',
      columns: [
        { title: 'Item', cell: ({ item_id }) => (item_id === null ? 'in no item yet' : itemLink(visit, item_id)) },
        {
          title: 'Between',
          cell: ({ step }) => (step === 'statement' ? 'clearings and the bank' : 'authorizations and clearings'),
        },
        { title: 'Kind', cell: ({ kind }) => titleOf(kind) },
        { title: 'Amount', kind: 'number', cell: ({ amount }) => money(amount, currency) },
      ],
      rows: shown,
      empty: 'Nothing differs.',
    })}${when(
      lines.length > 0,
      () =>
        html`<h3>Lines without a clearing</h3>${table({
          caption: 'Card lines without a clearing',
          columns: [
            {
              title: 'Line',
              cell: ({ line_id }) => html`<a href="${visit.path(`/lines/${line_id}`)}">Line ${line_id}</a>`,
            },
            { title: 'Amount', kind: 'number', cell: ({ amount }) => money(amount, currency) },
          ],
          rows: lines,
        })}`,
    )}${when(more > 0, () => html`<p class="hint">And ${more} more: choose fewer dates, or follow the numbers of items above.</p>`)}`,
  );
}

function titleOf(kind: string): string {
  const known = kind_choices.find(([one]) => one === kind);
  const words = known?.[1] ?? kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The page of the items that an address of the interface lists. */
function itemsPath(visit: Visit, items_url: string | null): string | null {
  if (items_url === null) return null;
  const query = new URLSearchParams({ status: 'any' });
  for (const [name, value] of new URL(items_url, 'http://localhost').searchParams) {
    const filter = /^filter\[(kind|class|status)\]$/.exec(name)?.[1];
    if (filter !== undefined) query.set(filter, value);
  }
  return `${visit.path('/breaks')}?${query.toString()}`;
}
