import { abortAfter, machine_timers } from '@tallystick/kernel';
import type { Answer } from '../system.ts';

/** Who sends a request. A server that tells them apart issues a key to each. */
export type HttpRole = 'client' | 'network' | 'operator';

/** The API keys of a sequence by role. Without one, a request has no `Authorization`. */
export type HttpKeys = Readonly<Partial<Record<HttpRole, string>>>;

export interface HttpRequest {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly role?: HttpRole;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is no redirection, with a status below 500 and a body that is JSON or empty. */
export interface HttpAnswer {
  readonly status: number;
  /** Undefined when the body is empty. */
  readonly body: unknown;
  /** The error that an answer of another form is reported with. */
  fault(problem: string): ServerFault;
}

/** The server under test, as the requests of one sequence reach it. */
export interface HttpServer {
  /** `path` begins with a slash. Rejects with a `ServerFault` if there is no usable answer. */
  send(method: string, path: string, request?: HttpRequest): Promise<HttpAnswer>;
}

/** A request that was not answered, or whose answer cannot be compared with anything. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}

/** How much of an answer a report shows. */
const shown_length_max = 300;

/** The largest body that is read, bytes. */
const body_bytes_max = 16 * 2 ** 20;

/** The server at an address, and the longest time until it has answered. */
export function connect(url: string, keys: HttpKeys, answer_ms_max: number): HttpServer {
  const base_url = url.replace(/\/+$/, '');

  async function send(method: string, path: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    const what = `${method} ${base_url}${path}`;
    const { status, text } = await exchange(what, method, `${base_url}${path}`, request);
    const fault = (problem: string) => new ServerFault(`${what} was answered with status ${status}: ${problem}`);
    const begins = text === '' ? 'the body is empty' : `the body begins with ${beginningOf(text)}`;
    if (status >= 500) throw fault(begins);
    if (status >= 300 && status < 400) throw fault(`a redirection is not followed; ${begins}`);
    const body = text === '' ? undefined : parse(text);
    if (body === not_json) throw fault(`the body is not JSON; ${begins}`);
    return { status, body, fault: (problem) => fault(`${problem}; ${begins}`) };
  }

  async function exchange(what: string, method: string, address: string, { body, role, headers }: HttpRequest) {
    const key = role === undefined ? undefined : keys[role];
    try {
      const response = await fetch(address, {
        method,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: abortAfter(machine_timers, answer_ms_max),
      });
      return { status: response.status, text: await textOf(response) };
    } catch (error) {
      throw new ServerFault(`${what} was not answered: ${causeOf(error)}`, { cause: error });
    }
  }

  return { send };
}

/**
 * Success with what `read` makes of `data`, or the refusal of a status from 400: the specification
 * has no error format, so the code is that of the body, else that of the status.
 */
export function answerOf<Value>(answer: HttpAnswer, read: (data: unknown, answer: HttpAnswer) => Value): Answer<Value> {
  const { status, body } = answer;
  if (status >= 200 && status < 300) return { kind: 'done', value: read(dataOf(answer), answer) };
  const { code, fields } = (isObject(body) ? body : {}) as { readonly code?: unknown; readonly fields?: unknown };
  return {
    kind: 'refused',
    code: typeof code === 'string' ? code : (codes[status] ?? `status_${status}`),
    fields: Array.isArray(fields) ? fields.map(nameOf) : [],
  };
}

/** `data` of an answer; undefined when its body is empty. */
export function dataOf(answer: HttpAnswer): unknown {
  if (answer.body === undefined) return undefined;
  if (!isObject(answer.body) || answer.body.data === undefined) throw answer.fault('the body has no `data`');
  return answer.body.data;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const codes: Readonly<Record<number, string>> = {
  400: 'validation_failed',
  404: 'not_found',
  409: 'conflict',
  422: 'validation_failed',
};

/** A field of a refusal, named without the `data` around it. */
function nameOf(field: unknown): string {
  const path = isObject(field) ? field.path : field;
  return String(path).replace(/^data\./, '');
}

const not_json: unique symbol = Symbol('not JSON');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return not_json;
  }
}

function beginningOf(text: string): string {
  return JSON.stringify(text.length > shown_length_max ? `${text.slice(0, shown_length_max)}...` : text);
}

/** The body of an answer. What is longer than the largest is not read, whatever follows. */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let read_bytes = 0;
  for await (const piece of body ?? []) {
    read_bytes += piece.length;
    if (read_bytes > body_bytes_max) throw new RangeError(`its body is longer than ${body_bytes_max} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** `fetch` says only that it failed; what failed is its cause. */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { message, code } = (cause ?? error) as { readonly message?: string; readonly code?: string };
  return message || code || String(error);
}
