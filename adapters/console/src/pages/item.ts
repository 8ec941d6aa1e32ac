import { addForm, type ConsoleApp } from '../console-app.ts';
import { textOf } from '../form.ts';
import { type Content, html, when } from '../look/html.ts';
import { facts, field, link, panel, table, textArea, tick } from '../look/parts.ts';
import { badge, dash, date, dateText, foreign, instant, money, moneyText } from '../look/values.ts';
import { who } from '../look/who.ts';
import type { Visit } from '../visit.ts';
import { approvalOf } from './approvals.ts';
import { actValue, doAct } from './item-acts.ts';
import {
  ageOf,
  differenceOf,
  handleOf,
  type ItemWithHistory,
  itemLink,
  kindMeaning,
  kindTitle,
  madeBy,
  namesOf,
  type Records,
  statusBadge,
  whatOf,
} from './item-words.ts';

/** An item with its three sides, and what people do with it. */
export function itemPages(app: ConsoleApp): void {
  const at = '/companies/:company_id/items/:id';
  app.get(at, (c) => showItem(c.var.visit, c.req.param()));

  addForm(app, at, showItem, async (visit, form, { id }) => {
    return { to: visit.path(`/items/${id}`), notice: await doAct(visit, form) };
  });

  addForm(app, `${at}/comments`, showItem, async (visit, form, { id }) => {
    const data = { text: textOf(form, 'text') || undefined };
    await visit.call('reconciliation.items.comment', { parameters: { id }, data });
    return { to: `${visit.path(`/items/${id}`)}#history`, notice: 'The comment was added.' };
  });

  // A line leads to the item that has it.
  app.get('/companies/:company_id/lines/:id', async (c) => {
    const { visit } = c.var;
    const { item_id } = await visit.call('reconciliation.lines.read', { parameters: { id: c.req.param('id') } });
    return item_id === null ? c.notFound() : c.redirect(visit.path(`/items/${item_id}`), 303);
  });
}

async function showItem(visit: Visit, { id }: { readonly id: string }): Promise<Response> {
  const item = await visit.call('reconciliation.items.read', { parameters: { id } });
  const { pending_approval_id } = item;
  const approval =
    pending_approval_id === null
      ? null
      : await visit.call('reconciliation.approvals.read', { parameters: { id: pending_approval_id } });
  const may_act = visit.may('reconciliation.items.accept');
  return await visit.page({
    title: `Item ${item.id}`,
    nav: 'breaks',
    trail: [],
    beside: html`${statusBadge(item.status)} ${item.kind === null ? '' : badge(kindTitle(item.kind), item.status === 'break' ? 'bad' : 'quiet')}`,
    content: html`${panel('What it is', about(visit, item, may_act))}${when(approval, (one) =>
      panel('Waits for a second person', approvalOf(visit, one), { id: 'approval' }),
    )}<div class="columns sides">${sides(visit, item)}</div>${when(
      may_act && approval === null && item.period_id === null,
      () => panel('Decide', decide(visit, item)),
    )}${others(item)}${panel('History', history(visit, item, may_act), { id: 'history' })}`,
  });
}

function about(visit: Visit, item: ItemWithHistory, may_act: boolean): Content {
  return html`${when(kindMeaning(item.kind), (text) => html`<p>${text}</p>`)}${facts([
    ['What', whatOf(item)],
    [
      'Card',
      item.vcn_id === null ? dash : html`<a href="${visit.path(`/cards/${item.vcn_id}`)}">Card ${item.vcn_id}</a>`,
    ],
    ['Difference', differenceOf(item)],
    ['Fees', money(item.fees, item.currency)],
    [
      'Due',
      html`${date(item.due_date)}${item.age_days === null || item.age_days === 0 ? '' : html`, ${ageOf(item)} ago`}`,
    ],
    [
      'Complete with',
      item.sides === 3 ? 'authorized, cleared and stated' : `${item.sides} of authorized, cleared and stated`,
    ],
    item.period_id !== null && ['Frozen by', html`<a href="${visit.path('/periods')}">period ${item.period_id}</a>`],
    item.frozen_item_id !== null && ['Came late for', itemLink(visit, item.frozen_item_id)],
    ['Assigned to', item.assignee === null ? 'nobody' : foreign(item.assignee)],
  ])}${when(may_act, () => assigning(visit, item))}`;
}

function assigning(visit: Visit, { id, assignee }: ItemWithHistory): Content {
  const mine = assignee === handleOf(visit);
  return html`<div class="actions">${when(!mine, () => html`<form method="post" action="${visit.path(`/items/${id}`)}">${visit.csrf}<button class="second" name="do" value="assign:${id}">Assign to me</button></form>`)}
<details><summary>Assign to somebody else</summary><form class="filters" method="post" action="${visit.path(`/items/${id}`)}">${visit.csrf}
${field({ name: 'assignee', label: 'Name, or nothing for nobody', value: assignee, maxlength: 100, autocomplete: 'off' })}<button class="second" name="do" value="assign:${id}">Assign</button></form></details></div>`;
}

