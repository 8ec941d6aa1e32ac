import { Refusal } from '@tallystick/kernel';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { code_words, type ExplainedDecision, sayDecision } from '../decision/say-decision.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { nameOf } from '../look/names.ts';
import { facts, link, panel, table, textArea } from '../look/parts.ts';
import { badge, date, exactInstant, foreign, instant, money } from '../look/values.ts';
import { who } from '../look/who.ts';
import type { Visit } from '../visit.ts';
import { changesOf, outcomeOf, shownValue, titleOf } from './card-words.ts';

type Authorization = Results['authorizations.read'];

/** Why a message was decided so: a sentence to read out, then everything behind it. */
export function decisionPages(app: ConsoleApp): void {
  const at = '/companies/:company_id/cards/:id/decisions/:authorization_id';
  app.get(at, (c) => decisionPage(c.var.visit, c.req.param()));

  addForm(app, `${at}/release`, decisionPage, async (visit, form, { id, authorization_id }) => {
    const data = { note: textOf(form, 'note') || undefined };
    await visit.call('virtualCards.authorizations.release', { parameters: { id, authorization_id }, data });
    return { to: visit.path(`/cards/${id}/decisions/${authorization_id}`), notice: 'The hold was released.' };
  });
}

async function decisionPage(
  visit: Visit,
  { id, authorization_id }: { readonly id: string; readonly authorization_id: string },
): Promise<Response> {
  const [explained, cleared] = await Promise.all([
    visit.call('virtualCards.decisions.read', { parameters: { id, authorization_id } }),
    visit.call('clearings.list', { options: { filter: { authorization_id }, limit: 20 } }),
  ]);
  const { authorization, client } = explained;
  const similar = await findSimilar(visit, authorization);
  const currency = String(explained.controls?.currency ?? authorization.billing_currency);
  return await visit.page({
    title: `Decision ${authorization_id}`,
    nav: 'cards',
    trail: [[titleOf({ id, last4: authorization.card_number.slice(-4) }), visit.path(`/cards/${id}`)]],
    beside: outcomeBadge(authorization),
    content: html`${panel(
      'In one sentence',
      html`<p class="sentence">${foreign(sayDecision(explained, currency))}</p>${passesUpTo(explained, currency)}`,
    )}
${panel('Authorization', summary(visit, explained, currency))}
${holdPanel(visit, id, authorization, currency)}
${panel('Reasons to decline, in the order in which they are tried', reasonsTable(explained, currency))}
<div class="columns">
${when(explained.before, () => panel('Before and after', beforeAndAfter(explained, currency)))}
${when(client, (one) => panel('What the company was asked', consultation(one, currency)))}
${cleared.items.length === 0 ? '' : panel('Clearings', clearings(cleared.items))}
${explained.changed_since.length === 0 ? '' : panel('Changed since', changes(visit, explained, currency))}
</div>
${panel('Similar ones', similarTable(visit, authorization, similar))}
${panel('The message', recordedFields(authorization))}`,
  });
}

function outcomeBadge({ status, decline_reason }: Authorization): Content {
  if (decline_reason !== null) return outcomeOf(decline_reason);
  return badge(status.replace('_', ' '), status === 'open' || status === 'cleared' ? 'ok' : 'quiet');
}

function passesUpTo({ would_pass_up_to, decision }: ExplainedDecision, currency: string): Content {
  if (decision.code === 'V' || would_pass_up_to === null) return '';
  return html`<p class="quiet">The same purchase would have been approved up to ${money(would_pass_up_to, currency)}.</p>`;
}

function summary(visit: Visit, explained: ExplainedDecision, currency: string): Content {
  const { authorization: one, no_longer_known, reproduced, versions } = explained;
  return html`${facts([
    ['Merchant', html`${foreign(one.merchant_name)}${when(one.merchant_city, (city) => html`, ${foreign(city)}`)}`],
    ['Amount', money(one.merchant_amount, one.merchant_currency)],
    one.billing_currency !== one.merchant_currency && ['Billed', money(one.billing_amount, one.billing_currency)],
    ['Decided', exactInstant(explained.decided_at)],
    ['At the merchant', exactInstant(one.transaction_date_time)],
    ['Merchant category', html`${one.mcc}${when(one.mcc_description, (text) => html`, ${foreign(text)}`)}`],
    ['Approval code', foreign(one.approval_code)],
    ['Network reference', foreign(one.net_reference_number)],
    ['Answer to the network', html`${one.issuer_response} (${one.response_code})`],
    [
      'Controls of then',
      versions === null
        ? 'not known'
        : html`<a href="${visit.path(`/cards/${one.vcn_id}`)}">version ${versions.controls}</a>`,
    ],
    ['Limits in', currency],
  ])}
${reproduced === false ? html`<p class="warning">Computed again, the decision is another one. Tell the operator of the service.</p>` : ''}
${no_longer_known.map((text) => html`<p class="quiet">No longer known: ${text}.</p>`)}`;
}

