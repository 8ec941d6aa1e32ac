import { Refusal } from '@tallystick/kernel';
import type { Authorization } from '@tallystick/operations/resources';
import type { ConsoleApp } from '../console-app.ts';
import { type Content, html, when } from '../look/html.ts';
import { link, panel, table } from '../look/parts.ts';
import { foreign, instant, money } from '../look/values.ts';
import { shownCalls } from '../trial/shown-call.ts';
import { Trial } from '../trial/trial.ts';
import { type Outcome, trials } from '../trial/trials.ts';
import type { Visit } from '../visit.ts';
import { outcomeOf } from './card-words.ts';
import { sandboxSteps } from './sandbox-steps.ts';

/** Trying it out, in a sandbox only: each button shows the calls that it made. */
export function sandboxPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/sandbox', async (c) => {
    const { visit } = c.var;
    return visit.ports.sandbox ? await tryPage(visit) : c.notFound();
  });

  // The answer is the page itself, with the calls, which a redirect would lose.
  app.post('/companies/:company_id/sandbox', async (c) => {
    const { visit } = c.var;
    if (!visit.ports.sandbox) return c.notFound();
    const trial = new Trial(visit);
    return await visit.act(
      async (form) => {
        const work = trials.get(String(form.get('do')));
        if (work === undefined) throw new Refusal('not_found', 'there is no such button');
        return await tryPage(visit, { trial, form, outcome: await work(trial, form) });
      },
      ({ sent }) => tryPage(visit, { trial, form: sent }),
    );
  });

  app.get('/companies/:company_id/sandbox/mails/:id{[0-9]+}', async (c) => {
    const { visit } = c.var;
    if (!visit.ports.sandbox) return c.notFound();
    const mail = await visit.call('sandbox.mailbox.read', { parameters: { id: c.req.param('id') } });
    return await visit.page({
      title: mail.subject,
      nav: 'sandbox',
      trail: [],
      content: html`<section class="panel"><p>To ${foreign(mail.to)}, ${instant(mail.received_at)}</p><pre tabindex="0">${mail.text}</pre></section>`,
    });
  });
}

interface Tried {
  readonly trial: Trial;
  readonly form: FormData;
  readonly outcome?: Outcome;
}

async function tryPage(visit: Visit, tried?: Tried): Promise<Response> {
  const [cards, recent, mails] = await Promise.all([
    visit.call('virtualCards.list', { options: { limit: 20 } }),
    visit.call('authorizations.list', { options: { limit: 8 } }),
    visit.may('sandbox.mailbox.list') ? visit.call('sandbox.mailbox.list', { options: { limit: 5 } }) : null,
  ]);
  const may_act = visit.may('sandbox.purchases.create');
  const usable = cards.items.filter(({ status }) => status === 'Approved');
  return await visit.page({
    title: 'Try it',
    nav: 'sandbox',
    content: html`${when(tried, (one) => whatHappened(visit, one))}
${when(!may_act, () => html`<p class="warning">Your role only reads. Log in as another one to try purchases.</p>`)}
${when(may_act, () => sandboxSteps(visit, usable, tried?.form))}
${panel('Newest decisions', decisions(visit, recent.items))}
${when(mails, ({ items }) => panel('Mailbox', mailbox(visit, items), { id: 'mailbox' }))}`,
  });
}

function whatHappened(visit: Visit, { trial, outcome }: Tried): Content {
  const made = trial.made.slice(0, 8);
  if (outcome === undefined && made.length === 0) return '';
  const rest = trial.made.length - made.length;
  return html`<section class="panel outcome" id="outcome" role="status" tabindex="-1"><h2>What happened</h2>
${when(outcome, ({ text, links = [] }) => html`<p>${text}</p>${linksOf(visit, links)}`)}
<details${made.length <= 3 ? html` open` : ''}><summary>${trial.made.length === 1 ? 'The call' : `The ${trial.made.length} calls`} that did it</summary>
${shownCalls(visit, made)}${rest > 0 ? html`<p class="quiet">And ${rest} more like these.</p>` : ''}</details></section>`;
}

function linksOf(visit: Visit, links: NonNullable<Outcome['links']>): Content {
  if (links.length === 0) return '';
  return html`<p class="actions">${links.map(
    ([name, path, is_of_all]) =>
      html`<a class="button second" href="${is_of_all ? visit.rootPath(path) : visit.path(path)}">${name}</a>`,
  )}</p>`;
}

function decisions(visit: Visit, items: readonly Authorization[]): Content {
  const may_act = visit.may('sandbox.purchases.create');
  const follow = (doing: string, id: number | null, name: string): Content =>
    html`<form method="post" action="${visit.path('/sandbox')}#outcome">${visit.csrf}<input type="hidden" name="do" value="${doing}"><input type="hidden" name="authorization" value="${id}"><button class="second">${name}</button></form>`;
  return table<Authorization>({
    caption: 'The newest decisions',
    columns: [
      {
        title: 'Decision',
        cell: ({ decline_reason }) => outcomeOf(decline_reason ?? 'V'),
      },
      {
        title: 'Merchant',
        cell: ({ id, vcn_id, merchant_name }) =>
          link(visit.path(`/cards/${vcn_id}/decisions/${id}`), foreign(merchant_name)),
      },
      {
        title: 'Amount',
        kind: 'number',
        cell: ({ merchant_amount, merchant_currency }) => money(merchant_amount, merchant_currency),
      },
      { title: 'State', cell: ({ status }) => status },
      ...(may_act
        ? [
            {
              title: 'Next',
              cell: ({ id, issuer_response, hold }: Authorization) =>
                issuer_response === 'Approved'
                  ? html`<div class="actions">${hold !== undefined && hold.held > 0 ? html`${follow('clear', id, 'Clear')}${follow('reverse', id, 'Reverse')}` : ''}${hold !== undefined && hold.cleared > 0 ? follow('refund', id, 'Refund') : ''}</div>`
                  : '',
            },
          ]
        : []),
    ],
    rows: items,
    empty: 'There is no decision yet.',
  });
}

function mailbox(
  visit: Visit,
  items: readonly {
    readonly id: string;
    readonly to: string;
    readonly subject: string;
    readonly received_at: string;
  }[],
): Content {
  return table({
    caption: 'The newest mails',
    columns: [
      { title: 'Mail', cell: ({ id, subject }) => link(visit.path(`/sandbox/mails/${id}`), foreign(subject)) },
      { title: 'To', cell: ({ to }) => foreign(to) },
      { title: 'Received', cell: ({ received_at }) => instant(received_at) },
    ],
    rows: items,
    empty: 'There is no mail yet.',
  });
}
