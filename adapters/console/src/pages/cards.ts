import { invalid } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { window_words } from '../decision/say-decision.ts';
import { linesOf, textOf } from '../form.ts';
import { type Content, html } from '../look/html.ts';
import { choice, field, link, pager, panel, table, textArea } from '../look/parts.ts';
import { typedAmount } from '../look/typed-amount.ts';
import { date, foreign, money } from '../look/values.ts';
import { readMetadata } from '../search/parse-search.ts';
import type { Visit } from '../visit.ts';
import { type Card, statusOf, templateChoices, titleOf } from './card-words.ts';

type RealCard = Results['realCards.list']['items'][number];

/** The cards of a company, and a new one. */
export function cardsPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/cards', (c) => listPage(c.var.visit));
  app.get('/companies/:company_id/cards/new', (c) => newPage(c.var.visit));
  addForm(app, '/companies/:company_id/cards', newPage, async (visit, form) => {
    const { id } = await visit.call('virtualCards.create', { data: await readCard(visit, form) });
    return { to: visit.path(`/cards/${id}`), notice: 'The card was created.' };
  });
}

/** The states that the list can be limited to. */
const states: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  active: { status: 'Approved', frozen: false },
  frozen: { frozen: true },
  canceled: { status: 'Canceled' },
};

async function listPage(visit: Visit): Promise<Response> {
  const [state, last4, metadata] = ['state', 'last4', 'metadata'].map((name) => visit.query.get(name)?.trim() ?? '');
  const named = readMetadata(metadata!);
  const filter = {
    ...states[state!],
    ...(/^\d{4}$/.test(last4!) ? { last4 } : {}),
    ...(named !== null
      ? { [`metadata.${named.name}`]: named.value }
      : metadata === ''
        ? {}
        : { metadata_value: metadata }),
  };
  const { items, next } = await visit.call('virtualCards.list', { options: visit.paged(filter) });
  const billed = await billingCurrencies(visit, items);
  const path = visit.path('/cards');
  return await visit.page({
    title: 'Cards',
    nav: 'cards',
    beside: visit.may('virtualCards.create') ? html`<a class="button" href="${path}/new">New card</a>` : undefined,
    content: html`<form class="filters" action="${path}">${choice({
      name: 'state',
      label: 'State',
      value: state,
      of: [
        ['', 'All'],
        ['active', 'Active'],
        ['frozen', 'Frozen'],
        ['canceled', 'Canceled'],
      ],
    })}${field({ name: 'last4', label: 'Last four digits', value: last4, inputmode: 'numeric', maxlength: 4 })}${field({
      name: 'metadata',
      label: 'Metadata',
      value: metadata,
      maxlength: 200,
    })}<button class="second">Filter</button></form>
${table({
  caption: 'Cards, newest first',
  rows: items,
  empty: visit.query.size > 0 ? 'No card fits the filter.' : 'There is no card yet.',
  columns: [
    { title: 'Card', cell: (card) => link(`${path}/${card.id}`, titleOf(card)) },
    { title: 'State', cell: statusOf },
    { title: 'Real card', cell: ({ rcn_alias }) => foreign(rcn_alias) },
    { title: 'Valid until', cell: ({ valid_ending_on }) => date(valid_ending_on) },
    { title: 'Metadata', cell: ({ metadata: values }) => metadataText(values) },
    {
      title: 'Left',
      kind: 'number',
      cell: ({ available_balance, total_card_amount, currency, rcn_id }) => {
        const limits_in = currency ?? billed.get(rcn_id);
        return html`${money(available_balance, limits_in)}<div class="quiet nowrap">of ${money(total_card_amount, limits_in)}</div>`;
      },
    },
  ],
})}${pager(visit, path, next)}`,
  });
}

/** The currencies in which the purchases of these cards are billed, by their real cards. */
async function billingCurrencies(visit: Visit, cards: readonly Pick<Card, 'rcn_id'>[]) {
  const ids = [...new Set(cards.map(({ rcn_id }) => rcn_id))];
  if (ids.length === 0) return new Map<number, string>();
  const found = await visit.together(['realCards.read'], (read) =>
    Promise.all(ids.map((id) => read('realCards.read', { parameters: { id } }))),
  );
  return new Map(found.map(({ rcn_id, billing_currency }) => [rcn_id, billing_currency]));
}

