import type { Authorization } from '../records/authorization.ts';
import type { ClearingMessage } from '../records/clearing.ts';
import { networkReferenceOf } from './net-reference-number.ts';

/** Up to this many authorizations are searched. More are found by their keys. */
const searched_roots_max = 16;

type AmountFields = Pick<ClearingMessage, 'merchant_id' | 'merchant_amount' | 'billing_amount'>;

/**
 * The authorizations that clearings are settled against, as the clearings so far left them. A
 * clearing changes no field that a key is made of.
 */
export class StandingRoots {
  readonly #roots: Authorization[];
  readonly #places: ReadonlyMap<number, number>;
  /** Made when a key is first asked for. */
  #by_key: RootsByKey | null = null;

  constructor(roots: Iterable<Authorization>) {
    this.#roots = [...roots];
    this.#places = new Map(this.#roots.map(({ id }, at) => [id, at]));
  }

  get all(): readonly Authorization[] {
    return this.#roots;
  }

  get(id: number | null): Authorization | null {
    const at = id === null ? undefined : this.#places.get(id);
    return at === undefined ? null : this.#roots[at]!;
  }

  /** Replaces the authorization by its next state. */
  put(root: Authorization): void {
    const at = this.#places.get(root.id)!;
    this.#roots[at] = root;
    for (const { roots, place } of this.#by_key?.places[at] ?? []) roots[place] = root;
  }

  /** Those with this approval code, and maybe others. */
  withCode(approval_code: string | null): readonly Authorization[] {
    return this.#with([`approval_code ${approval_code}`]);
  }

  /** Those with the six characters of this reference that the network assigned, and maybe others. */
  withReference(net_reference_number: string | null): readonly Authorization[] {
    return this.#with([`network_reference ${networkReferenceOf(net_reference_number)}`]);
  }

  /** Those of the merchant with an amount of the clearing, and maybe others. */
  withAmount({ merchant_id, merchant_amount, billing_amount }: AmountFields): readonly Authorization[] {
    return this.#with(amountKeys(merchant_id, [merchant_amount, billing_amount]));
  }

  #with(keys: readonly string[]): readonly Authorization[] {
    if (this.#roots.length <= searched_roots_max) return this.#roots;
    this.#by_key ??= rootsByKey(this.#roots);
    const { roots } = this.#by_key;
    const [found = [], ...others] = keys.flatMap((key) => {
      const its = roots.get(key);
      return its === undefined ? [] : [its];
    });
    return others.length === 0 ? found : [...new Set([...found, ...others.flat()])];
  }
}

interface RootsByKey {
  readonly roots: ReadonlyMap<string, readonly Authorization[]>;
  /** The places of each authorization among those with its keys. */
  readonly places: readonly (readonly { readonly roots: Authorization[]; readonly place: number }[])[];
}

function rootsByKey(all: readonly Authorization[]): RootsByKey {
  const by_key = new Map<string, Authorization[]>();
  const places = all.map((root) =>
    keysOf(root).map((key) => {
      const roots = by_key.get(key) ?? [];
      by_key.set(key, roots);
      return { roots, place: roots.push(root) - 1 };
    }),
  );
  return { roots: by_key, places };
}

function keysOf(root: Authorization): readonly string[] {
  const { approval_code, net_reference_number, merchant_id, merchant_amount, billing_amount, authorized } = root;
  return [
    `approval_code ${approval_code}`,
    `network_reference ${networkReferenceOf(net_reference_number)}`,
    ...amountKeys(merchant_id, [merchant_amount, billing_amount, authorized]),
  ];
}

function amountKeys(merchant_id: string | null, amounts: readonly (number | null)[]): readonly string[] {
  return [...new Set(amounts)].map((amount) => `merchant_id ${amount} ${merchant_id}`);
}
