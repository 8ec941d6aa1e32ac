import type { Page } from '@tallystick/kernel';
import {
  hasFilter,
  Interim,
  type Operation,
  type OperationCall,
  type OperationTx,
  type QueryShape,
  type ResultFile,
} from '@tallystick/operations';
import * as z from 'zod';
import { type Answer, fileAnswer, list, no_content, resource } from '../answer/answer.ts';
import type { Endpoint } from '../endpoints.ts';
import type { QueryRules } from './query.ts';
import type { ApiRequest, Method, Route } from './route.ts';

/** Returns the route of an operation. */
export function routeOf(operation: Operation, endpoint: Endpoint): Route {
  const [method, path] = endpoint.at.split(' ') as [Method, string];
  const { id, area, query } = operation;
  const showsNumber = 'showsNumber' in operation ? operation.showsNumber : undefined;
  const { at: _, ...of_http } = endpoint;
  const rules = query === undefined ? undefined : rulesOf(query, operation);
  const reduces = rules?.paged === true && !rules.items_stay_whole;
  const answerOf = (request: ApiRequest, result: unknown): Answer | Promise<Answer> =>
    toAnswer(operation, reduces, request, callOf(request), result);
  return {
    ...of_http,
    method,
    path,
    area,
    operation_id: id,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(rules === undefined ? {} : { query: rules }),
    ...(query?.filter === undefined ? {} : { filter: query.filter }),
    ...(query?.texts === undefined ? {} : { text_parameters: query.texts }),
    ...(operation.body === undefined ? {} : { body: operation.body }),
    ...(operation.documented_body === undefined ? {} : { documented_body: operation.documented_body }),
    ...(operation.takes_back === undefined ? {} : { takes_back: operation.takes_back }),
    ...(operation.refusals === undefined ? {} : { refusals: operation.refusals }),
    ...(operation.answers_file === undefined ? {} : { answers_file: operation.answers_file }),
    answer: operation.answer,
    ...(operation.answer === null && operation.answers_file === undefined ? { status: 204 } : {}),
    ...workOf(),
  } as Route;

  function workOf() {
    if ('receive' in operation) {
      return {
        receive: async (request: ApiRequest<undefined>, bytes: AsyncIterable<Uint8Array>, keepFor: never) => {
          const preference = { prefers_early: request.query.prefers_async, keepFor };
          return await answerOf(
            request,
            await operation.receive({ ...callOf(request), body: undefined }, bytes, preference),
          );
        },
      };
    }
    const before =
      'before' in operation && operation.before !== undefined
        ? (request: ApiRequest) => operation.before!(callOf(request))
        : undefined;
    if ('perform' in operation) {
      return {
        perform: async (request: ApiRequest) => answerOf(request, await operation.perform(callOf(request))),
      };
    }
    return {
      ...(before === undefined ? {} : { before }),
      writes: 'write' in operation || showsNumber !== undefined ? () => true : undefined,
      async transaction(tx: OperationTx, request: ApiRequest): Promise<Answer> {
        const call = callOf(request);
        const result = await ('read' in operation ? operation.read(tx, call) : operation.write(tx, call));
        const answer = await answerOf(request, result);
        if (!('write' in operation) || operation.committed === undefined) return answer;
        return { ...answer, committed: () => operation.committed?.(call) };
      },
    };
  }
}

function rulesOf(query: QueryShape, { answer }: Operation): QueryRules {
  const item = answer instanceof z.ZodArray ? answer.element : null;
  const stays_whole = !(item instanceof z.ZodObject && 'url' in item.shape);
  return {
    ...(query.paged ? { paged: true, ...(stays_whole ? { items_stay_whole: true } : {}) } : {}),
    ...(query.filter === undefined ? {} : { filters: (name: string) => hasFilter(query, name) }),
    ...(query.flags === undefined ? {} : { flags: query.flags }),
    ...(query.texts === undefined ? {} : { texts: Object.keys(query.texts.shape) }),
  };
}

function callOf({ principal, params, ...request }: ApiRequest): OperationCall {
  const { linkTo } = request.query;
  return { ...request, caller: principal, consent_id: params.consent_id ?? '', user_id: params.user_id ?? '', linkTo };
}

function toAnswer(
  operation: Operation,
  reduces: boolean,
  { query }: ApiRequest,
  call: OperationCall,
  result: unknown,
): Answer | Promise<Answer> {
  if (result === undefined) return no_content;
  if (result instanceof Interim) {
    const headers = query.prefers_async ? { headers: { 'Preference-Applied': 'respond-async' } } : {};
    return { ...resource(result.data), status: 202, ...headers };
  }
  if (operation.answers_file !== undefined) {
    const { pieces, ...file } = result as ResultFile;
    return fileAnswer(file, pieces);
  }
  if (operation.query?.paged) {
    const { items, next } = result as Page<Readonly<Record<'id' | 'type' | 'url', string>>>;
    return list(
      query,
      { items, next },
      (item) => item,
      reduces ? ({ id, type, url }) => ({ id, type, url }) : undefined,
    );
  }
  const answer = resource(result);
  return 'showsNumber' in operation && operation.showsNumber?.(call)
    ? { ...answer, shows_numbers_of: [Number((result as { id: string }).id)] }
    : answer;
}
