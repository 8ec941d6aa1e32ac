import { type Outcome, outcomes } from '@tallystick/cards';
import type { Results } from '@tallystick/operations';
import type { ConsoleApp } from '../console-app.ts';
import { code_words } from '../decision/say-decision.ts';
import { type BarRow, barTable, columnsChart, countText } from '../look/charts.ts';
import { type Content, html, when } from '../look/html.ts';
import { livePart } from '../look/live.ts';
import { facts, link, panel } from '../look/parts.ts';
import type { Visit } from '../visit.ts';

type ActivityHour = Results['activity.read']['hours'][number];
type Age = keyof Results['operator.backlog.read']['breaks_by_age'];

const day_hours = 24;

/** The ages of breaks, the youngest first, and from which one on a person should look. */
const ages: readonly Age[] = ['0-1', '2-3', '4-7', '8-30', 'over 30'];
const old_ages: readonly Age[] = ['8-30', 'over 30'];

/** So many are counted at most in all companies, and so many are listed of one. */
const counted_max = 1_000;
const listed_max = 50;

/** What a visitor sees first: what needs a person now, then the day in pictures. */
export function homePages(app: ConsoleApp): void {
  app.get('/companies/:company_id', async (c) => {
    const { visit } = c.var;
    const [{ hours }, failing, approvals, breaks, files] = await Promise.all([
      visit.call('activity.read'),
      visit.call('webhooks.states.list', { options: { filter: { failing: true }, limit: listed_max } }),
      visit.call('reconciliation.approvals.list', { options: { filter: { status: 'pending' }, limit: listed_max } }),
      visit.call('reconciliation.summary'),
      needsOfFiles(visit),
    ]);
    const by_age = Object.fromEntries(
      Object.entries(breaks.by_age).map(([age, total]) => [age, total?.count ?? 0]),
    ) as Partial<Record<Age, number>>;
    const needs = [
      needOf('webhooks', failing.items.length, visit.path('/webhooks'), listed_max),
      needOf('approvals', approvals.items.length, visit.path('/approvals'), listed_max),
      ...files,
      oldBreaks(by_age, `${visit.path('/breaks')}?age=8-`),
    ];
    return await visit.page({
      title: 'Home',
      nav: 'home',
      content: livePart(
        visit,
        'home',
        { on: 'event' },
        html`${when(visit.ports.sandbox && totalsOf(hours).requests === 0 && visit.may('sandbox.purchases.create'), () => emptySandbox(visit))}${needsPanel(needs)}${activityPanels(hours)}<div class="columns">${declinesPanel(hours, visit)}${breaksPanel(by_age, visit)}</div>`,
      ),
    });
  });

  app.get('/overview', async (c) => {
    const { visit } = c.var;
    const [{ hours }, backlog] = await Promise.all([
      visit.call('operator.activity.read'),
      visit.call('operator.backlog.read'),
    ]);
    return await visit.page({
      title: 'Overview',
      nav: 'overview',
      content: html`${needsPanel(needsOfAll(visit, backlog))}${activityPanels(hours)}<div class="columns">
${declinesPanel(hours)}${breaksPanel(backlog.breaks_by_age)}${queuesPanel(backlog)}</div>`,
    });
  });
}

function emptySandbox(visit: Visit): Content {
  return panel(
    'Begin here',
    html`<p>There are no recent purchases. Make a card and buy something, or fill the sandbox with examples.</p>
<p class="actions"><a class="button" href="${visit.path('/sandbox')}">Try it</a></p>`,
  );
}

