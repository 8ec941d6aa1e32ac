/** One HTTPS POST to a callback URL. */
export interface WebhookRequest {
  /** Exactly as the client wrote it. */
  readonly callback_url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why no answer came: a closed list, so that an operator can count them. */
export type SendError =
  | 'url_refused'
  | 'address_refused'
  | 'name_not_resolved'
  | 'timeout'
  | 'tls_failed'
  | 'connection_failed';

/** What became of a request. */
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
 * Promise: https only; the name is resolved once, every address it gives is checked, and exactly a checked address is
 * dialled; no redirect is followed; it is over within 15 s, however slowly the endpoint answers; a bounded part of the
 * answer is read. Never rejects.
 */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Ends idle connections at once and the others when their request is over. */
  close(): Promise<void>;
}
