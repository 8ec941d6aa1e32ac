import type { CapabilityName, EventView, System, SystemStart, World } from '../system.ts';
import { answerOf, connect, type HttpAnswer, type HttpKeys, type HttpServer, isObject } from './connection.ts';
import { authorizationAnswerOf, cardOf, clearingAnswerOf, createdCardOf, eventOf } from './resources.ts';

/** How a server differs from the routes of the specification and from the control protocol. */
export interface HttpMapping {
  /**
   * Prepares the server for one sequence: a company without cards, its clock frozen. Default:
   * `POST /control/v1/begin`. The requests that it sends have no key.
   */
  readonly begin?: (server: HttpServer, start: SystemStart) => Promise<Beginning>;
  /**
   * The operations that differ, and capabilities that have no route here. `answerOf` and the readers
   * of resources make answers of the harness from those of HTTP.
   */
  readonly operations?: (server: HttpServer, beginning: Beginning) => Partial<Omit<System, 'world'>>;
  /** The longest time until a request is answered, milliseconds. The default is 10,000. */
  readonly answer_ms_max?: number;
}

/** What a server says of itself at the beginning of a sequence. */
export interface Beginning {
  readonly world: World;
  /** What it can do beside creating and reading cards and deciding authorizations. */
  readonly capabilities: readonly CapabilityName[];
  readonly keys?: HttpKeys;
}

/**
 * A server as the `system` of `runModel`: over the routes of the specification, and over the control
 * protocol for what it does not have. `docs/harness.md` lists both.
 * Requests are sent at once, on as many connections as it takes, so the server keeps no order.
 */
export function httpSystem(url: string, mapping: HttpMapping = {}): (start: SystemStart) => Promise<System> {
  const answer_ms_max = mapping.answer_ms_max ?? 10_000;
  return async (start) => {
    const begin = mapping.begin ?? beginOverControl;
    const beginning = await begin(connect(url, {}, answer_ms_max), start);
    const server = connect(url, beginning.keys ?? {}, answer_ms_max);
    const own = mapping.operations?.(server, beginning) ?? {};
    const { createCard, readCard, authorize, ...capable } = operationsOf(server);
    const chosen: Partial<System> = {};
    for (const name of beginning.capabilities) {
      const operation = own[name] ?? (capable as Partial<System>)[name];
      if (operation === undefined) {
        const known = Object.keys(capable).join(', ');
        throw new TypeError(`no route has the capability ${name}: add it to mapping.operations. Routes have: ${known}`);
      }
      Object.assign(chosen, { [name]: operation });
    }
    const close = async () => {};
    const world = { ...beginning.world, keeps_order: false };
    return { world, createCard, readCard, authorize, close, ...chosen, ...own };
  };
}

/** The routes of the specification, sections 4.1 and 4.3, those of the network, and the clock. */
function operationsOf(server: HttpServer) {
  const client = (method: string, path: string, body?: unknown) =>
    server.send(method, path, { role: 'client', ...(body === undefined ? {} : { body }) });
  const network = (path: string, data: unknown) => server.send('POST', path, { role: 'network', body: { data } });
  return {
    createCard: async (data) =>
      answerOf(await client('POST', '/v1/virtualcards', { data, show_card_number: true }), createdCardOf),
    readCard: async (id) => answerOf(await client('GET', `/v1/virtualcards/${id}`), cardOf),
    updateCard: async (id, data) => answerOf(await client('PATCH', `/v1/virtualcards/${id}`, { data }), cardOf),
    cancelCard: async (id) => answerOf(await client('DELETE', `/v1/virtualcards/${id}`), () => null),
    authorize: async (message) =>
      answerOf(await network('/network/v1/authorizations', { ...message, explain: true }), authorizationAnswerOf),
    clear: async (message) => answerOf(await network('/network/v1/clearings', message), clearingAnswerOf),
    releaseHold: async (card_id, authorization_id, note) => {
      const path = `/v1/virtualcards/${card_id}/authorizations/${authorization_id}/release`;
      return answerOf(await client('POST', path, { data: { note } }), () => null);
    },
    setFrozen: async (card_id, frozen) => {
      const path = `/v1/virtualcards/${card_id}/${frozen ? 'freeze' : 'unfreeze'}`;
      return answerOf(await client('POST', path, { data: {} }), () => null);
    },
    events: () => eventsOf((path) => client('GET', path)),
    advanceClock: async (to_ms) => {
      const answer = await server.send('POST', '/control/v1/clock', { body: { to_ms } });
      if (answer.status >= 400) throw answer.fault('the clock was not moved');
    },
  } satisfies Partial<System>;
}

/** More pages of events than any sequence has. */
const pages_max = 200;

/** The events of cards. A list is newest first, in pages. */
async function eventsOf(read: (path: string) => Promise<HttpAnswer>): Promise<readonly EventView[]> {
  const events: EventView[] = [];
  let path: string | null = '/v1/events?page%5Blimit%5D=100';
  for (let page = 1; path !== null; page += 1) {
    const answer: HttpAnswer = await read(path);
    const { data, links } = isObject(answer.body) ? answer.body : {};
    if (!Array.isArray(data)) throw answer.fault('it is no list of events');
    if (page > pages_max) throw answer.fault(`the list of events has not ended after ${pages_max} pages`);
    events.push(...data.map((event) => eventOf(event, answer)).filter((event) => event !== null));
    path = isObject(links) && typeof links.next === 'string' ? links.next : null;
    if (path !== null && !path.startsWith('/')) throw answer.fault('links.next must be a path, beginning with a slash');
  }
  return events.reverse();
}

async function beginOverControl(server: HttpServer, { start_ms, seed }: SystemStart): Promise<Beginning> {
  const answer = await server.send('POST', '/control/v1/begin', { body: { start_ms, seed } });
  const { world, capabilities, keys } = isObject(answer.body) ? answer.body : {};
  const { tag, now_ms, billing_currency, templates } = isObject(world) ? world : {};
  const problem =
    (answer.status >= 300 && 'no sequence was begun') ||
    (typeof tag !== 'string' && 'world.tag must be a text') ||
    (!Number.isSafeInteger(now_ms) && 'world.now_ms must be a whole number') ||
    (typeof billing_currency !== 'string' && 'world.billing_currency must be a text') ||
    (!Array.isArray(templates) && 'world.templates must be a list') ||
    (!Array.isArray(capabilities) && 'capabilities must be a list');
  if (problem) throw answer.fault(problem);
  return { world, capabilities, ...(isObject(keys) ? { keys } : {}) } as unknown as Beginning;
}