/** What does not mend itself: one of it, several, and what it means. */
const needs_words = {
  webhooks: [
    'webhook is failing',
    'webhooks are failing',
    'Its last attempts failed. The events wait, and are not lost.',
  ],
  approvals: [
    'act waits for a second person',
    'acts wait for a second person',
    'Nothing changes until then. The person who asked cannot decide.',
  ],
  held: ['file is held', 'files are held', 'Nothing of it is applied until a person has looked at it.'],
  in_part: [
    'file is applied in part',
    'files are applied in part',
    'Some of its records are in quarantine, or some of its statements are held.',
  ],
  quarantine: [
    'clearing is in quarantine',
    'clearings are in quarantine',
    'It was refused and is kept. Try it again once the cause is gone.',
  ],
  mails: [
    'mail could not be sent',
    'mails could not be sent',
    'It was tried for a day. It can be sent again from its card.',
  ],
  breaks: [
    'break is older than a week',
    'breaks are older than a week',
    'What was authorized, cleared and stated differs.',
  ],
} as const;

/** `max`: so many or more. */
function needOf(of: keyof typeof needs_words, count: number, to: string | null, max = counted_max) {
  return { words: needs_words[of], count, to, max };
}

type Need = ReturnType<typeof needOf>;

function needsOfAll(visit: Visit, backlog: Results['operator.backlog.read']): readonly Need[] {
  return [
    needOf('webhooks', backlog.webhooks_failing, visit.rootPath('/companies')),
    needOf('held', backlog.imports_held, `${visit.rootPath('/imports')}?status=held`),
    needOf('in_part', backlog.imports_in_part, `${visit.rootPath('/imports')}?status=completed_with_quarantine`),
    needOf('quarantine', backlog.quarantine_open, visit.rootPath('/quarantine')),
    needOf('mails', backlog.mails_failed, null),
    oldBreaks(backlog.breaks_by_age, visit.rootPath('/companies')),
  ];
}

/** Files belong to no company: who may read them sees those of all. */
async function needsOfFiles(visit: Visit): Promise<readonly Need[]> {
  if (!visit.may('operator.imports.list')) return [];
  const [held, quarantined] = await Promise.all([
    visit.call('operator.imports.list', { options: { filter: { status: 'held' }, limit: listed_max } }),
    visit.call('operator.quarantine.list', { options: { filter: { status: 'quarantined' }, limit: listed_max } }),
  ]);
  return [
    needOf('held', held.items.length, `${visit.rootPath('/imports')}?status=held`, listed_max),
    needOf('quarantine', quarantined.items.length, visit.rootPath('/quarantine'), listed_max),
  ];
}

function oldBreaks(by_age: Partial<Record<Age, number>>, to: string): Need {
  const count = sumOf(old_ages.map((age) => by_age[age] ?? 0));
  return needOf('breaks', count, to);
}

function needsPanel(all: readonly Need[]): Content {
  const needs = all.filter(({ count }) => count > 0);
  if (needs.length === 0) return panel('Needs a person', html`<p class="empty">Nothing needs you now.</p>`);
  return panel(
    'Needs a person',
    html`<ul class="needs">${needs.map(({ words: [one, several, hint], count, to, max }) => {
      const text = html`<strong>${atLeast(count, max)}</strong> ${count === 1 ? one : several}`;
      return html`<li class="warning">${to === null ? text : link(to, text)}<span class="hint">${hint}</span></li>`;
    })}</ul>`,
  );
}

/** Of what is counted up to a bound. */
function atLeast(count: number, max = counted_max): string {
  return count === max ? `${countText(count)} or more` : countText(count);
}

