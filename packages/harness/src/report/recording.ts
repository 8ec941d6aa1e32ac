import { capabilitiesOf, type System } from '../system.ts';

/** What the harness calls, except the end of a sequence. */
export type CallName = Exclude<keyof System, 'world' | 'close'>;

/** One call of the system. */
export interface RecordedCall {
  readonly name: CallName;
  readonly args: readonly unknown[];
  /** Absent if it was not answered, or not yet. */
  answer?: unknown;
  /** Why it was not answered. */
  error?: unknown;
  /** The answer that the model expected; undefined if there was nothing to compare. */
  expected?: unknown;
  /** Counts the expectations: calls that were under way at once are explained in this order. */
  explained?: number;
  /** Whether no order explains the calls that were under way with it. */
  is_unexplained?: boolean;
  /** Calls that were answered when it began; those after them were under way with it. */
  readonly answered_before: number;
}

/** The call of each answer. An answer is known by its identity, until it is garbage. */
const call_of_answer = new WeakMap<object, RecordedCall>();

let explained = 0;

/** Records the answer that the model expects in place of one of the system. */
export function expectAnswer(actual: object, expected: unknown): void {
  const call = call_of_answer.get(actual);
  if (call === undefined) return;
  explained += 1;
  call.expected = jsonCopy(expected);
  call.explained = explained;
}

/** Forgets what was expected: no order explains the answer and those of the calls beside it. */
export function leaveUnexplained(actual: object): void {
  const call = call_of_answer.get(actual);
  if (call === undefined) return;
  call.expected = undefined;
  call.is_unexplained = true;
}

/** The system, and its calls in the order in which they begin. `onCall` runs before each. */
export function recorded(
  system: System,
  onCall: (name: CallName) => void,
): { readonly system: System; readonly calls: readonly RecordedCall[] } {
  const calls: RecordedCall[] = [];
  let answered = 0;

  function recording(name: CallName) {
    return async (...args: unknown[]): Promise<unknown> => {
      const call: RecordedCall = { name, args: jsonCopy(args), answered_before: answered };
      calls.push(call);
      onCall(name);
      try {
        const answer = await (system[name] as (...args: unknown[]) => Promise<unknown>)(...args);
        call.answer = jsonCopy(answer);
        if (typeof answer === 'object' && answer !== null) call_of_answer.set(answer, call);
        return answer;
      } catch (error) {
        call.error = error;
        throw error;
      } finally {
        answered += 1;
      }
    };
  }

  const names: readonly CallName[] = ['createCard', 'readCard', 'authorize', ...capabilitiesOf(system)];
  const members = Object.fromEntries(names.map((name) => [name, recording(name)]));
  return { system: { ...members, world: system.world, close: () => system.close() } as unknown as System, calls };
}

/** The calls in the order in which they began; those that were under way at once together. */
export function rounds(calls: readonly RecordedCall[]): readonly (readonly RecordedCall[])[] {
  const found: RecordedCall[][] = [];
  for (const [at, call] of calls.entries()) {
    // Each earlier call was answered before this one began.
    if (call.answered_before === at) found.push([call]);
    else found.at(-1)!.push(call);
  }
  return found;
}

/** A copy that later steps do not change. */
function jsonCopy<Value>(value: Value): Value {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}
