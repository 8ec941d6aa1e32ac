import { unread_item } from '@tallystick/cards';
import { Fault } from '@tallystick/kernel';
import { Busy } from '@tallystick/operations';
import { type RenderedAnswer, render } from '../answer/answer.ts';
import { overloadAnswer } from '../answer/error-answer.ts';
import { undecidedAnswer } from '../answer/operation-answer.ts';
import type { Route } from '../join-endpoints.ts';
import { type Log, toLoggedError } from '../operations/log.ts';
import type { Metrics } from '../operations/metrics.ts';
import { Overloaded } from './admission.ts';

interface Metered {
  readonly metrics: Pick<Metrics, 'requestRefused' | 'undecided'>;
}

type Shedding = Pick<Route, 'sheds_load'>;

/** Answers a request for which a door has no place. */
export function answerFullDoor(ports: Metered, route: Shedding, request_id: string): RenderedAnswer {
  ports.metrics.requestRefused();
  return answerOverload(ports, route, request_id);
}

/**
 * Answers an error that says nothing about the request: a full door, and where overload is answered
 * with a decision also a retryable fault, such as a key that cannot be looked up. Returns null for
 * every other error.
 */
export function answerShed(
  ports: Metered & { readonly log: Log },
  route: Pick<Route, 'path' | 'sheds_load'>,
  request_id: string,
  error: unknown,
): RenderedAnswer | null {
  if (error instanceof Overloaded) return answerFullDoor(ports, route, request_id);
  if (error instanceof Busy && error.of === 'all') ports.metrics.requestRefused();
  if (route.sheds_load !== 'with_item' || !(error instanceof Fault && error.retryable)) return null;
  ports.log.error({ request_id, route: route.path, err: toLoggedError(error) }, 'request failed');
  return answerOverload(ports, route, request_id);
}

/** Answers a request that the network side would refuse. */
export function answerOverload(ports: Metered, route: Shedding, request_id: string): RenderedAnswer {
  countOverload(ports, route);
  return overloadOf(route, request_id);
}

/** Counts the decision of an answer to overload, if it is one. */
export function countOverload({ metrics }: Metered, { sheds_load }: Shedding): void {
  if (sheds_load === 'with_item') metrics.undecided();
}

export function overloadOf({ sheds_load }: Shedding, request_id: string): RenderedAnswer {
  return render(sheds_load === 'with_item' ? undecidedAnswer(unread_item, request_id) : overloadAnswer(request_id));
}
