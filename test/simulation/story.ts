import { maskNumber } from '@tallystick/kernel';
import type { State } from '@tallystick/memory';
import type { Call, History } from './history.ts';
import type { FaultSeen, Report } from './world.ts';

export interface ObservedRun {
  readonly history: History;
  readonly committed: State;
  readonly faults: readonly FaultSeen[];
}

interface Entry {
  readonly at_ms: number;
  readonly text: string;
  /** Whether the problem names this call or row, and not only its card. */
  readonly is_named?: boolean;
}

type Values = Readonly<Record<string, unknown>>;

const entries_max = 38;
/** What is shown of a subject that has more entries, after the last one that the problem names. */
const after_named_max = 8;
/** What is shown when the problem names nothing that was seen. */
const last_entries = 20;
/** A fault is shown when it comes at most so long after an entry: as long as a caller waits. */
const fault_after_ms = 30_000;
const text_length_max = 260;

/** Fields that no violation is read from. */
const left_out: ReadonlySet<string> = new Set([
  'company_id',
  'cvc',
  'expiry',
  'merchant_id',
  'rcn_alias',
  'rcn_id',
  'system_trace_audit_number',
  'transaction_type',
]);

/**
 * What happened to the card, the message or the webhook that a violation names, in order: the calls
 * with their answers, the events, the deliveries, and the faults around them. When it names none,
 * the last calls and faults before it.
 */
export function storyOf({ history, committed, faults }: ObservedRun, violation: Report): readonly string[] {
  const subject = subjectOf(violation.problem, history, committed);
  const isOver = ({ at_ms }: { readonly at_ms: number }): boolean => at_ms > violation.at_ms;
  const faults_before = faults.filter((fault) => !isOver(fault)).map(entryOfFault);
  const violation_entry = { at_ms: violation.at_ms, text: `>>> ${violation.by}: ${violation.problem.split('\n', 1)}` };
  const entries = subject.entries.filter((entry) => !isOver(entry));
  if (entries.length === 0) {
    const all = history.calls.map((call) => entryOfCall(call)).filter((entry) => !isOver(entry));
    const last = inOrder([...all, ...faults_before]).slice(-last_entries);
    return [...last, violation_entry].map(lineOf);
  }
  const near = faults_before.filter((fault) =>
    entries.some(({ at_ms }) => at_ms <= fault.at_ms && fault.at_ms <= at_ms + fault_after_ms),
  );
  const story = inOrder([...entries, ...near]);
  const last_named = story.findLastIndex(({ is_named }) => is_named);
  const end = last_named < 0 ? story.length : Math.min(story.length, last_named + 1 + after_named_max);
  const begin = Math.max(0, end - entries_max);
  return [
    `the story of ${subject.names.join(', ')}:`,
    ...(begin > 0 ? [`(${begin} earlier lines are left out)`] : []),
    ...story.slice(begin, end).map(lineOf),
    ...(end < story.length ? [`(${story.length - end} later lines are left out)`] : []),
    lineOf(violation_entry),
  ];
}

