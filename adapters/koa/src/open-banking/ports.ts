import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BankData } from '@tallystick/accounts';
import type { AccessTokens, ClientCertificate, RequestBounds } from '@tallystick/consents';

/** The authorisation server, as the HTTP interface needs it. */
export interface AuthorisationEndpoints extends AccessTokens {
  /** Whether a path belongs to the authorisation server or its pages. */
  handles(path: string): boolean;
  /** Answers a request whose path it handles, within its bounds. */
  handle(request: IncomingMessage, response: ServerResponse, bounds: RequestBounds): Promise<void>;
}

/** What the endpoints of Open Banking need besides the other parts of the interface. */
export interface OpenBankingPorts {
  readonly authorisation: AuthorisationEndpoints;
  /** The bank's data, where a host replaces it; that of the transaction when absent. */
  readonly bank?: BankData;
  /** The public address of the service, without a final slash. Links begin with it. */
  readonly baseUrl: () => string;
  /** The client certificate of a request; null: it has none. */
  readonly certificateOf: (request: IncomingMessage) => ClientCertificate | null;
}