function sides(visit: Visit, item: ItemWithHistory): Content {
  const { currency, statement_line } = item;
  return html`${side(
    'Authorized',
    money(item.authorized, currency),
    item.authorizations.map(({ id, amount, authorized_at, merchant_name, approval_code }) => ({
      name: `authorization:${id}`,
      to: item.vcn_id === null ? null : visit.path(`/cards/${item.vcn_id}/decisions/${id}`),
      amount: money(amount, currency),
      about: [
        instant(authorized_at),
        foreign(merchant_name),
        when(approval_code, (code) => html`approval code ${code}`),
      ],
    })),
    'No authorization belongs to it.',
  )}${side(
    'Cleared',
    money(item.cleared, currency),
    item.clearings.map(({ id, amount, settlement_date, acquirer_reference, ...one }) => ({
      name: `clearing:${id}`,
      amount: money(amount, currency),
      about: [
        html`settled ${date(settlement_date)}`,
        one.class.replaceAll('_', ' '),
        when(acquirer_reference, (reference) => html`reference ${foreign(reference)}`),
      ],
    })),
    'No clearing came.',
  )}${side(
    'Stated',
    money(item.stated, currency),
    item.lines.map(({ id, amount, booking_date, account_id, text, ...line }) => ({
      name: `line:${id}`,
      amount: money(amount, line.currency),
      about: [html`booked ${date(booking_date)}`, `account ${account_id}`, foreign(text)],
    })),
    'The bank has booked nothing.',
    when(
      statement_line,
      (line) =>
        html`<p>The statement has <a href="${visit.path(`/lines/${line.id}`)}">line ${line.id}</a>: ${money(line.amount, line.currency)}, booked ${date(line.booking_date)}.</p>`,
    ),
  )}`;
}

interface SideRecord {
  readonly name: string;
  /** Its page; null: it has none. */
  readonly to?: string | null;
  readonly amount: Content;
  readonly about: readonly Content[];
}

