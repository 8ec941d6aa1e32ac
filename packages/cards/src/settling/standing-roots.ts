import { networkReferenceOf } from '../matching/net-reference-number.ts';
import type { Authorization } from '../records/authorization.ts';
import type { ClearingMessage } from '../records/clearing.ts';

/** Up to this many authorizations are searched. More are found by their keys. */
const searched_roots_max = 16;

type KeyFields = Pick<
  ClearingMessage,
  | 'cycle'
  | 'clearing_type'
  | 'approval_code'
  | 'net_reference_number'
  | 'merchant_id'
  | 'merchant_amount'
  | 'billing_amount'
>;

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

  /**
   * Those that a rule may find for the clearing, and maybe more: rules 3 to 5 by a reference or the
   * approval code, rule 6 by the merchant and an amount. All for what may refer to a clearing.
   */
  candidatesOf(message: KeyFields): readonly Authorization[] {
    const { cycle, clearing_type } = message;
    const may_refer = clearing_type === 'CREDIT' || cycle !== 'first_presentment';
    if (may_refer || this.#roots.length <= searched_roots_max) return this.#roots;
    this.#by_key ??= rootsByKey(this.#roots);
    const found: (readonly Authorization[])[] = [];
    for (const key of keysOf(message, [message.merchant_amount, message.billing_amount])) {
      const roots = this.#by_key.roots.get(key);
      if (roots !== undefined) found.push(roots);
    }
    return found.length === 1 ? found[0]! : [...new Set(found.flat())];
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
    [...keysOf(root, [root.merchant_amount, root.billing_amount, root.authorized])].map((key) => {
      const roots = by_key.get(key) ?? [];
      by_key.set(key, roots);
      return { roots, place: roots.push(root) - 1 };
    }),
  );
  return { roots: by_key, places };
}

function keysOf(
  {
    approval_code,
    net_reference_number,
    merchant_id,
  }: Pick<KeyFields, 'approval_code' | 'net_reference_number' | 'merchant_id'>,
  amounts: readonly (number | null)[],
): Iterable<string> {
  const reference = networkReferenceOf(net_reference_number);
  const keys: string[] = [];
  if (reference !== null) keys.push(`network_reference ${reference}`);
  if (approval_code !== null) keys.push(`approval_code ${approval_code}`);
  if (merchant_id === null) return keys;
  for (const amount of new Set(amounts)) if (amount !== null) keys.push(`merchant_id ${amount} ${merchant_id}`);
  return keys;
}
