import { roleFor } from '@tallystick/access';
import type { Results } from '@tallystick/operations';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { limitBar } from '../look/limit-bar.ts';
import { livePart } from '../look/live.ts';
import { facts, field, link, pager, panel, table, textArea } from '../look/parts.ts';
import { dash, date, foreign, instant, money } from '../look/values.ts';
import { cardTimeline, timelineList } from '../timeline/card-timeline.ts';
import type { Visit } from '../visit.ts';
import { type Card, limitCurrency, merchantControls, shownValue, statusOf, titleOf } from './card-words.ts';

/** One card: its limits, what is held, its controls, what happened to it, and what can be done. */
export function cardPages(app: ConsoleApp): void {
  const at = '/companies/:company_id/cards/:id';
  app.get(at, (c) => cardPage(c.var.visit, c.req.param()));
  app.get(`${at}/cancel`, (c) => cancelPage(c.var.visit, c.req.param()));
  app.get(`${at}/number`, (c) => numberPage(c.var.visit, c.req.param()));

  for (const act of ['freeze', 'unfreeze'] as const) {
    addForm(app, `${at}/${act}`, cardPage, async (visit, form, { id }) => {
      const data = { note: textOf(form, 'note') || null };
      await visit.call(`virtualCards.${act}`, { parameters: { id }, data });
      return { to: visit.path(`/cards/${id}`), notice: `The card is ${act === 'freeze' ? 'frozen' : 'active again'}.` };
    });
  }

  addForm(app, `${at}/email`, cardPage, async (visit, form, { id }) => {
    await visit.call('virtualCards.email', { parameters: { id }, data: { email: textOf(form, 'email') } });
    return { to: visit.path(`/cards/${id}`), notice: 'The mail is on its way.' };
  });

  addForm(app, `${at}/cancel`, cancelPage, async (visit, _, { id }) => {
    await visit.call('virtualCards.cancel', { parameters: { id } });
    return { to: visit.path(`/cards/${id}`), notice: 'The card was canceled.' };
  });

  // The number is in the answer to the form and nowhere else: no redirect, no address leads to it.
  addForm(app, `${at}/number`, numberPage, async (visit, form, { id }) => {
    const options = { show_card_number: true, reason: textOf(form, 'reason') };
    return await shownNumberPage(visit, await visit.call('virtualCards.read', { parameters: { id }, options }));
  });
}

interface Named {
  readonly id: string;
}

/** Whether the visitor may see the numbers of cards. */
function maySeeNumber({ identity, company_id }: Visit): boolean {
  return roleFor(identity, 'card_numbers', 'read', company_id) !== null;
}

async function cardPage(visit: Visit, { id }: Named): Promise<Response> {
  const after = visit.query.get('after') ?? undefined;
  const card = await visit.call('virtualCards.read', { parameters: { id } });
  const currency = await limitCurrency(visit, card);
  const [timeline, template] = await Promise.all([
    cardTimeline(visit, { id: card.id, currency, created_at: card.created_at }, after),
    templateName(visit, card),
  ]);
  const path = visit.path(`/cards/${card.id}`);
  return await visit.page({
    title: titleOf(card),
    nav: 'cards',
    trail: [],
    beside: html`${statusOf(card)}${links(visit, card)}`,
    content: html`<div class="columns">
${panel(limitTitle(card), limits(card, currency))}
${panel('What you can do', acts(visit, card))}
</div>
${panel('Controls', controls(card, currency, template))}
${panel('Open holds', holds(visit, card, currency))}
${panel(
  after === undefined ? 'Timeline' : 'Timeline, older',
  html`${livePart(visit, 'what-happened', { on: `card-${card.id}` }, timelineList(timeline.items))}${pager(visit, `${path}#timeline`, timeline.next)}`,
  { id: 'timeline' },
)}`,
  });
}

