import type { HttpContext } from './pipeline.ts';

/** A route outside the API: no key, no schema. */
export interface SystemRoute {
  /** GET when absent, which also answers HEAD. */
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (ctx: HttpContext) => void | Promise<void>;
}
