import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestBounds } from '@tallystick/consents';

/** What the console knows of a request besides itself. */
export interface ConsoleRequest extends Pick<RequestBounds, 'logIn' | 'logInPauseMs'> {
  readonly request_id: string;
  /** The request as the host has it: `handle` may get a copy. */
  readonly incoming: IncomingMessage;
  readonly source_address: string | null;
  readonly is_https: boolean;
  /** The path at which the browser sees the console. */
  readonly base: string;
  readonly welcome: (visitor: string) => number | null;
  readonly leavePlace: () => void;
  readonly isGone: () => boolean;
  readonly transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The console, as the HTTP interface serves it. */
export interface ConsoleEndpoint {
  /** Where it is served: `/console`; empty: at the root, instead of everything else but health. */
  readonly path: string;
  /** Answers a request, whose URL has no `base`. Its body was read, unless it is a file. */
  handle(request: IncomingMessage, response: ServerResponse, facts: ConsoleRequest): Promise<void>;
}