/** What is held, with the form that ends it. */
function holdPanel(visit: Visit, id: string, { id: authorization_id, hold }: Authorization, currency: string): Content {
  if (hold === undefined) return '';
  const shown = facts([
    ['Authorized', money(hold.authorized, currency)],
    ['Held', money(hold.held, currency)],
    ['Cleared', money(hold.cleared, currency)],
    ['Ends', hold.ends_at === null ? 'by no date' : instant(hold.ends_at)],
  ]);
  const may_release = hold.held > 0 && visit.may('virtualCards.authorizations.release');
  return panel(
    'Hold',
    html`${shown}${when(
      may_release,
      () => html`<details${visit.problem === undefined ? '' : html` open`}><summary>Release the hold</summary>
<p class="hint">For a purchase that will not be cleared. The amount is free at once; a clearing that comes anyway is booked.</p>
<form method="post" action="${visit.path(`/cards/${id}/decisions/${authorization_id}/release`)}">${visit.csrf}${textArea(
        {
          ...visit.typed('note'),
          label: 'Why',
          required: true,
          rows: 2,
          maxlength: 500,
        },
      )}<button>Release ${money(hold.held, currency)}</button></form></details>`,
    )}`,
    { id: 'hold' },
  );
}

const results: Readonly<Record<string, readonly [word: string, tone: 'ok' | 'bad' | 'quiet']>> = {
  passed: ['passed', 'ok'],
  failed: ['failed', 'bad'],
  not_reached: ['not reached', 'quiet'],
  not_applied: ['does not apply', 'quiet'],
  unknown: ['not known', 'quiet'],
};

function reasonsTable({ table: rows }: ExplainedDecision, currency: string): Content {
  return table({
    caption: 'Every reason to decline and what it did',
    rows,
    empty: 'This message was compared with nothing.',
    rowClass: ({ result }) => (result === 'failed' ? 'failed' : ''),
    columns: [
      {
        title: 'Reason',
        cell: ({ code, reason }) =>
          html`<strong>${code} ${code_words[code]}</strong><br><span class="quiet">${inOurWords(reason)}</span>`,
      },
      {
        title: 'Result',
        cell: ({ result, would_decline }) => {
          const [word, tone] = results[result]!;
          const also =
            result === 'not_reached' && would_decline === true ? html` <span class="quiet">would fail, too</span>` : '';
          return html`${badge(word, tone)}${also}`;
        },
      },
      {
        title: 'Compared',
        // A frozen card is not also said to be active.
        cell: ({ limits, values }) =>
          html`${[...values, ...limits]
            .filter(({ value }, _, all) => value !== 'Approved' || all.every(({ name }) => name !== 'frozen_at'))
            .map(
              ({ name, value }, at) =>
                html`${at === 0 ? '' : html`<br>`}${nameOf(name)}: ${shownValue(name, value, currency)}`,
            )}`,
      },
    ],
  });
}

/** A reason with the names of controls as the page has them. */
function inOurWords(reason: string): string {
  return reason.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => `“${nameOf(name)}”`);
}

function beforeAndAfter({ before, after }: ExplainedDecision, currency: string): Content {
  return table({
    caption: 'What the window of the limits counted before and after the message',
    rows: ['held', 'cleared', 'uses', 'available'] as const,
    columns: [
      { title: 'In the window', cell: (name) => nameOf(name) },
      { title: 'Before', kind: 'number', cell: (name) => shownValue(name, before?.[name], currency) },
      { title: 'After', kind: 'number', cell: (name) => shownValue(name, after?.[name], currency) },
    ],
  });
}

const outcomes: Readonly<Record<string, string>> = {
  answered: 'It answered in time',
  timeout: 'No answer came in time',
  unreachable: 'It could not be reached',
  status: 'It answered with an error',
  garbage: 'Its answer does not fit',
  busy: 'Too many questions were open',
  removed: 'There was no endpoint any more',
  overtaken: 'The message came again and was decided without it',
};

