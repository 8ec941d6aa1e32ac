import { Refusal } from '@tallystick/kernel';
import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { choice, facts, pager, panel, table, textArea } from '../look/parts.ts';
import { badge, beginning, dash, foreign, instant, money } from '../look/values.ts';
import { who } from '../look/who.ts';
import type { Visit } from '../visit.ts';
import { acts, actValue } from './item-acts.ts';
import { type Approval, askedFor, itemLink, namesOf } from './item-words.ts';

const statuses: Readonly<Record<Approval['status'], readonly [title: string, tone: Parameters<typeof badge>[1]]>> = {
  pending: ['Waits', 'warn'],
  approving: ['Being approved', 'warn'],
  approved: ['Approved', 'ok'],
  refused: ['Refused', 'bad'],
  withdrawn: ['Withdrawn', 'quiet'],
  outdated: ['Outdated', 'quiet'],
};

/** What the next page says about each button of the form. */
const notices = {
  approve: ': it is done.',
  refuse: ' was refused: nothing changes.',
  withdraw: ' was withdrawn: nothing changes.',
} as const;

/** Acts that wait for a second person. */
export function approvalPages(app: ConsoleApp): void {
  app.get('/companies/:company_id/approvals', async (c) => {
    const { visit } = c.var;
    const status = c.req.query('status') ?? 'pending';
    const filter = status === 'any' ? {} : { status };
    const { items, next } = await visit.call('reconciliation.approvals.list', { options: visit.paged(filter) });
    const path = visit.path('/approvals');
    return await visit.page({
      title: 'Approvals',
      nav: 'approvals',
      content: html`<form class="filters" action="${path}" aria-label="Filter">${choice({
        name: 'status',
        label: 'Status',
        value: status,
        of: [...Object.entries(statuses).map(([name, [title]]) => [name, title] as const), ['any', 'Any']],
      })}<button class="second">Filter</button></form>${table({
        caption: 'Acts that need a second person, the newest first',
        columns: [
          { title: 'Approval', cell: ({ id }) => html`<a href="${path}/${id}">Approval\u00a0${id}</a>` },
          { title: 'To', cell: (approval) => askedFor(visit, approval) },
          { title: 'Amount', kind: 'number', cell: ({ amount, currency }) => money(amount, currency) },
          { title: 'Asked by', cell: ({ asked_by }) => who(visit, asked_by) },
          { title: 'At', cell: ({ asked_at }) => instant(asked_at) },
          { title: 'Why', cell: ({ note }) => beginning(note) },
          { title: 'Status', cell: (approval) => badge(...statuses[approval.status]) },
        ],
        rows: items,
        empty: 'Nothing waits for a second person.',
      })}${pager(visit, path, next)}`,
    });
  });

  app.get('/companies/:company_id/approvals/:id', (c) => showApproval(c.var.visit, c.req.param()));

  addForm(app, '/companies/:company_id/approvals/:id', showApproval, async (visit, form, { id }) => {
    const data = { note: textOf(form, 'note') || null };
    const button = textOf(form, 'do');
    if (!Object.hasOwn(notices, button)) throw new Refusal('not_found', 'there is no such button');
    const act = button as keyof typeof notices;
    const { item_id } = await visit.call(`reconciliation.approvals.${act}`, { parameters: { id }, data });
    const to = item_id === null ? visit.path('/periods') : visit.path(`/items/${item_id}`);
    return { to, notice: `Approval ${id}${notices[act]}` };
  });
}

async function showApproval(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const approval = await visit.call('reconciliation.approvals.read', { parameters: { id } });
  return await visit.page({
    title: `Approval ${id}`,
    nav: 'approvals',
    trail: [],
    content: html`${panel('What was asked for', approvalOf(visit, approval))}${await askAgain(visit, approval)}`,
  });
}

/** The same act on an item as it is now, which has changed since somebody asked for it. */
async function askAgain(visit: Visit, { status, action, item_id, ...asked }: Approval): Promise<Content> {
  const act = acts.find((one) => one === action);
  if (status !== 'outdated' || act === undefined || !visit.may(`reconciliation.items.${act}`)) return '';
  const item = await visit.call('reconciliation.items.read', { parameters: { id: item_id! } });
  if (item.pending_approval_id !== null) return '';
  const { note, reason, accept_difference } = asked;
  const hidden = Object.entries({ note, reason, accept_difference: accept_difference ? 'on' : null });
  const rest = asked.with === null ? (asked.side ?? '') : namesOf(asked.with);
  return panel(
    'Nothing was done',
    html`<p class="warning">${itemLink(visit, item.id)} has changed since. Look at it, and ask again if it is still wanted. Then another person decides, or it is done at once where it needs none any more.</p>
<form method="post" action="${visit.path(`/items/${item.id}`)}">${visit.csrf}${hidden.map(([name, value]) => (value === null ? '' : html`<input type="hidden" name="${name}" value="${value}">`))}
<button name="do" value="${actValue(act, item, rest)}">Ask again</button></form>`,
  );
}

/** An act that waits, with what the visitor can decide about it. */
export function approvalOf(visit: Visit, approval: Approval): Content {
  const { asked_by, asked_at, decided_by, decided_at, decided_note, note, reason, status } = approval;
  return html`${facts([
    ['Status', badge(...statuses[status])],
    ['To', askedFor(visit, approval)],
    approval.amount !== null && ['Amount', money(approval.amount, approval.currency)],
    approval.with !== null && ['With', namesOf(approval.with)],
    approval.accept_difference && ['Also', 'accepts the difference that is left'],
    ['Asked by', html`${who(visit, asked_by)}, ${instant(asked_at)}`],
    ['Why', note === null ? dash : foreign(note)],
    reason !== null && ['Reason', foreign(reason)],
    decided_by !== null && ['Decided by', html`${who(visit, decided_by)}, ${instant(decided_at)}`],
    decided_note !== null && [status === 'outdated' ? 'What changed' : 'Note', foreign(decided_note)],
  ])}${when(status === 'pending' || status === 'approving', () => decision(visit, approval))}`;
}

function decision(visit: Visit, { id, asked_by }: Approval): Content {
  if (asked_by === visit.identity.actor) {
    return html`<p class="hint">You asked for it, so another person decides. Nothing else can be done with it meanwhile.</p>
<form method="post" action="${visit.path(`/approvals/${id}`)}">${visit.csrf}<button name="do" value="withdraw" class="second">Withdraw</button></form>`;
  }
  if (!visit.may('reconciliation.approvals.approve')) return '';
  return html`<form method="post" action="${visit.path(`/approvals/${id}`)}">${visit.csrf}
${textArea({ ...visit.typed('note'), label: 'Note', hint: 'To refuse it, say why.', rows: 2, maxlength: 1000 })}
<div class="actions"><button name="do" value="approve">Approve</button><button name="do" value="refuse" class="danger">Refuse</button></div></form>`;
}
