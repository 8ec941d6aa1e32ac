import { type Authorization, isStandingRoot } from '../records/authorization.ts';
import {
  asSent,
  type Clearing,
  type ClearingType,
  clearing_types,
  isDispute,
  isFinal,
  type Records,
  sentReferenceOf,
} from '../records/clearing.ts';
import { chosenOf } from '../records/match-choice.ts';
import { isSettledByReference } from './match-authorization.ts';
import { isNearClearing, isNearRoot } from './match-case.ts';
import { isWholeNetReference, networkReferenceOf } from './net-reference-number.ts';

/**
 * Which records of a card the match of a clearing may depend on, and which clearings may depend on
 * it: its neighbours, and theirs in turn.
 *
 * - Clearings with the same acquirer reference data, and those that refer to each other.
 * - A credit that no authorization explains, and the debits with its approval code or its merchant.
 * - An authorization, and the clearings that belong to it or have its network reference. Of the
 *   clearings that no whole reference settles also those with its approval code, or with its
 *   merchant and one of its amounts.
 */
export class Neighbourhood {
  readonly #roots = new Index<Authorization, RootKey>(root_keys);
  readonly #clearings = new Index<Clearing, ClearingKey>(clearing_keys);
  readonly #mayChange: (root: Authorization) => boolean;

  /**
   * `mayChange` finds authorizations whose amount is not known yet: rule 6 may find them by any.
   */
  constructor(mayChange: (root: Authorization) => boolean = () => false) {
    this.#mayChange = mayChange;
  }

  /**
   * Adds an authorization, or replaces it. Messages that are no standing root have no neighbours.
   */
  keepRoot(root: Authorization): void {
    if (isStandingRoot(root)) this.#roots.put(root);
    else this.#roots.remove(root.id);
  }

  /** Adds a clearing, or replaces it. */
  keepClearing(clearing: Clearing): void {
    this.#clearings.put(clearing);
  }

  removeRoot(id: number): void {
    this.#roots.remove(id);
  }

  removeClearing(id: number): void {
    this.#clearings.remove(id);
  }