/** A side of the item, with its records. Lines are in the sign of the account. */
function side(title: string, sum: Content, records: readonly SideRecord[], empty: string, more: Content = ''): Content {
  const list = records.map(
    ({ name, to = null, amount, about }) =>
      html`<li><strong>${to === null ? name : link(to, name)}</strong>${amount}<div class="quiet">${about.filter((one) => one !== '').map((one) => html`<div>${one}</div>`)}</div></li>`,
  );
  return panel(
    title,
    html`<p class="figure">${sum}</p>${records.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="found">${list}</ul>`}${more}`,
  );
}

/** One note for whatever is decided: each button is an act that the state of the item permits. */
function decide(visit: Visit, item: ItemWithHistory): Content {
  const act = (action: Parameters<typeof actValue>[0], title: Content, rest = '', key = '', rank = 'second'): Content =>
    html`<button class="${rank}" name="do" value="${actValue(action, item, rest)}"${key === '' ? '' : html` data-key="${key}"`}>${title}</button>`;
  const { status } = item;
  const is_open = ['break', 'proposed', 'awaiting'].includes(status);
  const last = item.history.findLast(({ action }) => ['accept', 'ignore', 'confirm', 'reopen'].includes(action));
  const can_reopen = status === 'ignored' || status === 'accepted' || (last !== undefined && last.action !== 'reopen');
  const sides_matched = [...new Set(item.matches.map(({ side }) => side))];
  const asked = visit.query.get('with');
  // Enter in a field presses the first button of a form: a disabled one decides nothing.
  return html`<form method="post" action="${visit.path(`/items/${item.id}`)}">${visit.csrf}<button disabled hidden></button>
${textArea({ ...visit.typed('note'), label: 'Note', hint: 'Why; the history and the audit log keep it.', rows: 2, maxlength: 1000 })}
<div class="actions">${status === 'break' ? act('accept', 'Accept', '', 'a', 'first') : ''}${status === 'proposed' || item.kind === 'bank_line_differs' ? act('confirm', 'Confirm', '', '', status === 'proposed' ? 'first' : 'second') : ''}${is_open ? act('ignore', 'Ignore', '', 'i') : ''}${can_reopen ? act('reopen', 'Undo the decision') : ''}${sides_matched.map((side) => act('unmatch', side === 'statement' ? 'Unmatch the bank’s lines' : 'Unmatch the authorization', side))}</div>
${when(
  is_open,
  () => html`<h3>Match with other records</h3>
${tick('accept_difference', 'Also accept the difference that is left', { checked: visit.problem === undefined ? asked !== null : visit.problem.typed('accept_difference') !== undefined })}
${item.suggestions.length === 0 ? '' : suggestions(item, act)}
${field({ ...visit.typed('with', asked), label: item.suggestions.length === 0 ? 'With these records' : 'Or with these records', hint: 'For example line:408 clearing:45 authorization:9', autocomplete: 'off' })}
${field({ ...visit.typed('reason'), label: 'Reason for the difference', hint: 'Empty: the note is the reason.', maxlength: 1000, autocomplete: 'off' })}
${act('match', 'Match', '', asked === null ? '' : 'm')}`,
)}</form>`;
}

function suggestions(
  item: ItemWithHistory,
  act: (action: 'match', title: Content, rest: string, key: string) => Content,
): Content {
  return table({
    caption: 'Suggestions, the best first',
    columns: [
      { title: 'Records', cell: namesOf },
      { title: 'Date', cell: (one) => date(one.date) },
      { title: 'Why', cell: ({ reason }) => reason },
      { title: 'Amount', kind: 'number', cell: ({ amount }) => money(amount, item.currency) },
      {
        title: 'Act',
        cell: (one) =>
          act(
            'match',
            html`Match<span class="visually-hidden"> with ${namesOf(one)}</span>`,
            namesOf(one),
            one.number === 1 ? 'm' : '',
          ),
      },
    ],
    rows: item.suggestions,
  });
}

function others(item: ItemWithHistory): Content {
  const recordsOf = (one: Records): string => namesOf(one) || 'no record';
  return html`${when(item.matches.length > 0, () =>
    panel(
      'Why its records belong together',
      table({
        caption: 'Matches',
        columns: [
          { title: 'Side', cell: ({ side }) => side },
          { title: 'Records', cell: recordsOf },
          { title: 'Made by', cell: ({ rule }) => madeBy(rule) },
          {
            title: 'Values',
            cell: ({ values }) =>
              foreign(
                Object.entries(values)
                  .flatMap(([name, value]) =>
                    value === null ? [] : `${name.replaceAll('_', ' ')} ${shownValue(name, value, item.currency)}`,
                  )
                  .join(', '),
              ),
          },
        ],
        rows: item.matches,
      }),
    ),
  )}${when(item.alternatives.length > 0, () =>
    panel(
      'What it may also belong to',
      html`${table({
        caption: 'Alternatives',
        columns: [
          { title: 'Records', cell: recordsOf },
          { title: 'Why', cell: ({ reason }) => foreign(reason) },
        ],
        rows: item.alternatives,
      })}${item.has_more_alternatives ? html`<p class="hint">More authorizations fit.</p>` : ''}`,
    ),
  )}`;
}

/** Amounts among the values of a match are in minor units. */
function shownValue(name: string, value: string | number, currency: string): string | number {
  if (typeof value === 'string') return name.endsWith('_date') ? dateText(new Date(value)) : value;
  return ['amount', 'cleared', 'authorized'].includes(name) ? `${moneyText(value, currency)} ${currency}` : value;
}

const done: Readonly<Record<ItemWithHistory['history'][number]['action'], string>> = {
  match: 'matched it',
  unmatch: 'undid a match',
  ignore: 'ignored it',
  accept: 'accepted it',
  confirm: 'confirmed it',
  reopen: 'undid the decision',
  comment: 'said',
};

/** The characters of notes and comments that a page shows, of the newest entries. */
const said_length_max = 8_000;

/** The entries before the one at `until`, as many as a page shows, and the place of the first. */
function entriesUntil({ history: all }: ItemWithHistory, until: number) {
  let begin = until;
  for (let length = 0; begin > 0; begin -= 1) {
    const { note, reason } = all[begin - 1]!;
    length += (note?.length ?? 0) + (reason?.length ?? 0) + 100;
    if (length > said_length_max && begin < until) break;
  }
  return { begin, shown: all.slice(begin, until) };
}

function history(visit: Visit, item: ItemWithHistory, may_act: boolean): Content {
  const { currency } = item;
  const asked = Number(visit.query.get('until'));
  const until = Number.isInteger(asked) && asked > 0 ? Math.min(asked, item.history.length) : item.history.length;
  const { begin, shown } = entriesUntil(item, until);
  const at = visit.path(`/items/${item.id}`);
  const entries = shown.map(
    ({ at: instant_text, actor, action, note, reason, approved_by, accepted_difference }) =>
      html`<li><div><strong>${who(visit, actor)}</strong> ${done[action]}${when(approved_by, (second) => html`, approved by <strong>${who(visit, second)}</strong>`)}${when(accepted_difference, (amount) => html`, with a difference of ${money(amount, currency)}`)}</div>
<p class="said">${foreign(note)}</p>${when(reason === note ? null : reason, (text) => html`<p class="quiet">Reason: ${foreign(text)}</p>`)}<div class="when">${instant(instant_text)}</div></li>`,
  );
  return html`${item.history.length === 0 ? html`<p class="empty">Nobody has decided or said anything.</p>` : html`${begin === 0 ? '' : html`<p><a href="${at}?until=${begin}#history">${begin} older entries</a></p>`}<ol class="timeline">${entries}</ol>${until === item.history.length ? '' : html`<p><a href="${at}#history">The newest entries</a></p>`}`}
${when(
  may_act,
  () => html`<form method="post" action="${visit.path(`/items/${item.id}/comments`)}">${visit.csrf}
${textArea({ ...visit.typed('text'), label: 'Comment', hint: 'It decides nothing.', rows: 3, maxlength: 2000 })}
<button class="second">Comment</button></form>`,
)}`;
}
