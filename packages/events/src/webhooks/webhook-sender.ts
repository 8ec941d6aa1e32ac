/**
 * The longest time of one request, milliseconds: resolving, connecting, sending and the answer.
 * Decision: "time-out (15 s in all)".
 */
export const webhook_request_ms_max = 15_000;

/** One HTTPS POST to a callback URL. */
export interface WebhookRequest {
  /** The URL exactly as the client wrote it. */
  readonly callback_url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why there was no answer: a closed list, so that an operator can count the reasons. */
export type SendError =
  | 'url_refused'
  /** Also a name that does not resolve: clients must not learn which internal names exist. */
  | 'address_refused'
  | 'timeout'
  | 'tls_failed'
  | 'connection_failed';

export type WebhookAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The first 4 KiB of the body, as text. */
      readonly excerpt: string;
      /** The Retry-After header as sent, or null: logged, never obeyed. */
      readonly retry_after: string | null;
      readonly duration_ms: number;
    }
  | { readonly kind: 'unanswered'; readonly error: SendError; readonly detail: string; readonly duration_ms: number };

/**
 * Sends webhook requests.
 *
 * Promise: https only; the name is resolved once, every resolved address is checked, and the
 * connection is made to exactly one checked address; no redirect is followed; the request ends
 * within `webhook_request_ms_max`, even if the endpoint answers slowly; a bounded part of the
 * answer is read. Clients read `error` and `detail`, which reveal neither whether a refused name
 * exists, nor its addresses, nor what listens in a private network. Never rejects.
 */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Closes idle connections immediately and the others when their request ends. */
  close(): Promise<void>;
}
