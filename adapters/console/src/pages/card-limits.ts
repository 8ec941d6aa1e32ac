import { invalid, isSameJson, Refusal, showAmount } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { code_words } from '../decision/say-decision.ts';
import { linesOf, textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { livePart, secondsOf } from '../look/live.ts';
import { nameOf } from '../look/names.ts';
import { choice, facts, field, link, panel, table, textArea } from '../look/parts.ts';
import { amountText, typedAmount } from '../look/typed-amount.ts';
import { foreign, instant, money } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import {
  type Card,
  limitCurrency,
  merchant_lists,
  outcomeOf,
  shownValue,
  templateChoices,
  titleOf,
} from './card-words.ts';

type Backtest = Results['backtests.read'];

/** The limits that this page changes. */
const amounts = ['total_card_amount', 'per_transaction_max', 'per_transaction_min'] as const;

const days_compared = 30;

/**
 * Changes the limits, the template and the merchants of a card in two steps: first the backtest shows
 * what they would have changed in the last month, then they are confirmed.
 */
export function cardLimitPages(app: ConsoleApp): void {
  const at = '/companies/:company_id/cards/:id/limits';
  app.get(at, (c) => formPage(c.var.visit, c.req.param()));
  app.get(`${at}/:backtest_id`, (c) => resultPage(c.var.visit, c.req.param()));

  addForm(app, at, formPage, async (visit, form, { id }) => {
    const card = await visit.call('virtualCards.read', { parameters: { id } });
    const changes = readChanges(form, card, await limitCurrency(visit, card));
    const from = new Date(visit.now_ms - days_compared * 86_400_000).toISOString();
    const { id: backtest_id } = await visit.call('backtests.create', { data: { vcn_id: card.id, changes, from } });
    return { to: visit.path(`/cards/${id}/limits/${backtest_id}`) };
  });

  addForm(app, `${at}/:backtest_id`, resultPage, async (visit, form, { id, backtest_id }) => {
    const { changes } = await readBacktest(visit, id, backtest_id);
    visit.refuseStale(form, valuesBefore(await visit.call('virtualCards.read', { parameters: { id } }), changes));
    await visit.call('virtualCards.update', { parameters: { id }, data: changes });
    return { to: visit.path(`/cards/${id}`), notice: 'The card was changed.' };
  });
}

/** What the card has instead of the changes. */
function valuesBefore(card: Card, changes: Backtest['changes']): readonly unknown[] {
  return Object.keys(changes).map((name) => card[name as keyof Card]);
}

/** The controls that differ from those of the card. Refuses a form that changes nothing. */
function readChanges(form: FormData, card: Card, currency: string): Readonly<Record<string, unknown>> {
  const changes: Record<string, unknown> = {};
  for (const name of amounts) {
    const amount = typedAmount(form, name, currency);
    if (amount !== undefined && amount !== card[name]) changes[name] = amount;
  }
  const used = usedOf(card);
  if (Number(changes.total_card_amount) < used) {
    const message = `must be at least ${showAmount(used, currency)}, which the card has used already`;
    throw invalid({ path: 'total_card_amount', message });
  }
  const uses = textOf(form, 'transactions_max');
  const most = uses === '' ? null : Number(uses);
  if (most !== null && !(Number.isSafeInteger(most) && most > 0)) {
    throw invalid({ path: 'transactions_max', message: 'must be a whole number, or empty for no limit' });
  }
  if (most !== card.transactions_max && card.recurring !== null) changes.transactions_max = most;
  const template_id = textOf(form, 'template_id') || String(card.template_id);
  if (template_id !== String(card.template_id)) changes.template_id = template_id;
  const merchant_controls = readMerchants(form, card);
  if (!isSameJson(merchant_controls, card.merchant_controls)) changes.merchant_controls = merchant_controls;
  if (Object.keys(changes).length > 0) return changes;
  throw new Refusal('validation_failed', 'the card has these limits and merchants already');
}

/** What the card has used of the limit of its window. */
function usedOf({ balance }: Card): number {
  return balance.limit - balance.available;
}

type ListName = (typeof merchant_lists)[number]['name'];

/** The merchant controls as typed; null: none. A list whose text was left alone stays as it is. */
function readMerchants(form: FormData, { merchant_controls: own }: Card) {
  const listOf = (name: ListName, kind: 'allow' | 'deny'): readonly string[] | null => {
    const now = own?.[name]?.[kind] ?? null;
    const typed = linesOf(textOf(form, `${name}.${kind}`));
    if (isSameJson(typed, linesOf((now ?? []).join('\n')))) return now;
    return typed.length === 0 ? null : typed;
  };
  const listsOf = (name: ListName) => {
    const [allow, deny] = [listOf(name, 'allow'), listOf(name, 'deny')];
    return allow === null && deny === null ? null : { allow, deny };
  };
  const controls = {
    merchant_ids: listsOf('merchant_ids'),
    merchant_names: listsOf('merchant_names'),
    countries: listsOf('countries'),
    card_present: textOf(form, 'card_present') || null,
  };
  return Object.values(controls).every((one) => one === null) ? null : controls;
}

async function formPage(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const card = await visit.call('virtualCards.read', { parameters: { id } });
  const [currency, templates] = await Promise.all([limitCurrency(visit, card), templatesOf(visit, card)]);
  const amountField = (name: (typeof amounts)[number]) =>
    field({
      ...visit.typed(name, amountText(card[name], currency)),
      label: `${nameOf(name)}, ${currency}`,
      hint: name === 'total_card_amount' ? `Used already: ${showAmount(usedOf(card), currency)}` : undefined,
      inputmode: 'decimal',
    });
  return await visit.page({
    title: 'Change limits and merchants',
    nav: 'cards',
    trail: [[titleOf(card), visit.path(`/cards/${id}`)]],
    content: panel(
      titleOf(card),
      html`<p>First you see what the change would have done in the last ${days_compared} days. Nothing changes until you confirm.</p>
<form method="post" action="${visit.path(`/cards/${id}/limits`)}">${visit.csrf}${amounts.map(amountField)}${
        card.recurring === null
          ? ''
          : field({
              ...visit.typed('transactions_max', card.transactions_max),
              label: nameOf('transactions_max'),
              hint: 'Empty: not limited.',
              inputmode: 'numeric',
            })
      }${choice({ ...visit.typed('template_id', card.template_id), label: 'Template', of: templates })}${merchantFields(visit, card)}<div class="actions"><button>See what it would have changed</button><a href="${visit.path(`/cards/${id}`)}">Back to the card</a></div></form>`,
    ),
  });
}

/** The templates that the card can have, and that which it has. */
async function templatesOf(visit: Visit, { template_id, recurring }: Card) {
  const choices = await templateChoices(visit, recurring === null ? 'AGING_VELOCITY' : 'VELOCITY');
  if (choices.some(([id]) => id === String(template_id))) return choices;
  return [[String(template_id), `template ${template_id}`] as const, ...choices];
}

/** Merchants and countries, which are open at first where there are some. */
function merchantFields(visit: Visit, { merchant_controls: own }: Card): Content {
  const is_open = own !== null || visit.problem !== undefined;
  const lists = merchant_lists.map(({ name, kind, title }) =>
    textArea({ ...visit.typed(`${name}.${kind}`, own?.[name]?.[kind]?.join('\n')), label: title, rows: 2 }),
  );
  return html`<details${is_open ? html` open` : ''}><summary>Merchants and countries</summary>
<p class="hint">One on each line. Where some are allowed, all others are declined. A name may begin or end with * for any text.</p>
<div class="columns">${lists}</div>${choice({
    ...visit.typed('card_present', own?.card_present),
    label: nameOf('card_present'),
    of: ['', 'required', 'forbidden'].map((rule) => [rule, rule || 'either'] as const),
  })}</details>`;
}

/** The backtest of this card. Refuses (`not_found`) that of another one. */
async function readBacktest(visit: Visit, id: string, backtest_id: string): Promise<Backtest> {
  const backtest = await visit.call('backtests.read', { parameters: { id: backtest_id } });
  if (String(backtest.vcn_id) === id) return backtest;
  throw new Refusal('not_found', `card ${id} has no backtest ${backtest_id}`);
}

async function resultPage(
  visit: Visit,
  { id, backtest_id }: { readonly id: string; readonly backtest_id: string },
): Promise<Response> {
  const [card, backtest] = await Promise.all([
    visit.call('virtualCards.read', { parameters: { id } }),
    readBacktest(visit, id, backtest_id),
  ]);
  const [currency, templates] = await Promise.all([limitCurrency(visit, card), templatesOf(visit, card)]);
  const path = visit.path(`/cards/${id}/limits/${backtest_id}`);
  const is_over = backtest.status === 'completed' || backtest.status === 'failed';
  const differences = is_over
    ? await visit.call('backtests.differences.list', { parameters: { id: backtest_id }, options: { limit: 20 } })
    : null;
  const found = panel(
    'What it would have changed',
    html`<p class="quiet">Since ${instant(backtest.from)}</p>${result(backtest)}${when(differences, ({ items }) => differencesTable(visit, backtest, items))}`,
  );
  return await visit.page({
    title: 'Confirm the change',
    nav: 'cards',
    trail: [[titleOf(card), visit.path(`/cards/${id}`)]],
    content: html`${panel('The change', changeOf(card, backtest, currency, new Map(templates)))}
${livePart(visit, 'result', { every_s: is_over ? undefined : secondsOf(true) }, found)}
<form method="post" action="${path}">${visit.changing(valuesBefore(card, backtest.changes))}<div class="actions"><button>Change the card</button><a href="${visit.path(`/cards/${id}/limits`)}">Change something else</a><a href="${visit.path(`/cards/${id}`)}">Leave the card as it is</a></div></form>`,
  });
}

function changeOf(
  card: Card,
  { changes }: Backtest,
  currency: string,
  templates: ReadonlyMap<string, string>,
): Content {
  return facts(
    Object.entries(changes).map(([name, value]) => {
      const shown = (one: unknown) =>
        name === 'template_id' ? foreign(templates.get(String(one))) : shownValue(name, one, currency);
      return [
        nameOf(name),
        html`${shown(card[name as keyof Card])} → ${value === null ? 'not limited' : shown(value)}`,
      ];
    }),
  );
}

const kinds: Readonly<Record<Backtest['result'][number]['kind'], string>> = {
  declined: 'approved then, and declined with the change',
  approved: 'declined then, and approved with the change',
  reason: 'declined for another reason',
};

function result({ status, error, progress, result: sums, differences }: Backtest): Content {
  if (status === 'failed') return html`<p class="warning">The replay failed: ${error}</p>`;
  if (status !== 'completed') {
    const { messages } = progress;
    return html`<p>Replaying the messages: ${messages} so far.</p>`;
  }
  if (differences === 0) return html`<p>Nothing: every decision would have been the same.</p>`;
  return html`<ul>${sums.map(
    ({ kind, count, amount, currency, recorded, replayed }) =>
      html`<li><strong>${count}</strong> ${count === 1 ? 'message' : 'messages'} of ${money(amount, currency)}: ${kinds[kind]} <span class="quiet">(${wordsOf(recorded)} → ${wordsOf(replayed)})</span></li>`,
  )}</ul>`;
}

function wordsOf(code: string): string {
  const words = code_words[code as keyof typeof code_words];
  return words === undefined ? code : `${code}, ${words}`;
}

function differencesTable(
  visit: Visit,
  { differences }: Backtest,
  rows: Results['backtests.differences.list']['items'],
): Content {
  if (rows.length === 0) return '';
  return html`${table({
    caption: 'The messages that would have been decided otherwise',
    rows,
    columns: [
      {
        title: 'When',
        cell: (one) =>
          link(visit.path(`/cards/${one.vcn_id}/decisions/${one.authorization_id}`), instant(one.decided_at)),
      },
      { title: 'Amount', kind: 'number', cell: (one) => money(one.amount, one.currency) },
      { title: 'Merchant', cell: ({ merchant_id, mcc }) => html`${foreign(merchant_id)}, category ${mcc}` },
      { title: 'Then', cell: ({ recorded }) => outcomeOf(recorded.code) },
      { title: 'With the change', cell: ({ replayed }) => (replayed === null ? 'refused' : outcomeOf(replayed.code)) },
    ],
  })}${rows.length < differences ? html`<p class="quiet">The first ${rows.length} of ${differences}.</p>` : ''}`;
}
