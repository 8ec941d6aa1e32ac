import { type Principal, requireRole } from '@tallystick/access';
import { invalid, Refusal } from '@tallystick/kernel';
import { checkBody, nameFields, type OperationCall } from '@tallystick/operations';
import { type RenderedAnswer, render } from '../answer/answer.ts';
import { errorAnswer, HttpProblem, isExpected } from '../answer/error-answer.ts';
import { answerOf } from '../answer/operation-answer.ts';
import { noteKnownCaller } from '../connection/connections.ts';
import { messages_path } from '../endpoints.ts';
import type { Route } from '../join-endpoints.ts';
import type { Lifecycle } from '../operations/lifecycle.ts';
import { toLoggedError } from '../operations/log.ts';
import { Overloaded } from '../request/admission.ts';
import type { BodyPace } from '../request/body-pace.ts';
import { parseJson, requireMediaType, requireUncompressed } from '../request/json.ts';
import { answerOverload, answerShed } from '../request/overload.ts';
import {
  admitCaller,
  bodylessCall,
  ownerOf,
  type PipelinePorts,
  queryOf,
  type RequestContext,
} from '../request/pipeline.ts';
import { type HttpQuery, http_names } from '../request/query.ts';
import { enforceRateLimit } from '../request/rate-limit.ts';
import { exchangeLines, type LineWork, lines_type } from './line-exchange.ts';

/** The operations of the lines, by their types. */
const operation_ids = {
  authorization: 'network.authorizations.decide',
  clearing: 'network.clearings.record',
} as const;

/** The most bytes of a line. A message has a thousand. */
export const message_bytes_max = 64 * 1024;

/** How long a request may have no line before its answer ends, milliseconds. */
export const idle_ms_max = 300_000;

/** A message of one type, as its own route takes it. */
interface MessageRoute {
  readonly route: Route;
  readonly query: HttpQuery;
  readonly bodyless: Omit<OperationCall, 'body'>;
}

/**
 * Returns what answers many network messages in one request (ADR 0079), or null where single ones
 * are not served. The order of the steps for the request is that of `createAnswering`. For each
 * line it is: the rate limits (429), the JSON and its type (400), the load (503), the shape and the
 * work of the message.
 */
