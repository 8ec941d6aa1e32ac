import { Fault, Refusal } from '@tallystick/kernel';
import { type Tallystick, UnusableDatabase } from 'tallystick';
import type { Call, Operations, Outcome } from './history.ts';
import type { World } from './world.ts';

/** How long a caller waits for an answer. */
const patience_ms = 30_000;

/** The calls that carry it out, as the door of a host has them. */
export type Perform<Value> = (
  tally: Tallystick,
  options: { readonly request_id: string; readonly actor: string },
) => Promise<Value>;

export interface Sent<Name extends keyof Operations> {
  readonly operation: Name;
  /** Null: the network. */
  readonly company_id: number | null;
  readonly input: Operations[Name]['input'];
  readonly perform: Perform<Operations[Name]['value']>;
}

/**
 * Sends a call to one of the processes and waits for its answer. Null: none came, because the process
 * died, stood still or was never reached, or because the answer was lost.
 */
export async function exchange<Name extends keyof Operations>(
  world: World,
  { operation, company_id, input, perform }: Sent<Name>,
): Promise<Outcome<Operations[Name]['value']> | null> {
  const { time, random, history } = world;
  const request_id = world.nextRequestId();
  const call = { operation, request_id, company_id, input, sent_at_ms: time.now_ms, outcome: null } as Call;
  history.calls.push(call);
  world.trace(`${request_id} ${operation} ${JSON.stringify(input)}`);
  const node = world.nodes.length === 0 ? null : random.pick(world.nodes);
  const answered = Promise.withResolvers<Outcome<Operations[Name]['value']> | null>();
  const cancel = time.after(patience_ms, () => answered.resolve(null));
  if (node === null) {
    time.after(100, () => answered.resolve(null));
  } else {
    const options = { request_id, actor: company_id === null ? 'network' : 'client' };
    time.after(
      random.between(0, world.network_ms_max),
      () =>
        void outcomeOf(world, perform(node.tally, options)).then((outcome) => {
          if (random.happens(world.loses_answer)) return;
          time.after(random.between(0, world.network_ms_max), () => answered.resolve(outcome));
        }),
      node.machine,
    );
  }
  const outcome = await answered.promise;
  cancel();
  call.outcome = outcome as Call['outcome'];
  world.trace(`${request_id} ${JSON.stringify(outcome)}`);
  world.reach(`${operation}: ${outcome === null ? 'no answer' : outcome.kind}`);
  return outcome;
}

async function outcomeOf<Value>(world: World, work: Promise<Value>): Promise<Outcome<Value>> {
  const { time } = world;
  try {
    const value = await work;
    return { kind: 'done', value, at_ms: time.now_ms };
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, fields } = error;
      return { kind: 'refused', at_ms: time.now_ms, code, fields: fields.map(({ path }) => path) };
    }
    const { name, message, stack } = error as Error;
    // While the storage fails, or the process is overloaded or ends.
    const is_expected = error instanceof Fault || error instanceof UnusableDatabase;
    if (!is_expected) world.report('answer', `${name}: ${message}\n${stack}`);
    return { kind: 'failed', at_ms: time.now_ms, error: `${name}: ${message}` };
  }
}

/** Sends a call again until it is answered: done or refused. Null when it may be sent no longer. */
export async function exchangeUntilAnswered<Name extends keyof Operations>(
  world: World,
  sent: Sent<Name>,
  isUndecided: (value: Operations[Name]['value']) => boolean = () => false,
): Promise<Outcome<Operations[Name]['value']>> {
  for (let wait_ms = 1_000; ; wait_ms = Math.min(60_000, wait_ms * 2)) {
    const outcome = await exchange(world, sent);
    if (outcome?.kind === 'refused' || (outcome?.kind === 'done' && !isUndecided(outcome.value))) return outcome;
    await world.time.pause(wait_ms);
  }
}
