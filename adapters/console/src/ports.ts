import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConsoleSession, Visitor } from '@tallystick/access';
import type { RequestBounds } from '@tallystick/consents';
import type { Formats } from '@tallystick/imports';
import type { Clock, Random, Timers } from '@tallystick/kernel';
import type { Calls } from '@tallystick/operations';

/** A visitor as the console greets it. */
export interface Identity extends Visitor {
  /** What to call the visitor: `Anna Meier`. */
  readonly name: string;
  /**
   * A text that only this visitor's browser and the server know, such as the token of the session.
   * Tokens of forms are derived from it.
   */
  readonly secret: string;
  /** The company whose portal link was opened: its own webhooks and nothing else. */
  readonly portal_of?: number | undefined;
}

/** What is known of a request besides itself. */
export interface RequestFacts extends Pick<RequestBounds, 'logIn' | 'logInPauseMs'> {
  readonly request_id: string;
  /** The request of Node as the host has it; absent for a request of the Fetch standard. */
  readonly incoming?: IncomingMessage | undefined;
  readonly source_address: string | null;
  /** Whether the browser sees https: cookies are then `Secure`. */
  readonly is_https: boolean;
  /** The path at which the browser sees the console: `/console`, `/ops/console`; empty: the root. */
  readonly base: string;
  /**
   * Counts the request as one of a known visitor: it is neither slowed down nor a stranger's. Returns
   * the whole seconds to wait when the visitor has sent too many; null: none.
   */
  readonly welcome: (visitor: string) => number | null;
  /** Gives up the place of the request among those in progress: an answer that stays open. */
  readonly leavePlace: () => void;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  /**
   * Runs a transaction of the request when the console has a connection for it, of those that it
   * shares with the companies. Rejects with a retryable `Fault` when it has none in time.
   */
  readonly transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export interface ConsolePorts {
  readonly calls: Pick<Calls, 'operations' | 'may' | 'callAs' | 'readAs'>;
  /**
   * Who is logged in; null: nobody. Where `log_in` is absent, a host has its own log-in, and a
   * request of nobody is answered 403.
   */
  readonly identify: (request: Request, facts: RequestFacts) => Promise<Identity | null>;
  /** The pages of the log-in, below `/log-in`. */
  readonly log_in?: LogIn | undefined;
  /** The visits by portal links, below `/portal`. Absent: no link is opened here. */
  readonly portal?: PortalDoor | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Pick<Random, 'bytes'>;
  /** In a sandbox there are pages to try purchases with. */
  readonly sandbox: boolean;
  /** What these pages need; absent outside a sandbox. */
  readonly trial?: TrialPorts | undefined;
  /**
   * Calls the listener for each event that any process commits from now on. Returns a function that
   * ends it. Absent: pages do not change by themselves.
   */
  readonly news?: ((listener: (event: NewsEvent) => void) => () => void) | undefined;
  /** Which of these tokens of the console's own sessions, of people and portal links, are open. */
  readonly openSessions: (tokens: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Aborts when the process stops: answers that stay open end then. */
  readonly stop: AbortSignal;
  /** Reports an error that the visitor is not shown. */
  readonly log: { error(facts: object, message: string): void };
}

/** The parts of an event that pages need. */
export interface NewsEvent {
  readonly id: number;
  readonly company_id: number;
  readonly event_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What the pages of a sandbox need to make files, and to show their calls. */
export interface TrialPorts {
  /** By which statements (`bai2`) and clearing files (`cdf3`) are written. */
  readonly formats: Pick<Formats, 'find'>;
  /** Method and path of an operation: `POST /v1/virtualcards`; null: HTTP is not served beside it. */
  readonly endpointOf: (operation_id: string) => string | null;
}

/** The pages of the log-in of the console itself. */
export interface LogIn {
  /** Answers a request below `/log-in` and `/log-out`. */
  answer(request: Request, facts: RequestFacts): Promise<Response>;
  /** What the person who is logged in may know of its own log-in. */
  account(request: Request, facts: RequestFacts): Promise<Account>;
  /**
   * Changes the password of that person, and ends its other sessions. Refuses (`validation_failed`)
   * a `present` one that is wrong, and a new one that is none.
   */
  changePassword(
    request: Request,
    facts: RequestFacts,
    passwords: { readonly present: string; readonly password: string },
  ): Promise<void>;
  /** Ends all sessions of that person. */
  endSessions(request: Request, facts: RequestFacts): Promise<void>;
}

export interface Account {
  /** Those that are open, newest first. */
  readonly sessions: readonly OwnSession[];
  /** Whether the person logs in by a password. */
  readonly has_password: boolean;
}

export interface OwnSession extends Omit<ConsoleSession, 'token_sha256'> {
  /** Whether it is that of the request. */
  readonly is_this: boolean;
}

/** The pages by which a portal link is opened and its visit ends, and who has such a visit. */
export interface PortalDoor extends Pick<LogIn, 'answer'> {
  identify(request: Request, facts: RequestFacts): Promise<Identity | null>;
  /** Answers a request without a visit. */
  nobody(facts: RequestFacts): Promise<Response>;
}

/** The console, as the HTTP interface needs it. */
export interface Console {
  /** The routes of its pages and forms: `GET /companies/:company_id/cards/:id`. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Answers a request of Node. Its path is that of the request, without `base`. */
  handle(request: IncomingMessage, response: ServerResponse, facts: RequestFacts): Promise<void>;
  /** Answers a request of the Fetch standard, whose path has no `base`. */
  fetch(request: Request, facts: RequestFacts): Promise<Response>;
}
