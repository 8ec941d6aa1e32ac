import type { Hono } from 'hono';
import type { RequestFacts } from './ports.ts';
import type { Visit } from './visit.ts';

/** What a request of the application carries. */
export interface ConsoleEnv {
  readonly Bindings: { readonly facts: RequestFacts };
  readonly Variables: { visit: Visit };
}

/** The application to which pages add their routes. */
export type ConsoleApp = Hono<ConsoleEnv>;
