import { type ClockMove, machine_timers, Temporal } from '@tallystick/kernel';
import type { CardOf, SampleAuthorizationMessage, SampleClearingMessage, SampleSet } from '@tallystick/samples';

/**
 * Cards of a set that is not loaded: ids as an empty database would assign them, and numbers that
 * belong to no card.
 */
export const inventedCard: CardOf = (card) => ({
  vcn_id: card + 1,
  card_number: `54545454${String(card).padStart(8, '0')}`,
});

/** A sandbox that takes the cards and messages of a set. */
export interface Loading {
  /**
   * The day of the authorizations, YYYY-MM-DD: that of its clock. Throws `UsageError` when another
   * one is wanted and the clock is known.
   */
  day(wanted: string | undefined): Promise<string>;
  /** Moves the clock of the sandbox. Returns its time then, ISO 8601. */
  moveClock(move: ClockMove): Promise<string>;
  reportRecords(records: readonly object[]): Promise<RecordOutcome>;
  /** `onCreated` is called with the number of cards so far. */
  createCards(set: SampleSet, onCreated: (cards: number) => void): Promise<CardOf>;
  /** The most messages in flight. */
  readonly at_once: number;
  /** Returns the response code. */
  authorize(message: SampleAuthorizationMessage): Promise<string>;
  clear(message: SampleClearingMessage): Promise<void>;
  close(): Promise<void>;
}

/** How many records of the bank were not recorded. */
export interface RecordOutcome {
  readonly rejected: number;
}

/** When the messages of a day are sent. */
export function morningOf(day: string): string {
  return `${day}T08:00:00Z`;
}

/** Today on this machine, in UTC. */
export function machineDay(): string {
  return Temporal.Instant.fromEpochMilliseconds(machine_timers.nowMs()).toString().slice(0, 10);
}

/** The clearings of a set that are to come by message before the file. */
function* clearingsSentBefore(set: SampleSet, cardOf: CardOf) {
  for (const { expected, message } of set.records(cardOf)) if (expected.sent_before && message !== null) yield message;
}

export function countMessages(set: SampleSet, cardOf: CardOf): number {
  let messages = 0;
  for (const _ of set.authorizations(cardOf)) messages += 1;
  for (const _ of clearingsSentBefore(set, cardOf)) messages += 1;
  return messages;
}

/**
 * Sends the authorizations, and the clearings that are to come by message before the file. Throws
 * an error if one is not answered as the set expects. `onSent` is called with the number of messages
 * so far.
 */
export async function sendMessages(
  { at_once, authorize, clear, moveClock }: Loading,
  set: SampleSet,
  cardOf: CardOf,
  onSent: (messages: number) => void,
): Promise<{ readonly authorizations: number; readonly clearings: number }> {
  const authorizeAsExpected = async (message: SampleAuthorizationMessage): Promise<void> => {
    const response_code = await authorize(message);
    // All but advices of declines are approved.
    const is_approval_expected = (message.response_code ?? '00') === '00';
    if (is_approval_expected === (response_code === '00')) return;
    throw new Error(`authorization ${message.trace_id} was answered with ${response_code}`);
  };
  let authorizations = 0;
  for (const [day, messages] of byDay(set, cardOf)) {
    // A month is sent day by day.
    if (day > set.options.day) await moveClock({ set: morningOf(day) });
    const before = authorizations;
    const traceOf = ({ trace_id }: SampleAuthorizationMessage): string => trace_id;
    authorizations += await sendAll(messages, traceOf, at_once, authorizeAsExpected, (sent) => onSent(before + sent));
  }
  if (set.month !== null) await moveClock({ set: morningOf(set.month.late_day) });
  const clearings = await sendAll(
    clearingsSentBefore(set, cardOf),
    ({ network_financial_transaction_id }) => network_financial_transaction_id,
    at_once,
    clear,
    (sent) => onSent(authorizations + sent),
  );
  return { authorizations, clearings };
}

/** The authorizations of each day, in constant memory: a day is taken to its end before the next. */
function* byDay(set: SampleSet, cardOf: CardOf): Generator<readonly [string, Iterable<SampleAuthorizationMessage>]> {
  const all = set.authorizations(cardOf)[Symbol.iterator]();
  const dayOf = ({ value }: IteratorYieldResult<SampleAuthorizationMessage>): string =>
    value.transaction_date_time.slice(0, 10);
  let next = all.next();
  function* ofDay(day: string) {
    for (; next.done !== true && dayOf(next) === day; next = all.next()) yield next.value;
  }
  while (next.done !== true) {
    const day = dayOf(next);
    yield [day, ofDay(day)];
  }
}

/**
 * Sends messages in their order, `at_once` of them at the same time, and never two of one purchase:
 * a busy server may refuse the first of them. `onSent` is called with the number of answered messages. Returns
 * the number of messages.
 */
async function sendAll<Message>(
  messages: Iterable<Message>,
  purchaseOf: (message: Message) => unknown,
  at_once: number,
  send: (message: Message) => Promise<void>,
  onSent: (messages: number) => void,
): Promise<number> {
  let count = 0;
  const sent = new Map<unknown, Promise<void>>();
  const answered = async (): Promise<void> => {
    await Promise.all(sent.values());
    sent.clear();
    onSent(count);
  };
  for (const message of messages) {
    const purchase = purchaseOf(message);
    if (sent.size === at_once || sent.has(purchase)) await answered();
    count += 1;
    sent.set(purchase, send(message));
  }
  await answered();
  return count;
}