function consultation(
  { asked, sent_at, concluded, late }: NonNullable<ExplainedDecision['client']>,
  currency: string,
): Content {
  return facts([
    ['Asked', html`${money(asked, currency)}, ${exactInstant(sent_at)}`],
    ['Outcome', concluded === null ? 'Nothing yet' : (outcomes[concluded.outcome] ?? concluded.outcome)],
    ...(concluded === null
      ? []
      : ([
          ['Said', concluded.answer.replace('_', ' ')],
          ['By', concluded.stood_in === null ? 'the company' : `stand-in rule ${concluded.stood_in}`],
          ['Took', concluded.ms === null ? 'it was not asked' : `${concluded.ms} ms`],
          ['Note', foreign(concluded.note)],
        ] as const)),
    late !== null && ['Too late', `${late.answer.replace('_', ' ')} after ${late.ms} ms`],
  ]);
}

function clearings(rows: Results['clearings.list']['items']): Content {
  return table({
    caption: 'Clearings of this authorization, newest first',
    rows,
    columns: [
      { title: 'Settled', cell: ({ settlement_date }) => date(settlement_date) },
      {
        title: 'Kind',
        cell: ({ clearing_type, class: kind }) => `${clearing_type.toLowerCase()}, ${kind.replaceAll('_', ' ')}`,
      },
      { title: 'Amount', kind: 'number', cell: (one) => money(one.billing_amount, one.billing_currency) },
    ],
  });
}

function changes(visit: Visit, { changed_since }: ExplainedDecision, currency: string): Content {
  return table({
    caption: 'Changes of the card since the decision, newest first',
    rows: changed_since.slice(0, 10),
    columns: [
      { title: 'When', cell: ({ from }) => instant(from) },
      { title: 'Who', cell: ({ by }) => who(visit, by) },
      { title: 'What', cell: (one) => changesOf(one.changes, currency) },
    ],
  });
}

/** The newest messages of the same merchant: of this card first, then of others. */
async function findSimilar(visit: Visit, one: Authorization): Promise<readonly Authorization[]> {
  const merchant = one.merchant_id === null ? { merchant_name: one.merchant_name } : { merchant_id: one.merchant_id };
  if (Object.values(merchant).every((value) => value === null || value === '')) return [];
  const list = async (filter: object) => {
    try {
      return (await visit.call('authorizations.list', { options: { filter, limit: 6 } })).items;
    } catch (error) {
      // The name is longer than what filters compare.
      if (error instanceof Refusal && error.code === 'invalid_query') return [];
      throw error;
    }
  };
  const found = await Promise.all([list({ ...merchant, vcn_id: one.vcn_id }), list(merchant)]);
  const by_id = new Map(found.flat().map((other) => [other.id, other]));
  by_id.delete(one.id);
  return [...by_id.values()].slice(0, 8);
}

function similarTable(visit: Visit, one: Authorization, similar: readonly Authorization[]): Content {
  return table({
    caption: 'Other messages of this merchant, those of this card first',
    rows: similar,
    empty: 'No other message of this merchant is known.',
    columns: [
      {
        title: 'When',
        cell: (other) =>
          link(visit.path(`/cards/${other.vcn_id}/decisions/${other.id}`), instant(other.transaction_date_time)),
      },
      { title: 'Merchant', cell: ({ merchant_name }) => foreign(merchant_name) },
      { title: 'Amount', kind: 'number', cell: (other) => money(other.merchant_amount, other.merchant_currency) },
      { title: 'Outcome', cell: outcomeBadge },
      { title: 'What differs', cell: (other) => differences(one, other) },
    ],
  });
}

const compared = [
  ['vcn_id', 'card'],
  ['message_type_indicator', 'message'],
  ['merchant_amount', 'amount'],
  ['merchant_currency', 'currency'],
  ['mcc', 'merchant category'],
  ['merchant_name', 'name of the merchant'],
  ['merchant_country', 'country'],
  ['card_present', 'card present'],
  ['decline_reason', 'outcome'],
] as const satisfies readonly (readonly [keyof Authorization, string])[];

function differences(one: Authorization, other: Authorization): string {
  const found = compared.filter(([name]) => one[name] !== other[name]).map(([, words]) => words);
  return found.length === 0 ? 'only the time' : found.join(', ');
}

/** The fields of the message, as they were recorded: the request itself is not kept. */
function recordedFields({ decision: _, hold: __, ...message }: Authorization): Content {
  const sent = Object.entries(message).filter(([, value]) => value !== null && typeof value !== 'object');
  return html`<details><summary>The fields as recorded</summary><p class="hint">The request itself is not kept.</p>${table(
    {
      caption: 'The fields of the message',
      rows: sent,
      is_compact: true,
      columns: [
        { title: 'Field', cell: ([name]) => html`<code>${name}</code>` },
        { title: 'Value', cell: ([, value]) => foreign(String(value)) },
      ],
    },
  )}</details>`;
}