/** A text without the numbers and codes of cards. */
export function withoutNumbers(text: string): string {
  return text
    .replace(/(?<!\d)\d{16}(?!\d)/g, (digits) => maskNumber(digits.slice(-4)))
    .replace(/("cvc":")\d+/g, '$1***');
}

function subjectOf(problem: string, history: History, state: State) {
  const words = new Set(problem.split(/[^\w.-]+/));
  const named = new Set<string>();
  const card_ids = new Set<unknown>();
  const webhook_ids = new Set<number>();
  for (const [, kind, digits] of problem.matchAll(/\b([a-z][a-z.]*) (\d+)\b/g)) {
    const id = Number(digits);
    if (kind === 'card' || kind === 'window' || /^virtualcard\.(created|updated|deleted)$/.test(kind!)) {
      card_ids.add(id);
    } else if (/^(authorizations?|virtualcard\.realtime\.auths)$/.test(kind!)) {
      named.add(`authorization ${id}`);
      card_ids.add(state.authorizations.get(id)?.card_id);
    } else if (/^(clearings?|virtualcard\.clearings)$/.test(kind!)) {
      named.add(`clearing ${id}`);
      card_ids.add(state.clearings.get(id)?.card_id);
    } else if (kind === 'event') {
      named.add(`event ${id}`);
      const event = state.events.get(id);
      if (event !== undefined) card_ids.add(cardOfEvent(event.event_type, event.payload));
    } else if (kind === 'webhook') {
      webhook_ids.add(id);
    } else if (kind === 'delivery') {
      const delivery = state.deliveries.get(id);
      if (delivery !== undefined) webhook_ids.add(delivery.webhook_id);
    }
  }

  for (const { id, callback_url } of state.webhooks.values()) if (problem.includes(callback_url)) webhook_ids.add(id);

  const cards_by_number = new Map<unknown, number>();
  for (const { operation, outcome } of history.calls) {
    if (operation === 'createCard' && outcome?.kind === 'done') {
      cards_by_number.set(outcome.value.card_number, outcome.value.id);
    }
  }
  const cardOf = ({ operation, input, outcome }: Call): unknown => {
    if (operation === 'createCard') return outcome?.kind === 'done' ? outcome.value.id : undefined;
    const { card_id, card_number } = valuesOf(input);
    return card_id ?? cards_by_number.get(card_number);
  };
  const isNamed = ({ operation, request_id, input, outcome }: Call): boolean => {
    const { trace_id, network_financial_transaction_id, authorization_id } = valuesOf(input);
    if ([request_id, trace_id, network_financial_transaction_id].some((id) => words.has(String(id)))) return true;
    if (named.has(`authorization ${authorization_id}`)) return true;
    const { id } = valuesOf(outcome?.kind === 'done' ? outcome.value : null);
    const kind = { authorize: 'authorization', clear: 'clearing' }[operation as string];
    return kind !== undefined && named.has(`${kind} ${id}`);
  };
  const named_calls = new Set(history.calls.filter(isNamed));
  for (const call of named_calls) card_ids.add(cardOf(call));
  card_ids.delete(undefined);

  const urls = new Set([...webhook_ids].map((id) => state.webhooks.get(id)?.callback_url));
  const entries: Entry[] = [];
  for (const call of history.calls) {
    const is_named = named_calls.has(call);
    if (is_named || card_ids.has(cardOf(call))) entries.push({ ...entryOfCall(call), is_named });
  }
  for (const { id, event_type, payload, created_at_ms, request_id } of state.events.values()) {
    if (!card_ids.has(cardOfEvent(event_type, payload)) && !named.has(`event ${id}`)) continue;
    const text = `event ${id} ${event_type} (${request_id ?? 'of no request'}) ${shortText(payload)}`;
    entries.push({ at_ms: created_at_ms, text, is_named: named.has(`event ${id}`) });
  }
  for (const { at_ms, callback_url, body, status } of history.deliveries) {
    const { type, payload, 'event-id': event_id } = valuesOf(valuesOf(JSON.parse(body)).data);
    const is_of_card = card_ids.has(cardOfEvent(String(type), valuesOf(payload)));
    if (!is_of_card && !urls.has(callback_url) && !named.has(`event ${event_id}`)) continue;
    entries.push({
      at_ms,
      text: `delivery of event ${event_id} ${type} to ${callback_url} -> ${status ?? 'no answer'}`,
    });
  }
  const names = [
    ...[...card_ids].map((id) => `card ${id}`),
    ...[...webhook_ids].map((id) => `webhook ${id}`),
    ...(card_ids.size + webhook_ids.size === 0 ? [...named, ...[...named_calls].map((call) => call.request_id)] : []),
  ];
  return { names, entries };
}

function cardOfEvent(event_type: string, payload: Values): unknown {
  return payload.vcn_id ?? (/^virtualcard\.(created|updated|deleted)$/.test(event_type) ? payload.id : undefined);
}

function entryOfCall({ operation, request_id, input, sent_at_ms, outcome }: Call): Entry {
  const answer =
    outcome === null
      ? 'no answer'
      : outcome.kind === 'done'
        ? `done ${shortText(outcome.value)}`
        : outcome.kind === 'refused'
          ? `refused ${outcome.code} ${outcome.fields.join(' ')}`
          : `failed ${outcome.error}`;
  return { at_ms: sent_at_ms, text: `${request_id} ${operation} ${shortText(input)} -> ${answer}` };
}

function entryOfFault({ at_ms, what }: FaultSeen): Entry {
  return { at_ms, text: `fault: ${what}` };
}

function inOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => a.at_ms - b.at_ms);
}

function lineOf({ at_ms, text }: Entry): string {
  return `${new Date(at_ms).toISOString()} ${withoutNumbers(text)}`;
}

/** The main values as JSON. */
function shortText(value: unknown): string {
  const text = JSON.stringify(value, (name, inner) => (inner === null || left_out.has(name) ? undefined : inner)) ?? '';
  const masked = withoutNumbers(text);
  return masked.length > text_length_max ? `${masked.slice(0, text_length_max)}...` : masked;
}

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
