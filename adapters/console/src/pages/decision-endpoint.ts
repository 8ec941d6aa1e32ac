import { invalid, Refusal, showAmount } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, field, link, pager, panel, table } from '../look/parts.ts';
import { typedAmount } from '../look/typed-amount.ts';
import { badge, beginning, dash, foreign, instant } from '../look/values.ts';
import type { Visit } from '../visit.ts';
import { limitCurrency } from './card-words.ts';
import { secretPage } from './webhooks.ts';

type Endpoint = Results['decisionEndpoint.read'];
type Consultation = Results['decisionEndpoint.consultations.list']['items'][number];
type Concluded = NonNullable<Consultation['concluded']>;

/** How a question ended, in words. */
const outcomes: Readonly<Record<Concluded['outcome'], readonly [words: string, tone: 'ok' | 'bad' | 'warn']>> = {
  answered: ['answered', 'ok'],
  timeout: ['no answer in time', 'bad'],
  unreachable: ['could not be reached', 'bad'],
  status: ['answered with an error', 'bad'],
  garbage: ['answer did not fit', 'bad'],
  busy: ['too many at once', 'warn'],
  removed: ['endpoint was deleted', 'warn'],
  overtaken: ['decided without it', 'warn'],
};

const answers: Readonly<Record<Concluded['answer'], string>> = {
  approve: 'approve',
  decline: 'decline',
  approve_part: 'approve a part',
};

/** Where a company decides on its purchases itself: whether it answers, and what stands in for it. */
export function decisionEndpointPages(app: ConsoleApp): void {
  const at = '/companies/:company_id/decision-endpoint';
  app.get(at, (c) => showEndpoint(c.var.visit));

  addForm(app, `${at}/test`, showEndpoint, async (visit, form) => {
    const id = textOf(form, 'vcn_id');
    if (!/^\d{1,15}$/.test(id)) throw invalid({ path: 'vcn_id', message: 'must be the id of a card' });
    const card = await visit.call('virtualCards.read', { parameters: { id } });
    const amount = typedAmount(form, 'amount', await limitCurrency(visit, card));
    const found = await visit.call('decisionEndpoint.test', { data: { vcn_id: card.id, amount } });
    // What the endpoint says about an answer is not ours to say.
    const note = found.note === null || found.answer !== null ? '' : ` (${found.note})`;
    const said = found.answer === null ? '' : `: ${answers[found.answer]}`;
    const notice = `The test had this outcome after ${found.ms} ms: ${outcomes[found.outcome][0]}${said}${note}.`;
    return { to: visit.path('/decision-endpoint'), notice };
  });

  for (const status of ['active', 'inactive'] as const) {
    addForm(app, `${at}/${status}`, showEndpoint, async (visit) => {
      await visit.call('decisionEndpoint.update', { data: { status } });
      const notice = status === 'active' ? 'The endpoint is asked again.' : 'The endpoint is not asked any more.';
      return { to: visit.path('/decision-endpoint'), notice };
    });
  }

  addForm(app, `${at}/rotate`, showEndpoint, async (visit) => {
    const { url, secret } = await visit.call('decisionEndpoint.rotateSecret');
    return await secretPage(visit, { of: 'decision endpoint', path: '/decision-endpoint', url, secret });
  });
}

async function showEndpoint(visit: Visit): Promise<Response> {
  const endpoint = await visit.call('decisionEndpoint.read').catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found') return null;
    throw error;
  });
  const { items, next } = await visit.call('decisionEndpoint.consultations.list', { options: visit.paged() });
  return await visit.page({
    title: 'Decision endpoint',
    nav: 'webhooks',
    trail: [],
    content: html`${
      endpoint === null
        ? panel(
            'There is none',
            html`<p>The limits of the cards alone decide. A company registers the URL at which it decides itself by <code>PUT /v1/decision-endpoint</code>.</p>`,
          )
        : settings(visit, endpoint, items)
    }${panel('The newest questions', html`${consultations(visit, items)}${pager(visit, visit.path('/decision-endpoint'), next)}`)}`,
  });
}