export function createMessages(
  ports: PipelinePorts,
  pace: BodyPace,
  routes: readonly Route[],
  lifecycle: Lifecycle,
): ((ctx: RequestContext) => Promise<void>) | null {
  const by_type = Object.entries(operation_ids).flatMap(([type, id]) => {
    const route = routes.find(({ operation }) => operation.id === id);
    return route === undefined ? [] : [[type, route] as const];
  });
  if (by_type.length === 0) return null;

  return async (ctx) => {
    const { req, state } = ctx;
    state.route = messages_path;
    state.arrived_ms = ports.timers.monotonicNow();
    let principal = await ports.authenticator.authenticate(req.headers.authorization);
    const owner = admitCaller(ports, ctx, principal, 'network_messages');
    refuseUnfit(ctx, principal);
    if (lifecycle.stopping) throw new HttpProblem('unavailable', 'the service is stopping');
    let now_ms = ports.clock.nowMs();
    /** Lines of one request share the places with those of others, and leave some to single messages. */
    const line_owner = `messages:${state.request_id}`;
    const { decisions, message_lines, message_streams } = ports.doors;
    const message_routes = new Map(
      by_type.map(([type, route]) => {
        const query = queryOf(ctx, route);
        const bodyless = bodylessCall(ctx, principal, query, now_ms);
        return [type, { route, query, bodyless } satisfies MessageRoute];
      }),
    );
    const toWait = pace.open('refused messages');
    const decide = async ({ route, query }: MessageRoute, call: OperationCall): Promise<RenderedAnswer> => {
      const { operation } = route;
      try {
        if (!('perform' in operation)) throw new TypeError('a network message is work of its own');
        const shown = answerOf(route, call, query, await operation.perform(call));
        return render(shown instanceof Promise ? await shown : shown);
      } catch (error) {
        return answerError(ports, route, call.request_id, nameFields(error, 'data.', http_names));
      } finally {
        decisions.leave(line_owner);
        message_lines.release(null);
      }
    };
    /** Why no line can be decided now: the key is refused, or could not be looked up. */
    let problem: unknown = null;

    const work: LineWork = {
      async begin() {
        problem = null;
        try {
          principal = await ports.authenticator.authenticate(req.headers.authorization);
          noteKnownCaller(req, ownerOf(principal));
          requireRole(principal, 'network_messages');
          refuseSigned(principal);
          if (ports.refreshClock !== undefined) await ports.refreshClock();
          now_ms = ports.clock.nowMs();
        } catch (error) {
          problem = error;
        }
        return !isExpected(problem);
      },
      hasPlace: () => message_lines.mayTake(null) && !decisions.isFull(line_owner),
      answer(content, arrived_ms) {
        let message: MessageRoute | null = null;
        try {
          if (isExpected(problem)) throw problem;
          enforceRateLimit(ports, principal);
          const value = readLine(content);
          message = routeOf(message_routes, value);
          if (problem !== null) throw problem;
          if (lifecycle.stopping) throw new Overloaded();
          if (ports.network.refuseUnread()) return answerOverload(ports, message.route, state.request_id);
          const body = checkBody(message.route.operation, value);
          decisions.enter(line_owner);
          message_lines.take(null);
          return decide(message, { ...message.bodyless, now_ms, arrived_ms, is_patient: true, body });
        } catch (error) {
          return answerError(ports, message?.route ?? null, state.request_id, error);
        }
      },
      toWait: (bytes) => toWait(bytes) ?? 0,
    };
    const bounds = { line_bytes_max: message_bytes_max, idle_ms_max };
    await message_streams.during(owner, () => exchangeLines(ctx, work, bounds, lifecycle, ports.timers));
  };
}

/** Refuses what covers a whole body. */
function refuseUnfit({ req }: RequestContext, principal: Principal): void {
  const { headers } = req;
  refuseSigned(principal);
  if (headers['x-signature'] !== undefined) {
    throw invalid({ path: 'X-Signature', message: 'is not taken here: lines are answered before their body ends' });
  }
  if (headers['idempotency-key'] !== undefined) {
    throw invalid({ path: 'Idempotency-Key', message: 'is not taken here: a repeated message gets its first answer' });
  }
  requireMediaType(req, [lines_type]);
  requireUncompressed(req);
}

/** A signature can only be verified at the end of a body, and lines are answered before. */
function refuseSigned({ signing_secret }: Principal): void {
  if (signing_secret === null) return;
  throw new Refusal(
    'forbidden',
    'a key with a signing secret cannot send many messages in one request, because they are answered before the signature of the whole could be verified: send each alone, or use a key without a signing secret',
  );
}

function readLine(content: Buffer | null): unknown {
  if (content !== null) return parseJson(content);
  throw new HttpProblem('body_too_large', `the line is larger than ${message_bytes_max} bytes`);
}

function routeOf(message_routes: ReadonlyMap<string, MessageRoute>, value: unknown): MessageRoute {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid({ path: 'body', message: 'must be an object with type and data' });
  }
  const { type } = value as { readonly type?: unknown };
  const message = typeof type === 'string' ? message_routes.get(type) : undefined;
  if (message !== undefined) return message;
  const expected = [...message_routes.keys()].map((name) => `"${name}"`).join(' or ');
  throw invalid({ path: 'type', message: type === undefined ? `is required: ${expected}` : `must be ${expected}` });
}

/** The answer that the message alone would have got. */
function answerError(ports: PipelinePorts, route: Route | null, request_id: string, error: unknown): RenderedAnswer {
  const shed = route === null ? null : answerShed(ports, route, request_id, error);
  if (shed !== null) return shed;
  if (!isExpected(error))
    ports.log.error({ request_id, route: messages_path, err: toLoggedError(error) }, 'request failed');
  return render(errorAnswer(error, request_id));
}
