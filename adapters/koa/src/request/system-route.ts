import type { HttpContext } from './pipeline.ts';

/** A route beside the interface: no key, no schema. */
export interface SystemRoute {
  /** GET when absent, which answers HEAD too. */
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (ctx: HttpContext) => void | Promise<void>;
}
