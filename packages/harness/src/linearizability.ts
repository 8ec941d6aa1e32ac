/**
 * Whether operations that were submitted together are explained by some order of them, one after
 * another (linearizability), for one card. Each order is tried on copies of the reference model: it
 * explains what was seen when the model gives the same answers, and then has the same card, events
 * and quarantine.
 */
import { agree, Disagreement, text } from './agreement.ts';
import { agreeCard, agreeQuarantine } from './comparison.ts';
import type { Operation, Outcome } from './operation.ts';
import type { ReferenceModel } from './reference/model.ts';
import { expectAnswer, leaveUnexplained } from './report/recording.ts';
import type { Answer, CardView, EventView, QuarantineView, System } from './system.ts';

/** An operation that was submitted beside others, and answered. */
export interface Call {
  readonly operation: Operation;
  /** Of its last sending. */
  readonly outcome: Outcome;
  /** Whether the system also did an earlier sending, whose answer was lost. */
  readonly earlier: 'none' | 'done' | 'perhaps';
}

/** What the system shows after the operations; null: what it does not report. */
export interface Seen {
  readonly card_id: number;
  readonly card: Answer<CardView>;
  readonly events: readonly EventView[] | null;
  readonly quarantine: readonly QuarantineView[] | null;
}

/** One sending of an operation. */
interface Step {
  readonly call: Call;
  readonly is_unheard: boolean;
}

type Order = readonly Step[];

export async function readSeen(system: System, card_id: number): Promise<Seen> {
  return {
    card_id,
    card: await system.readCard(card_id),
    events: (await system.events?.()) ?? null,
    quarantine: (await system.quarantine?.()) ?? null,
  };
}

/**
 * Does the operations on the model, in an order that explains what was seen. Throws a `Disagreement`
 * when there is none. When orders explain it that lead to different histories, the model is
 * undecided from then on.
 */
export function explainTogether(model: ReferenceModel, calls: readonly Call[], seen: Seen): void {
  const events_before = model.events.length;
  const search: Search = { calls, seen, events_before, tried: new Set(), found: new Map(), nearest: null };
  tryOrders(search, model, []);
  const [order] = search.found.values();
  if (order === undefined) throw unexplained(search, model);
  for (const step of order) apply(step, model);
  agreeWithSeen(model, seen);
  model.is_undecided = search.found.size > 1;
}

interface Search {
  readonly calls: readonly Call[];
  readonly seen: Seen;
  readonly events_before: number;
  /** The sets of sendings that were tried, with the history and the events that they lead to. */
  readonly tried: Set<string>;
  /** The orders that explain everything, by the history that they lead to. */
  readonly found: Map<string, Order>;
  /** The order that explains the most, and what it does not explain. */
  nearest: { readonly order: Order; readonly failing: Step | null; readonly error: Disagreement } | null;
}

function tryOrders(search: Search, model: ReferenceModel, order: Order): void {
  const history = model.historyOf(search.seen.card_id);
  const done = search.calls.map((call) =>
    order.filter((step) => step.call === call).map(({ is_unheard }) => is_unheard),
  );
  const events = search.seen.events === null ? [] : model.events.slice(search.events_before);
  const state = JSON.stringify([done, events, history]);
  if (search.tried.has(state)) return;
  search.tried.add(state);
  const steps = nextSteps(search.calls, order, model);
  if (steps.length === 0) {
    const is_explained = attempt(search, order, null, () => agreeWithSeen(model, search.seen));
    if (is_explained) search.found.set(history, order);
    return;
  }
  for (const step of steps) {
    const copy = model.copyFor(search.seen.card_id);
    const is_explained = attempt(search, order, step, () => apply(step, copy));
    if (is_explained) tryOrders(search, copy, [...order, step]);
  }
}

/**
 * The sendings that may be next. Authorizations that were sent once are decided in the order in which
 * they were submitted, unless the system keeps no order.
 */
function nextSteps(calls: readonly Call[], order: Order, { keeps_order }: ReferenceModel): readonly Step[] {
  const open = calls.filter((call) => !order.some((step) => step.call === call && !step.is_unheard));
  const keepsOrder = ({ operation, earlier }: Call) =>
    keeps_order && operation.kind === 'authorize' && earlier === 'none';
  const first = open.find(keepsOrder);
  return open.flatMap((call) => {
    if (keepsOrder(call)) return call === first ? [{ call, is_unheard: false }] : [];
    const is_repeated = order.some((step) => step.call === call);
    // A repeated authorization gets its first answer, so its second sending changes nothing.
    if (is_repeated || call.earlier === 'none' || call.operation.kind === 'authorize') {
      return [{ call, is_unheard: false }];
    }
    const unheard = { call, is_unheard: true };
    return call.earlier === 'done' ? [unheard] : [unheard, { call, is_unheard: false }];
  });
}

function apply({ call, is_unheard }: Step, model: ReferenceModel): void {
  if (is_unheard) call.outcome.repeatUnheard(model);
  else call.outcome.explain(model);
}

function agreeWithSeen(model: ReferenceModel, { card_id, card, events, quarantine }: Seen): void {
  agreeCard(model, model.cards.find(({ id }) => id === card_id)!, card);
  const ofCard = (all: readonly EventView[]) => all.filter(({ vcn_id }) => vcn_id === card_id);
  if (events !== null) {
    expectAnswer(events, model.events);
    agree(`the events of card ${card_id}`, ofCard(model.events), ofCard(events), 'events');
  }
  if (quarantine !== null) agreeQuarantine(model, quarantine);
}

/** Runs one comparison. Notes how far the order comes when it fails, and returns whether it holds. */
function attempt(search: Search, order: Order, failing: Step | null, compare: () => void): boolean {
  try {
    compare();
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error;
    if (search.nearest === null || order.length > search.nearest.order.length) {
      search.nearest = { order, failing, error };
    }
    return false;
  }
  return true;
}

function unexplained({ calls, seen, nearest }: Search, model: ReferenceModel): Disagreement {
  const { order, failing, error } = nearest!;
  const copy = model.copyFor(seen.card_id);
  expectNearest(calls, seen, failing === null ? order : [...order, failing], copy);
  for (const reached of copy.latest) model.latest.add(reached);
  const shown = ({ call, is_unheard }: Step) =>
    `${call.operation.text}${is_unheard ? ' (its answer was lost)' : ` is answered ${text(call.outcome.answer)}`}`;
  const what = [
    `no order of ${calls.length} operations that were submitted together explains what the system did:`,
    ...calls.map(({ operation, outcome, earlier }) => {
      const again = { none: '', done: ', sent again after a lost answer', perhaps: ', sent again after a crash' };
      return `    ${operation.text}${again[earlier]}: ${text(outcome.answer)}`;
    }),
    '  the nearest order:',
    ...order.map((step, at) => `    ${at + 1}. ${shown(step)}`),
    ...(failing === null
      ? []
      : [`    ${order.length + 1}. ${failing.call.operation.text} would be answered otherwise`]),
    `  ${error.what}`,
  ].join('\n');
  return new Disagreement(what, error.expected, error.actual, error.about);
}

/** Expects the answers of the nearest order. */
function expectNearest(calls: readonly Call[], seen: Seen, order: Order, copy: ReferenceModel): void {
  for (const { outcome } of calls) leaveUnexplained(outcome.answer);
  const search: Search = { calls, seen, events_before: 0, tried: new Set(), found: new Map(), nearest: null };
  const is_explained = order.every((step) => attempt(search, order, step, () => apply(step, copy)));
  if (is_explained) attempt(search, order, null, () => agreeWithSeen(copy, seen));
}