function metadataText(values: Readonly<Record<string, unknown>> | null): Content {
  const shown = Object.entries(values ?? {})
    .slice(0, 2)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`.slice(0, 80));
  return foreign(shown.join(', '));
}

async function newPage(visit: Visit): Promise<Response> {
  const [real_cards, templates] = await Promise.all([
    visit.call('realCards.list', { options: { limit: 100 } }),
    templateChoices(visit, 'VELOCITY'),
  ]);
  const by_default = real_cards.items.find(({ is_default }) => is_default)?.rcn_id;
  return await visit.page({
    title: 'New card',
    nav: 'cards',
    trail: [],
    content: panel(
      'Card',
      html`<form method="post" action="${visit.path('/cards')}">${visit.csrf}
${choice({
  ...visit.typed('rcn_id', by_default),
  label: 'Real card',
  of: real_cards.items.map((one) => [String(one.rcn_id), `${one.rcn_alias}, ${one.billing_currency}`]),
})}
${field({ ...visit.typed('total_card_amount'), label: 'Limit', hint: 'In the currency of the real card, such as 500.00.', inputmode: 'decimal', required: true })}
${choice({
  ...visit.typed('recurring'),
  label: 'The limit is for',
  of: [
    ['Continuous', 'all time'],
    ...[...window_words].map(([name, words]) => [String(name), `each ${words}`] as const),
  ],
})}
${field({ ...visit.typed('per_transaction_max'), label: 'At most per purchase', hint: 'Empty: the limit.', inputmode: 'decimal' })}
${field({ ...visit.typed('transactions_max'), label: 'Uses', hint: 'Empty: not limited.', inputmode: 'numeric' })}
${field({ ...visit.typed('valid_ending_on'), label: 'Valid until', hint: 'Empty: as long as possible.', type: 'date' })}
${choice({ ...visit.typed('template_id'), label: 'Template', of: [['', 'All merchant categories'], ...templates] })}
${textArea({ ...visit.typed('emails'), label: 'Mail the details to', hint: 'One address on each line. Empty: nobody.', rows: 2 })}
${textArea({ ...visit.typed('metadata'), label: 'Metadata', hint: 'One name and value on each line: order: 4711', rows: 2 })}
<div class="actions"><button>Create the card</button><a href="${visit.path('/cards')}">Back to the cards</a></div></form>`,
    ),
  });
}

/** The fields of a new card. What is empty stands for the default. */
async function readCard(visit: Visit, form: FormData): Promise<Readonly<Record<string, unknown>>> {
  const text = (name: string) => textOf(form, name) || undefined;
  const { items } = await visit.call('realCards.list', { options: { limit: 100 } });
  const real_card: RealCard | undefined = items.find(({ rcn_id }) => String(rcn_id) === text('rcn_id'));
  if (real_card === undefined) throw invalid({ path: 'rcn_id', message: 'must be a real card of the company' });
  const uses = text('transactions_max');
  if (uses !== undefined && !/^[1-9]\d{0,8}$/.test(uses)) {
    throw invalid({ path: 'transactions_max', message: 'must be a whole number, or empty for no limit' });
  }
  const metadata = linesOf(textOf(form, 'metadata')).map((line): [string, string] => {
    const named = readMetadata(line);
    if (named !== null) return [named.name, named.value];
    throw invalid({ path: 'metadata', message: 'must have a name and a value on each line, such as order: 4711' });
  });
  const emails = linesOf(textOf(form, 'emails'));
  const { billing_currency } = real_card;
  return {
    rcn_id: real_card.rcn_id,
    total_card_amount: typedAmount(form, 'total_card_amount', billing_currency),
    per_transaction_max: typedAmount(form, 'per_transaction_max', billing_currency),
    transactions_max: uses === undefined ? undefined : Number(uses),
    recurring: text('recurring'),
    valid_ending_on: text('valid_ending_on'),
    template_id: text('template_id'),
    emails: emails.length === 0 ? undefined : emails,
    metadata: metadata.length === 0 ? undefined : Object.fromEntries(metadata),
  };
}
