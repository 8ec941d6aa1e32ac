import type { Results } from '@tallystick/operations';
import type { Visit, VisitCall } from '../visit.ts';

/** A call that was made for a button of the sandbox. */
export interface MadeCall extends Omit<VisitCall, 'file'> {
  readonly id: keyof Results;
  /** The file that was sent: text that ends with its last line. */
  readonly sent?: { readonly name: string; readonly text: string } | undefined;
}

/** What a button of the sandbox does: calls of operations, which its page shows afterwards. */
export class Trial {
  readonly visit: Visit;
  readonly #made: MadeCall[] = [];

  constructor(visit: Visit) {
    this.visit = visit;
  }

  /** The calls so far, in their order. */
  get made(): readonly MadeCall[] {
    return this.#made;
  }

  /** Makes a call that is shown. What only looks something up is called by the visit. */
  async call<Id extends keyof Results>(id: Id, call: VisitCall = {}): Promise<Results[Id]> {
    const { file, ...shown } = call;
    const sent =
      file instanceof Uint8Array
        ? { name: String(call.options?.name), text: new TextDecoder().decode(file) }
        : undefined;
    this.#made.push({ id, ...shown, sent });
    return await this.visit.call(id, call);
  }
}
