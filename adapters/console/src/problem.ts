import type { Refusal } from '@tallystick/kernel';

/** What a form was refused for, with what was sent, so that the page can be shown again. */
export class Problem {
  readonly message: string;
  readonly status: 400 | 403 | 404 | 409 | 422;
  readonly sent: FormData;
  readonly #fields: ReadonlyMap<string, string>;

  constructor(refusal: Refusal, sent: FormData) {
    this.message = refusal.message;
    this.status = statusOf(refusal);
    this.sent = sent;
    this.#fields = new Map(refusal.fields.map(({ path, message }) => [path, message]));
  }

  /** The fields with what is wrong with each, in the order of the refusal. */
  get fields(): readonly (readonly [path: string, message: string])[] {
    return [...this.#fields];
  }

  /** What is wrong with a field; undefined: nothing. */
  of(path: string): string | undefined {
    return this.#fields.get(path);
  }

  /** What was typed into a field. */
  typed(name: string): string | undefined {
    const value = this.sent.get(name);
    return typeof value === 'string' ? value : undefined;
  }
}

/** The status of a page that shows a refusal. */
export function statusOf({ code }: Pick<Refusal, 'code'>): Problem['status'] {
  if (code === 'forbidden') return 403;
  if (code === 'not_found') return 404;
  if (code === 'conflict') return 409;
  return code === 'validation_failed' ? 422 : 400;
}