  /** The records around these, which it has, and these themselves. */
  around(seeds: Partial<Records>): Records {
    const roots = new Set<Authorization>();
    const clearings = new Set<Clearing>();
    const walk: Walk = {
      roots: new Unreached(this.#roots, roots),
      clearings: new Unreached(this.#clearings, clearings),
      unsettled: new Unreached(this.#clearings, clearings, (clearing) => this.isUnsettled(clearing)),
      purchases: new Unreached(this.#clearings, clearings, isPurchase),
    };
    const waiting: (() => void)[] = [];
    const reachRoot = (root: Authorization | undefined) => {
      if (root === undefined || roots.has(root)) return;
      roots.add(root);
      waiting.push(() => {
        for (const clearing of this.#clearingsOf(root, walk)) reachClearing(clearing);
      });
    };
    const reachClearing = (clearing: Clearing | undefined) => {
      if (clearing === undefined || clearings.has(clearing)) return;
      clearings.add(clearing);
      waiting.push(() => {
        for (const root of this.#rootsOf(clearing, walk)) reachRoot(root);
        for (const other of this.#clearingsBeside(clearing, walk)) reachClearing(other);
      });
    };
    for (const { id } of seeds.roots ?? []) reachRoot(this.#roots.get(id));
    for (const { id } of seeds.clearings ?? []) reachClearing(this.#clearings.get(id));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) next();
    return { roots: [...roots], clearings: [...clearings] };
  }

  /**
   * Whether the match depends on more than whole references: then codes and merchants count. So
   * does the match of a clearing about which a person chose. A message that is no record yet
   * settles nothing: it may be declined, or change another authorization. Nor does a request that
   * has no approval code yet: the clearing may bear that of another.
   */
  isUnsettled(clearing: Clearing): boolean {
    if (isDispute(clearing) || isFinal(clearing)) return false;
    // It may have been taken from the authorization that its reference names.
    if (clearing.choices !== null) return true;
    const net_reference_number = sentReferenceOf(clearing);
    const reference = networkReferenceOf(net_reference_number);
    if (reference === null) return true;
    const { clearing_type, approval_code } = clearing;
    const found = this.#roots.of('network_reference', reference);
    const roots = found.filter((root) => root.id > 0 && root.approval_code !== null);
    return !isSettledByReference({ clearing_type, approval_code, net_reference_number }, roots);
  }

  #rootsOf(clearing: Clearing, walk: Walk): readonly Authorization[] {
    const { authorization_id, approval_code, merchant_id, choices } = clearing;
    const found: Authorization[] = [];
    for (const id of [authorization_id, chosenOf(choices)]) {
      const root = id === null ? undefined : this.#roots.get(id);
      if (root !== undefined) found.push(root);
    }
    if (isDispute(clearing)) return found;
    found.push(...walk.roots.of('network_reference', networkReferenceOf(sentReferenceOf(clearing))));
    if (!this.isUnsettled(clearing)) return found;
    found.push(...walk.roots.of('approval_code', approval_code));
    for (const other of walk.roots.of('merchant_id', merchant_id)) if (this.#mayFit(clearing, other)) found.push(other);
    return found;
  }

  #clearingsOf(root: Authorization, walk: Walk): readonly Clearing[] {
    const found = [...walk.clearings.of('authorization_id', root.id)];
    found.push(...walk.clearings.of('network_reference', networkReferenceOf(root.net_reference_number)));
    for (const type of clearing_types) {
      for (const approval_code of this.#codesOf(root)) {
        found.push(...walk.unsettled.of(`approval_code of ${type}`, approval_code));
      }
      for (const clearing of walk.unsettled.of(`merchant_id of ${type}`, root.merchant_id)) {
        if (this.#mayFit(clearing, root)) found.push(clearing);
      }
    }
    return found;
  }

  /**
   * The approval code of a root. A request that is not decided has none: it may take one of those
   * of the clearings with its whole reference.
   */
  #codesOf({ approval_code, net_reference_number }: Authorization): Iterable<string> {
    if (approval_code !== null) return [approval_code];
    if (!isWholeNetReference(net_reference_number)) return [];
    const codes = new Set<string>();
    for (const clearing of this.#clearings.of('network_reference', networkReferenceOf(net_reference_number))) {
      const message = asSent(clearing);
      if (message.net_reference_number !== net_reference_number) continue;
      if (message.approval_code !== null) codes.add(message.approval_code);
    }
    return codes;
  }

  /** Whether rule 6 may find the root: the merchant is the same. */
  #mayFit(clearing: Clearing, root: Authorization): boolean {
    return (hasAmount(clearing, root) || this.#mayChange(root)) && isNearRoot(clearing, root);
  }

  #clearingsBeside(clearing: Clearing, walk: Walk): readonly Clearing[] {
    const { clearing_id, acquirer_reference_data, approval_code, merchant_id, clearing_type } = clearing;
    const found: Clearing[] = [];
    const referred = clearing_id === null ? undefined : this.#clearings.get(clearing_id);
    if (referred !== undefined) found.push(referred);
    found.push(...walk.clearings.of('clearing_id', clearing.id));
    found.push(...walk.clearings.of('acquirer_reference_data', acquirer_reference_data));
    if (clearing_type === 'DEBIT' ? !isPurchase(clearing) : !this.isUnsettled(clearing)) return found;
    const [others, other_type] =
      clearing_type === 'DEBIT' ? ([walk.unsettled, 'CREDIT'] as const) : ([walk.purchases, 'DEBIT'] as const);
    found.push(...others.of(`approval_code of ${other_type}`, approval_code));
    for (const other of others.of(`merchant_id of ${other_type}`, merchant_id)) {
      if (isNearClearing(clearing, other)) found.push(other);
    }
    return found;
  }
}

/**
 * The clearing with all neighbours that it may have under any choices of people, for a message that
 * adds or removes one.
 */
export function withChoices(clearing: Clearing): Clearing {
  return clearing.choices === null ? { ...clearing, choices: [] } : clearing;
}

/** What one walk from records to their neighbours has not reached. */
interface Walk {
  readonly roots: Unreached<Authorization, RootKey>;
  readonly clearings: Unreached<Clearing, ClearingKey>;
  /** The clearings that `isUnsettled`. */
  readonly unsettled: Unreached<Clearing, ClearingKey>;
  /** The clearings that a credit may refund. */
  readonly purchases: Unreached<Clearing, ClearingKey>;
}

/** Whether a credit may refund the debit. */
function isPurchase({ cycle }: Clearing): boolean {
  return cycle === 'first_presentment';
}

function hasAmount({ merchant_amount, billing_amount }: Clearing, root: Authorization): boolean {
  const amounts = [root.merchant_amount, root.billing_amount, root.authorized];
  return amounts.some((amount) => amount === merchant_amount || amount === billing_amount);
}

/** The keys of records, by the names of the keys. A record without a key has null. */
type Keys<Item, Name extends string> = Readonly<Record<Name, (item: Item) => string | number | null>>;

type RootKey = 'network_reference' | 'approval_code' | 'merchant_id';

const root_keys: Keys<Authorization, RootKey> = {
  network_reference: ({ net_reference_number }) => networkReferenceOf(net_reference_number),
  approval_code: ({ approval_code }) => approval_code,
  merchant_id: ({ merchant_id }) => merchant_id,
};

type ClearingKey =
  | 'acquirer_reference_data'
  | 'network_reference'
  | `${'approval_code' | 'merchant_id'} of ${ClearingType}`
  | 'authorization_id'
  | 'clearing_id';

const clearing_keys: Keys<Clearing, ClearingKey> = {
  acquirer_reference_data: ({ acquirer_reference_data }) => acquirer_reference_data,
  network_reference: (clearing) => networkReferenceOf(sentReferenceOf(clearing)),
  'approval_code of DEBIT': ({ clearing_type, approval_code }) => (clearing_type === 'DEBIT' ? approval_code : null),
  'approval_code of CREDIT': ({ clearing_type, approval_code }) => (clearing_type === 'CREDIT' ? approval_code : null),
  'merchant_id of DEBIT': ({ clearing_type, merchant_id }) => (clearing_type === 'DEBIT' ? merchant_id : null),
  'merchant_id of CREDIT': ({ clearing_type, merchant_id }) => (clearing_type === 'CREDIT' ? merchant_id : null),
  authorization_id: ({ authorization_id }) => authorization_id,
  clearing_id: ({ clearing_id }) => clearing_id,
};

/** Up to this many records are searched. More are found by maps from their keys. */
const searched_records_max = 16;

class Index<Item extends { readonly id: number }, Name extends string> {
  readonly #keys: Keys<Item, Name>;
  readonly #items = new Map<number, Item>();
  /** Made when a key of that name is first asked for. */
  readonly #by_key = new Map<Name, Map<string | number, Item[]>>();

  constructor(keys: Keys<Item, Name>) {
    this.#keys = keys;
  }

  get(id: number): Item | undefined {
    return this.#items.get(id);
  }

  of(name: Name, key: string | number | null): readonly Item[] {
    if (key === null || this.#items.size === 0) return [];
    const keyOf = this.#keys[name];
    let by_key = this.#by_key.get(name);
    if (by_key === undefined) {
      if (this.#items.size <= searched_records_max) {
        const found: Item[] = [];
        for (const item of this.#items.values()) if (keyOf(item) === key) found.push(item);
        return found;
      }
      by_key = new Map();
      for (const item of this.#items.values()) addTo(by_key, keyOf(item), item);
      this.#by_key.set(name, by_key);
    }
    return by_key.get(key) ?? [];
  }

  /** Adds a record, or replaces the one with its id. */
  put(item: Item): void {
    this.remove(item.id);
    this.#items.set(item.id, item);
    for (const [name, by_key] of this.#by_key) addTo(by_key, this.#keys[name](item), item);
  }

  remove(id: number): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#items.delete(id);
    for (const [name, by_key] of this.#by_key) {
      const items = by_key.get(this.#keys[name](item) ?? '');
      const at = items?.lastIndexOf(item) ?? -1;
      if (at >= 0) items?.splice(at, 1);
    }
  }
}

function addTo<Item>(by_key: Map<string | number, Item[]>, key: string | number | null, item: Item): void {
  if (key === null) return;
  const items = by_key.get(key);
  if (items === undefined) by_key.set(key, [item]);
  else items.push(item);
}

/**
 * The records of an index that a walk asks for and has not reached yet. Others of a key are not
 * looked at again: otherwise a walk over many records of one key would compare each with all.
 */
class Unreached<Item extends { readonly id: number }, Name extends string> {
  readonly #index: Index<Item, Name>;
  readonly #reached: ReadonlySet<Item>;
  readonly #isAsked: (item: Item) => boolean;
  /** Of keys with many records, those that are left. */
  readonly #left = new Map<Name, Map<string | number, readonly Item[]>>();

  constructor(index: Index<Item, Name>, reached: ReadonlySet<Item>, isAsked: (item: Item) => boolean = () => true) {
    this.#index = index;
    this.#reached = reached;
    this.#isAsked = isAsked;
  }

  of(name: Name, key: string | number | null): readonly Item[] {
    if (key === null) return [];
    const known = this.#left.get(name);
    const items = known?.get(key) ?? this.#index.of(name, key);
    if (items.length === 0) return items;
    const left = items.filter((item) => !this.#reached.has(item) && this.#isAsked(item));
    if (items.length > searched_records_max) {
      if (known === undefined) this.#left.set(name, new Map([[key, left]]));
      else known.set(key, left);
    }
    return left;
  }
}
