import type { Hono } from 'hono';
import type { ParamKeys } from 'hono/types';
import type { RequestFacts } from './ports.ts';
import type { Done, Visit } from './visit.ts';

/** What a request of the application carries. */
export interface ConsoleEnv {
  readonly Bindings: { readonly facts: RequestFacts };
  readonly Variables: { visit: Visit };
}

/** The application to which pages add their routes. */
export type ConsoleApp = Hono<ConsoleEnv>;

type ParametersOf<Path extends string> = Readonly<Record<ParamKeys<Path>, string>>;

/**
 * Adds a form. `work` does what it is for, and says where it leads, or answers with what no redirect
 * could carry. Where the domain refuses it, `show` shows its page again.
 */
export function addForm<Path extends string>(
  app: ConsoleApp,
  path: Path,
  show: (visit: Visit, parameters: ParametersOf<Path>) => Promise<Response> | Response,
  work: (visit: Visit, form: FormData, parameters: ParametersOf<Path>) => Promise<Done | Response>,
): void {
  app.post(path, (c) => {
    const { visit } = c.var;
    const parameters = c.req.param() as object as ParametersOf<Path>;
    return visit.act(
      (form) => work(visit, form, parameters),
      () => show(visit, parameters),
    );
  });
}
