import { type Role, sandbox_keys } from '@tallystick/access';
import { rootMessageOf } from '@tallystick/kernel';

export type Json = Readonly<Record<string, unknown>>;

/**
 * The routes of a sandbox, as the commands call them. Each call rejects with an `AnswerError` if
 * the answer is not a success.
 */
export interface SandboxClient {
  /** Uses the client's key unless another role is named. */
  get(path: string, role?: Role): Promise<Json>;
  post(role: Role, path: string, body: Json): Promise<Json>;
  /** Posts a file as it is. */
  upload(role: Role, path: string, file: Uint8Array): Promise<Json>;
  put(path: string, body: Json): Promise<Json>;
  patch(path: string, body: Json): Promise<Json>;
  delete(path: string): Promise<void>;
}

/** The service answered, but not with a success. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly status: number;
  /** The message for each invalid field, by the field's path. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(method: string, path: string, status: number, text: string) {
    super(`${method} ${path} answered ${status}: ${text}`);
    this.status = status;
    this.fields = new Map(fieldsOf(text).map(({ path: field, message }) => [field, message]));
  }
}

/** The error of a request that was not answered, with what to do. */
export function noAnswer(url: string, error: unknown): Error {
  const why = rootMessageOf(error);
  const hint =
    why === 'bad port'
      ? 'no client of HTTP uses this port: choose another one with --url'
      : 'start a sandbox there (npm start), or name the address of another one with --url';
  return new Error(`no answer from ${url}: ${why}; ${hint}`);
}

/** An answer may wait until all work is done that a move of the clock made due. */
const answer_ms_max = 60_000;

/** A client of the sandbox at `url`. `keys` replace the sandbox's fixed keys. */
export function createSandboxClient(url: string, keys: Partial<Record<Role, string>> = {}): SandboxClient {
  const request = async (method: string, role: Role, path: string, body?: Json | Uint8Array): Promise<Json> => {
    const is_file = body instanceof Uint8Array;
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(path, url), {
        method,
        headers: {
          authorization: `Bearer ${keys[role] ?? sandbox_keys[role]}`,
          ...(body === undefined ? {} : { 'content-type': is_file ? 'application/octet-stream' : 'application/json' }),
        },
        ...(body === undefined ? {} : { body: is_file ? Buffer.from(body) : JSON.stringify(body) }),
        signal: AbortSignal.timeout(answer_ms_max),
      });
      text = await response.text();
    } catch (error) {
      throw noAnswer(url, error);
    }
    if (!response.ok) throw new AnswerError(method, path, response.status, text);
    if (text === '') return {};
    const answer = parseBody(text);
    if (answer === null) throw new Error(`${method} ${path} at ${url} did not answer with JSON: is it Tallystick?`);
    return answer;
  };
  return {
    get: (path, role = 'client') => request('GET', role, path),
    post: (role, path, body) => request('POST', role, path, body),
    upload: (role, path, file) => request('POST', role, path, file),
    put: (path, body) => request('PUT', 'client', path, body),
    patch: (path, body) => request('PATCH', 'client', path, body),
    delete: async (path) => void (await request('DELETE', 'client', path)),
  };
}

function fieldsOf(text: string): readonly { readonly path: string; readonly message: string }[] {
  const fields = parseBody(text)?.fields;
  return Array.isArray(fields) ? fields : [];
}

function parseBody(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Json | null) : null;
  } catch {
    return null;
  }
}