function settings(visit: Visit, { url, status, timeout_ms, stand_in }: Endpoint, newest: readonly Consultation[]) {
  const answered = newest.filter(({ concluded }) => concluded?.outcome === 'answered').length;
  const rules = stand_in.map(
    (rule, at) => html`<li>Rule ${at + 1}: ${conditionsOf(rule.if)}: <strong>${rule.decision}</strong></li>`,
  );
  const otherwise = html`<p>${rules.length === 0 ? 'Every request is declined' : 'Where no rule fits, the request is declined'}.</p>`;
  return html`${panel(
    'Settings',
    html`${facts([
      ['URL', foreign(url)],
      ['State', status === 'active' ? badge('active', 'ok') : badge('not asked', 'warn')],
      ['Waits for an answer', `${timeout_ms} ms`],
      newest.length > 0 && ['Questions below', `${answered} of ${newest.length} answered`],
    ])}${when(visit.may('decisionEndpoint.update'), () => acts(visit, status))}`,
  )}${panel('When it does not answer', html`${rules.length === 0 ? '' : html`<ol>${rules}</ol>`}${otherwise}`)}`;
}

function acts(visit: Visit, status: Endpoint['status']): Content {
  const [to, title] = status === 'active' ? ['inactive', 'Do not ask it'] : ['active', 'Ask it again'];
  const formTo = (act: string, content: Content) =>
    html`<form method="post" action="${visit.path(`/decision-endpoint/${act}`)}">${visit.csrf}${content}</form>`;
  return html`<div class="actions">${formTo(to!, html`<button class="second">${title}</button>`)}
<details><summary>Replace the secret</summary><p>The new one is shown once. For 24 hours requests also bear the signature of the old one.</p>${formTo('rotate', html`<button>Replace the secret</button>`)}</details></div>
<h3>Test it</h3><p class="hint">It is asked about a purchase that the card would approve. Nothing is decided.</p>
${formTo('test', html`<div class="filters">${field({ ...visit.typed('vcn_id'), label: 'Card', inputmode: 'numeric', maxlength: 15, required: true })}${field({ ...visit.typed('amount'), label: 'Amount', inputmode: 'decimal', maxlength: 20, required: true })}<button class="second">Send a test</button></div>`)}`;
}

/** `at most 50.00 USD, category 5411 or 5812`. */
function conditionsOf(rule: Endpoint['stand_in'][number]['if']): Content {
  const { amount_min, amount_max, currency, mccs, merchant_ids, merchant_names } = rule;
  const amountOf = (amount: number) =>
    currency === undefined ? `${amount} minor units` : showAmount(amount, currency);
  const parts = [
    amount_min === undefined ? [] : `at least ${amountOf(amount_min)}`,
    amount_max === undefined ? [] : `at most ${amountOf(amount_max)}`,
    currency === undefined ? [] : `cards in ${currency}`,
    mccs === undefined ? [] : `category ${mccs.join(' or ')}`,
    merchant_ids === undefined ? [] : `merchant id ${merchant_ids.join(' or ')}`,
    merchant_names === undefined ? [] : `merchant ${merchant_names.join(' or ')}`,
  ].flat();
  return parts.length === 0 ? 'Every request' : beginning(parts.join(', '), 1_000);
}

function consultations(visit: Visit, rows: readonly Consultation[]): Content {
  return table({
    caption: 'Requests about which the company was asked, the newest first',
    rows,
    empty: 'It was asked about no request yet.',
    columns: [
      { title: 'When', cell: (one) => whenOf(visit, one) },
      { title: 'Card', cell: ({ vcn_id }) => link(visit.path(`/cards/${vcn_id}`), `Card ${vcn_id}`) },
      {
        title: 'Outcome',
        cell: ({ concluded, late }) =>
          html`${concluded === null ? badge('not concluded', 'warn') : badge(...outcomes[concluded.outcome])}${when(late, ({ answer, ms }) => html`<div class="quiet">too late, after ${ms} ms: ${answers[answer]}</div>`)}`,
      },
      { title: 'Decided', cell: ({ concluded }) => when(concluded, decidedOf) },
      { title: 'Time', kind: 'number', cell: ({ concluded }) => (concluded?.ms == null ? dash : `${concluded.ms} ms`) },
    ],
  });
}

function whenOf(visit: Visit, { vcn_id, concluded, sent_at }: Consultation): Content {
  if (concluded === null) return instant(sent_at);
  return link(visit.path(`/cards/${vcn_id}/decisions/${concluded.authorization_id}`), instant(sent_at));
}

function decidedOf({ answer, stood_in, note }: Concluded): Content {
  const by = stood_in === null ? '' : stood_in === 'default' ? ', as no rule fits' : `, by rule ${stood_in}`;
  return html`${answers[answer]}${by}${when(note, (text) => html`<div class="quiet">${beginning(text)}</div>`)}`;
}