function links(visit: Visit, { id, status }: Card): Content {
  const shown = [
    ['Change limits and merchants', 'limits', status === 'Approved' && visit.may('virtualCards.update')],
    ['Show the number', 'number', maySeeNumber(visit)],
    ['Cancel the card', 'cancel', status === 'Approved' && visit.may('virtualCards.cancel')],
  ] as const;
  return html`${shown
    .filter(([, , may]) => may)
    .map(
      ([name, path]) =>
        html`<a class="button ${path === 'cancel' ? 'danger' : 'second'}" href="${visit.path(`/cards/${id}/${path}`)}">${name}</a>`,
    )}`;
}

function limitTitle({ recurring }: Card): string {
  return recurring === null || recurring === 'Continuous' ? 'Limit' : `${recurring} limit`;
}

function limits(
  { balance, per_transaction_min, per_transaction_max, transactions_max }: Card,
  currency: string,
): Content {
  return html`${limitBar(balance, currency)}${facts([
    ['Window from', instant(balance.window_start)],
    ['Window until', balance.window_ends === null ? 'no end' : instant(balance.window_ends)],
    ['One purchase', html`${money(per_transaction_min, currency)} to ${money(per_transaction_max, currency)}`],
    ['Uses', transactions_max === null ? `${balance.uses}, not limited` : `${balance.uses} of ${transactions_max}`],
    ['Next hold ends', instant(balance.next_hold_end)],
  ])}`;
}

function controls(card: Card, currency: string, template: Content): Content {
  const { merchant_controls: merchants, metadata } = card;
  return html`${facts([
    ['Real card', foreign(card.rcn_alias)],
    ['Valid', html`${date(card.valid_starting_on)} to ${date(card.valid_ending_on)} (GMT)`],
    ['Limits in', currency],
    ['Currency', card.currency === null ? 'any' : `only ${card.currency}`],
    ['Template', template],
    card.authorization_hold_days !== undefined && [
      'Holds end after',
      `${card.authorization_hold_days} days, ${card.aging_velocity_time_zone}`,
    ],
    ...merchantControls(merchants),
    ['Mailed to', card.emails === null ? dash : foreign(card.emails.join(', '))],
    ['Created', instant(card.created_at)],
  ])}${when(
    metadata,
    (values) =>
      html`<h3>Metadata</h3>${facts(
        Object.entries(values)
          .slice(0, 50)
          .map(([name, value]) => [name, foreign(typeof value === 'string' ? value : JSON.stringify(value))]),
      )}`,
  )}`;
}

async function templateName(visit: Visit, { template_id }: Card): Promise<Content> {
  if (!visit.may('purchaseTemplates.list')) return `template ${template_id}`;
  const { items } = await visit.call('purchaseTemplates.list', { options: { limit: 100 } });
  const found = items.find(({ id }) => Number(id) === template_id);
  return found === undefined ? `template ${template_id}` : foreign(found.name);
}

/** What can be done at once. What changes more has a page of its own. */
function acts(visit: Visit, card: Card): Content {
  const { id, frozen, status } = card;
  const freeze = frozen ? 'unfreeze' : 'freeze';
  const is_approved = status === 'Approved';
  const shown = [
    is_approved && visit.may(`virtualCards.${freeze}`)
      ? html`<form method="post" action="${visit.path(`/cards/${id}/${freeze}`)}">${visit.csrf}
<h3>${frozen ? 'Unfreeze the card' : 'Freeze the card'}</h3>
<p class="hint">${frozen ? 'It can be used again at once.' : 'A frozen card declines every purchase until it is unfrozen. Its holds go on.'}</p>${textArea(
          {
            ...visit.typed('note'),
            label: 'Why (optional)',
            rows: 2,
            maxlength: 500,
          },
        )}<button>${frozen ? 'Unfreeze' : 'Freeze'}</button></form>`
      : '',
    is_approved && visit.may('virtualCards.email')
      ? html`<form method="post" action="${visit.path(`/cards/${id}/email`)}">${visit.csrf}<h3>Mail the details</h3>
<p class="hint">The mail has a link that shows number and code once, within 24 hours.</p>${field({
          ...visit.typed('email'),
          label: 'E-mail address',
          type: 'email',
          required: true,
          maxlength: 254,
        })}<button class="second">Send the mail</button></form>`
      : '',
  ].filter((act) => act !== '');
  if (shown.length > 0) return html`${shown}`;
  return html`<p class="empty">${is_approved ? 'You may look at this card, not change it.' : 'A canceled card cannot be changed.'}</p>`;
}

