import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { sandbox_keys } from '@tallystick/test-support';
import type { Service } from './service.ts';

/** The answer to one line. */
export interface LineAnswer {
  readonly line: number;
  readonly status: number;
  readonly retry_after_s?: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape
  readonly data?: any;
  readonly error?: string;
  readonly code?: string;
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
  readonly request_id?: string;
}

/** An open request of many messages. */
export interface Messages {
  readonly outgoing: ClientRequest;
  /** The answers in the order in which they came. */
  readonly answers: readonly LineAnswer[];
  /** Resolves with the head of the answer. */
  readonly head: Promise<IncomingMessage>;
  /** Resolves with all answers at the end of the answer; rejects when it breaks off. */
  readonly ended: Promise<readonly LineAnswer[]>;
  write(text: string | Uint8Array): void;
  end(): void;
}

/** Opens `POST /network/v1/messages` with the key of a role, or the text of a key. */
export function openMessages(
  { url }: Pick<Service, 'url'>,
  key: string = 'network',
  headers: Readonly<Record<string, string>> = {},
): Messages {
  const text = key in sandbox_keys ? sandbox_keys[key as keyof typeof sandbox_keys] : key;
  const outgoing = request(`${url}/network/v1/messages`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${text}`, 'Content-Type': 'application/x-ndjson', ...headers },
  });
  const answers: LineAnswer[] = [];
  const head = new Promise<IncomingMessage>(
    (resolve, reject) => void outgoing.on('response', resolve).on('error', reject),
  );
  const ended = head.then(
    (incoming) =>
      new Promise<readonly LineAnswer[]>((resolve, reject) => {
        let rest = '';
        incoming.setEncoding('utf8').on('data', (piece: string) => {
          const lines = (rest + piece).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) answers.push(JSON.parse(line));
        });
        incoming.on('error', reject).on('end', () => resolve(answers));
      }),
  );
  ended.catch(() => undefined);
  outgoing.flushHeaders();
  return {
    outgoing,
    answers,
    head,
    ended,
    write: (text) => void outgoing.write(text),
    end: () => void outgoing.end(),
  };
}

/** A line of a message: `authorization(...)` or `{ data: {...} }` of a clearing. */
export function lineOf(type: 'authorization' | 'clearing', body: { readonly data: object }): string {
  return `${JSON.stringify({ type, ...body })}\n`;
}