function activityPanels(hours: readonly ActivityHour[]): Content {
  const today = hours.slice(-day_hours);
  const before = hours.slice(0, -day_hours);
  const [now, past] = [totalsOf(today), totalsOf(before)];
  const has_questions = today.some(({ asked }) => Object.keys(asked).length > 0);
  return html`${panel(
    'Requests of the last 24 hours',
    html`${facts([
      ['Requests', compared(now.requests, past.requests)],
      ['Approved', compared(now.approved, past.approved)],
      ['Declined', compared(now.declined, past.declined)],
      ['Not decided (U)', compared(now.undecided, past.undecided)],
    ])}${
      now.requests === 0
        ? ''
        : columnsChart({
            caption: 'Requests by hour and outcome, UTC',
            of: 'Hour',
            series: [
              { title: 'Approved', color: 'c1' },
              { title: 'Declined', color: 'c2' },
              { title: 'Not decided (U)', color: 'c3' },
            ],
            columns: columnsOf(today, (hour) => {
              const { approved, declined, undecided } = totalsOf([hour]);
              return [approved, declined, undecided];
            }),
            label_every: 4,
          })
    }`,
  )}${when(has_questions, () =>
    panel(
      'Questions to decision endpoints',
      columnsChart({
        caption: 'Questions by hour and how they ended, UTC',
        of: 'Hour',
        series: [
          { title: 'Answered', color: 'c1' },
          { title: 'No answer in time', color: 'c3' },
          { title: 'Other failures', color: 'c2' },
        ],
        columns: columnsOf(today, ({ asked: { answered = 0, timeout = 0, ...others } }) => [
          answered,
          timeout,
          sumOf(Object.values(others)),
        ]),
        label_every: 4,
      }),
    ),
  )}`;
}

function columnsOf(hours: readonly ActivityHour[], valuesOf: (hour: ActivityHour) => readonly number[]) {
  return hours.map((hour) => ({
    label: `${hour.at.slice(11, 13)}:00`,
    values: valuesOf(hour),
  }));
}

function totalsOf(hours: readonly ActivityHour[]) {
  const approved = sumOf(hours.map((hour) => hour.approved));
  const undecided = sumOf(hours.map(({ declined }) => declined.U ?? 0));
  const declined = sumOf(hours.flatMap((hour) => Object.values(hour.declined))) - undecided;
  return { approved, declined, undecided, requests: approved + declined + undecided };
}

function compared(count: number, before: number): Content {
  return html`<span class="figure">${countText(count)}</span><br><span class="quiet">${countText(before)} the day before</span>`;
}

/** `visit`: that of a company, whose declines are listed. */
function declinesPanel(hours: readonly ActivityHour[], visit?: Visit): Content {
  const today = hours.slice(-day_hours);
  const counted = outcomes.flatMap(({ code }): readonly (BarRow & { readonly code: Outcome['code'] })[] => {
    const count = code === 'V' ? 0 : sumOf(today.map(({ declined }) => declined[code] ?? 0));
    return count === 0
      ? []
      : [
          {
            code,
            title: html`<b>${code}</b> ${linkOf(visit, `/search?q=declined+${code}`, code_words[code])}`,
            count,
            color: code === 'U' ? 'c3' : 'c2',
          },
        ];
  });
  return panel(
    'Why requests were declined',
    barTable({
      caption: 'Declined requests of the last 24 hours by reason',
      of: 'Reason',
      rows: counted.toSorted((a, b) => b.count - a.count),
      empty: 'No request was declined in the last 24 hours.',
    }),
  );
}

function breaksPanel(by_age: Partial<Record<Age, number>>, visit?: Visit): Content {
  const rows = ages.map(
    (age): BarRow => ({
      title: linkOf(visit, `/breaks?age=${age === 'over 30' ? '31-' : age}`, `${age} days`),
      count: by_age[age] ?? 0,
      color: old_ages.includes(age) ? 'c3' : 'c1',
    }),
  );
  return panel(
    'Breaks by age',
    barTable({
      caption: 'Breaks by the days since they were due',
      of: 'Age',
      rows: sumOf(rows.map(({ count }) => count)) === 0 ? [] : rows,
      empty: 'There is no break.',
    }),
  );
}

function linkOf(visit: Visit | undefined, path: string, text: string): Content {
  return visit === undefined ? text : link(visit.path(path), text);
}

function queuesPanel(backlog: Results['operator.backlog.read']): Content {
  return panel(
    'Queues',
    facts([
      ['Deliveries that are due', atLeast(backlog.deliveries_due)],
      ['Events that wait for the relay', atLeast(backlog.events_unrelayed)],
      ['Mails that are due', atLeast(backlog.mails_due)],
      ['Audit entries that are not sealed', atLeast(backlog.audit_entries_unsealed)],
    ]),
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
