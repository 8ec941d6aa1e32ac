import type { Authorization } from './authorization.ts';
import { asSent, type Clearing, clearing_types, isDispute } from './clearing.ts';
import { isSettledByReference } from './match-authorization.ts';
import { isNearClearing, isNearRoot } from './match-reach.ts';
import { isWholeNetReference, networkReferenceOf } from './net-reference-number.ts';
import { isStandingRoot } from './root.ts';
import { isFinal, type Records } from './settle.ts';

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
  readonly #roots = new Map<number, Authorization>();
  readonly #clearings = new Map<number, Clearing>();
  readonly #roots_by = new Index<Authorization>();
  readonly #clearings_by = new Index<Clearing>();
  readonly #mayChange: (root: Authorization) => boolean;

  /** `mayChange` finds authorizations whose amount is not known yet: rule 6 may find them by any. */
  constructor(mayChange: (root: Authorization) => boolean = () => false) {
    this.#mayChange = mayChange;
  }

  /** Adds an authorization, or replaces it. Messages that are no standing root have no neighbours. */
  keepRoot(root: Authorization): void {
    const before = this.#roots.get(root.id);
    if (before !== undefined) this.#roots_by.remove(before.id, keysOfRoot(before));
    this.#roots.delete(root.id);
    if (!isStandingRoot(root)) return;
    this.#roots.set(root.id, root);
    this.#roots_by.add(root.id, keysOfRoot(root), root);
  }

  /** Adds a clearing, or replaces it. */
  keepClearing(clearing: Clearing): void {
    const before = this.#clearings.get(clearing.id);
    if (before !== undefined) this.#clearings_by.remove(before.id, keysOfClearing(before));
    this.#clearings.set(clearing.id, clearing);
    this.#clearings_by.add(clearing.id, keysOfClearing(clearing), clearing);
  }

  removeRoot(id: number): void {
    const before = this.#roots.get(id);
    if (before !== undefined) this.#roots_by.remove(id, keysOfRoot(before));
    this.#roots.delete(id);
  }

  removeClearing(id: number): void {
    const before = this.#clearings.get(id);
    if (before !== undefined) this.#clearings_by.remove(id, keysOfClearing(before));
    this.#clearings.delete(id);
  }

  /** The records around these, which it has, and these themselves. */
  around(seeds: Partial<Records>): Records {
    const roots = new Set<Authorization>();
    const clearings = new Set<Clearing>();
    const walk: Walk = {
      roots: new Unreached(this.#roots_by, roots),
      clearings: new Unreached(this.#clearings_by, clearings),
      unsettled: new Map(),
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
   * Whether the match depends on more than whole references: then codes and merchants count. A
   * message that is no record yet settles nothing: it may be declined, or change another authorization.
   */
  isUnsettled(clearing: Clearing): boolean {
    if (isDispute(clearing) || isFinal(clearing)) return false;
    const message = asSent(clearing);
    const reference = networkReferenceOf(message.net_reference_number);
    if (reference === null) return true;
    const roots = Iterator.from(this.#roots_by.of(`n ${reference}`)).filter(({ id }) => id > 0);
    return !isSettledByReference(message, roots);
  }

  /** The same, asked once for each clearing of a walk. */
  #isUnsettled(clearing: Clearing, { unsettled }: Walk): boolean {
    const known = unsettled.get(clearing);
    if (known !== undefined) return known;
    const is_unsettled = this.isUnsettled(clearing);
    unsettled.set(clearing, is_unsettled);
    return is_unsettled;
  }

  *#rootsOf(clearing: Clearing, walk: Walk): Iterable<Authorization> {
    if (clearing.authorization_id !== null) {
      const root = this.#roots.get(clearing.authorization_id);
      if (root !== undefined) yield root;
    }
    if (isDispute(clearing)) return;
    const reference = networkReferenceOf(asSent(clearing).net_reference_number);
    if (reference !== null) yield* walk.roots.of(`n ${reference}`);
    if (!this.#isUnsettled(clearing, walk)) return;
    if (clearing.approval_code !== null) yield* walk.roots.of(`p ${clearing.approval_code}`);
    if (clearing.merchant_id === null) return;
    for (const root of walk.roots.of(`m ${clearing.merchant_id}`)) if (this.#mayFit(clearing, root)) yield root;
  }

  *#clearingsOf(root: Authorization, walk: Walk): Iterable<Clearing> {
    yield* walk.clearings.of(`of ${root.id}`);
    const reference = networkReferenceOf(root.net_reference_number);
    if (reference !== null) yield* walk.clearings.of(`n ${reference}`);
    for (const type of clearing_types) {
      for (const approval_code of this.#codesOf(root)) {
        for (const clearing of walk.clearings.of(`p ${type} ${approval_code}`)) {
          if (this.#isUnsettled(clearing, walk)) yield clearing;
        }
      }
      if (root.merchant_id === null) continue;
      for (const clearing of walk.clearings.of(`m ${type} ${root.merchant_id}`)) {
        if (this.#mayFit(clearing, root) && this.#isUnsettled(clearing, walk)) yield clearing;
      }
    }
  }

  /**
   * The approval code of a root. A request that is not decided has none: it may take one of those of
   * the clearings with its whole reference.
   */
  #codesOf({ approval_code, net_reference_number }: Authorization): Iterable<string> {
    if (approval_code !== null) return [approval_code];
    if (!isWholeNetReference(net_reference_number)) return [];
    const codes = new Set<string>();
    for (const clearing of this.#clearings_by.of(`n ${networkReferenceOf(net_reference_number)}`)) {
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

  *#clearingsBeside(clearing: Clearing, walk: Walk): Iterable<Clearing> {
    if (clearing.clearing_id !== null) {
      const referred = this.#clearings.get(clearing.clearing_id);
      if (referred !== undefined) yield referred;
    }
    yield* walk.clearings.of(`to ${clearing.id}`);
    const { acquirer_reference_data, approval_code, merchant_id, clearing_type } = clearing;
    if (acquirer_reference_data !== null) yield* walk.clearings.of(`a ${acquirer_reference_data}`);
    if (clearing_type === 'CREDIT' && !this.#isUnsettled(clearing, walk)) return;
    if (clearing_type === 'DEBIT' && !isPurchase(clearing)) return;
    const mayBelong = (other: Clearing) =>
      clearing_type === 'DEBIT' ? this.#isUnsettled(other, walk) : isPurchase(other);
    const other_type = clearing_type === 'DEBIT' ? 'CREDIT' : 'DEBIT';
    if (approval_code !== null) {
      for (const other of walk.clearings.of(`p ${other_type} ${approval_code}`)) if (mayBelong(other)) yield other;
    }
    if (merchant_id === null) return;
    for (const other of walk.clearings.of(`m ${other_type} ${merchant_id}`)) {
      if (mayBelong(other) && isNearClearing(clearing, other)) yield other;
    }
  }
}

/** What one walk from records to their neighbours has not reached, and what it knows. */
interface Walk {
  readonly roots: Unreached<Authorization>;
  readonly clearings: Unreached<Clearing>;
  readonly unsettled: Map<Clearing, boolean>;
}

/** Whether a credit may refund the debit. */
function isPurchase({ cycle }: Clearing): boolean {
  return cycle === 'first_presentment';
}

/** Whether an amount of the clearing is one of the authorization. */
function hasAmount({ merchant_amount, billing_amount }: Clearing, root: Authorization): boolean {
  const amounts = [root.merchant_amount, root.billing_amount, root.authorized];
  return amounts.some((amount) => amount === merchant_amount || amount === billing_amount);
}

/** The keys that lead to a root. */
function keysOfRoot(root: Authorization): readonly string[] {
  const { approval_code, merchant_id } = root;
  const reference = networkReferenceOf(root.net_reference_number);
  return [
    ...(reference === null ? [] : [`n ${reference}`]),
    ...(approval_code === null ? [] : [`p ${approval_code}`]),
    ...(merchant_id === null ? [] : [`m ${merchant_id}`]),
  ];
}

/** The keys that lead to a clearing. */
function keysOfClearing(clearing: Clearing): readonly string[] {
  const { acquirer_reference_data, approval_code, merchant_id, authorization_id, clearing_id } = clearing;
  const { clearing_type } = clearing;
  const reference = networkReferenceOf(asSent(clearing).net_reference_number);
  return [
    ...(acquirer_reference_data === null ? [] : [`a ${acquirer_reference_data}`]),
    ...(reference === null ? [] : [`n ${reference}`]),
    ...(approval_code === null ? [] : [`p ${clearing_type} ${approval_code}`]),
    ...(merchant_id === null ? [] : [`m ${clearing_type} ${merchant_id}`]),
    ...(authorization_id === null ? [] : [`of ${authorization_id}`]),
    ...(clearing_id === null ? [] : [`to ${clearing_id}`]),
  ];
}

/** Records by their keys. */
class Index<Item> {
  readonly #by_key = new Map<string, Map<number, Item>>();

  of(key: string): Iterable<Item> {
    return this.#by_key.get(key)?.values() ?? [];
  }

  add(id: number, keys: readonly string[], item: Item): void {
    for (const key of keys) {
      const items = this.#by_key.get(key);
      if (items === undefined) this.#by_key.set(key, new Map([[id, item]]));
      else items.set(id, item);
    }
  }

  remove(id: number, keys: readonly string[]): void {
    for (const key of keys) this.#by_key.get(key)?.delete(id);
  }
}

/**
 * The records of an index that a walk has not reached yet. Records of a key that were reached are
 * not looked at again: otherwise a walk over many records of one key would compare each with all.
 */
class Unreached<Item> {
  readonly #index: Index<Item>;
  readonly #reached: ReadonlySet<Item>;
  readonly #left = new Map<string, Set<Item>>();

  constructor(index: Index<Item>, reached: ReadonlySet<Item>) {
    this.#index = index;
    this.#reached = reached;
  }

  *of(key: string): Iterable<Item> {
    let left = this.#left.get(key);
    if (left === undefined) {
      left = new Set(this.#index.of(key));
      this.#left.set(key, left);
    }
    for (const item of left) {
      if (this.#reached.has(item)) left.delete(item);
      else yield item;
    }
  }
}