/** The newest open holds: those of the card's newest messages. */
function holds(visit: Visit, { id, authorizations }: Card, currency: string): Content {
  const open = authorizations.filter(({ hold }) => hold !== undefined && hold.held > 0).slice(0, 20);
  return table({
    caption: 'Open holds, newest first',
    rows: open,
    empty: 'Nothing is held.',
    columns: [
      {
        title: 'Since',
        cell: (one) => link(visit.path(`/cards/${id}/decisions/${one.id}`), instant(one.transaction_date_time)),
      },
      { title: 'Merchant', cell: ({ merchant_name }) => foreign(merchant_name) },
      { title: 'Held', kind: 'number', cell: ({ hold }) => shownValue('held', hold?.held, currency) },
      { title: 'Ends', cell: ({ hold }) => instant(hold?.ends_at) },
      ...(visit.may('virtualCards.authorizations.release')
        ? [
            {
              title: 'Act',
              cell: (one: Card['authorizations'][number]) =>
                html`<a href="${visit.path(`/cards/${id}/decisions/${one.id}`)}#hold">Release</a>`,
            },
          ]
        : []),
    ],
  });
}

async function cancelPage(visit: Visit, { id }: Named): Promise<Response> {
  const card = await visit.call('virtualCards.read', { parameters: { id } });
  const currency = await limitCurrency(visit, card);
  return await visit.page({
    title: `Cancel card ${card.id}?`,
    nav: 'cards',
    trail: [[titleOf(card), visit.path(`/cards/${id}`)]],
    content: panel(
      titleOf(card),
      html`<p>A canceled card declines every purchase, and cannot be made active again. What is held or was cleared stays: ${money(card.balance.held, currency)} is held now.</p>
<p>To stop it for a while, freeze it instead.</p>
<form method="post" action="${visit.path(`/cards/${id}/cancel`)}">${visit.csrf}<div class="actions"><button class="danger">Cancel the card for good</button><a href="${visit.path(`/cards/${id}`)}">Back to the card</a></div></form>`,
    ),
  });
}

async function numberPage(visit: Visit, { id }: Named): Promise<Response> {
  const card = await visit.call('virtualCards.read', { parameters: { id } });
  return await visit.page({
    title: 'Show the number',
    nav: 'cards',
    trail: [[titleOf(card), visit.path(`/cards/${id}`)]],
    content: panel(
      titleOf(card),
      html`<p>The audit log records who saw the number, and why. A mail with a one-time link shows it to the cardholder only.</p>
<form method="post" action="${visit.path(`/cards/${id}/number`)}">${visit.csrf}${textArea({
        ...visit.typed('reason'),
        label: 'Why do you need it?',
        required: true,
        rows: 2,
        maxlength: 500,
      })}<div class="actions"><button>Show number and code</button><a href="${visit.path(`/cards/${id}`)}">Back to the card</a></div></form>`,
    ),
  });
}

async function shownNumberPage(visit: Visit, card: Results['virtualCards.read']): Promise<Response> {
  return await visit.page({
    title: titleOf(card),
    nav: 'cards',
    trail: [],
    content: panel(
      'Number and code',
      html`${facts([
        ['Number', html`<code>${card.card_number.replace(/(\d{4})(?=\d)/g, '$1 ')}</code>`],
        ['Code', html`<code>${card.cvc}</code>`],
        ['Expiry', html`<code>${card.expiry}</code>`],
      ])}<p class="hint">This page is not kept: when you leave it, the number is gone.</p>
<p><a class="button" href="${visit.path(`/cards/${card.id}`)}">Done</a></p>`,
    ),
  });
}
