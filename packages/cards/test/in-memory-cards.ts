import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto';
import type { Event } from '@tallystick/events';
import { type AuditEntry, Fault, type Page, type PageRequest, type Random, type UnitOfWork } from '@tallystick/kernel';
import type { PurchaseTemplate } from '@tallystick/templates';
import {
  type Authorization,
  type CardsTx,
  type CardVault,
  type Clearing,
  type NewMail,
  Pan,
  type RealCard,
  type SealedNumber,
  type VirtualCard,
} from '../src/index.ts';

interface State {
  readonly cards: Map<number, VirtualCard>;
  readonly numbers: Map<number, SealedNumber>;
  readonly real_cards: Map<number, RealCard>;
  readonly templates: Map<number, PurchaseTemplate>;
  readonly authorizations: Map<number, Authorization>;
  readonly clearings: Map<number, Clearing>;
  readonly events: Event[];
  readonly mails: NewMail[];
  readonly audit: AuditEntry[];
}

/** A second writer, as another process would be: which rows it holds, and how to wait for it. */
export interface Rival {
  holds(card_id: number): boolean;
  finished(): Promise<void>;
}

/**
 * The ports over maps. Transactions run one after the other on a copy of the state, which takes the state's place when
 * the work resolves: a rejected one leaves nothing. A card that is written without being held for update is an error, so
 * that no use case forgets to hold what it reads, changes and writes.
 */
export function inMemoryCards(rival?: Rival) {
  let state: State = {
    cards: new Map(),
    numbers: new Map(),
    real_cards: new Map(),
    templates: new Map(),
    authorizations: new Map(),
    clearings: new Map(),
    events: [],
    mails: [],
    audit: [],
  };
  let last: Promise<unknown> = Promise.resolve();
  let last_id = 1_000;
  let commits = 0;
  const nextId = () => {
    last_id += 1;
    return last_id;
  };

  const unit_of_work: UnitOfWork<CardsTx> = {
    run(work) {
      const turn = last.then(async () => {
        const draft = copyOf(state);
        const result = await work(transaction(draft, nextId, rival));
        state = draft;
        commits += 1;
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    read(work) {
      return this.run(work);
    },
  };

  return {
    unit_of_work,
    /** What is committed. Tests may put rows there that other use cases would have written. */
    committed: (): State => state,
    commits: () => commits,
    nextId,
  };
}

function copyOf(state: State): State {
  return {
    cards: new Map(state.cards),
    numbers: new Map(state.numbers),
    real_cards: new Map(state.real_cards),
    templates: new Map(state.templates),
    authorizations: new Map(state.authorizations),
    clearings: new Map(state.clearings),
    events: [...state.events],
    mails: [...state.mails],
    audit: [...state.audit],
  };
}

function transaction(state: State, nextId: () => number, rival: Rival | undefined): CardsTx {
  const held = new Set<number>();
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const activityOf = <Row extends { readonly id: number; readonly card_id: number }>(
    rows: Map<number, Row>,
    card_id: number,
  ) => [...rows.values()].filter((row) => row.card_id === card_id).sort((a, b) => b.id - a.id);
  const newest = <Row extends { readonly id: number; readonly card_id: number }>(
    rows: Map<number, Row>,
    card_ids: readonly number[],
    limit: number,
  ) => new Map(card_ids.map((id) => [id, activityOf(rows, id).slice(0, limit)]));

  return {
    cards: {
      async insert(card, number, window_start_ms) {
        const taken = [...state.numbers.values()].some((one) => hex(one.number_index) === hex(number.number_index));
        if (taken) return null;
        const real_card = state.real_cards.get(card.rcn_id)!;
        const inserted: VirtualCard = {
          ...structuredClone(card),
          id: nextId(),
          rcn_alias: real_card.alias,
          billing_currency: real_card.billing_currency,
          counters: {
            window_start_ms,
            held: 0,
            cleared: 0,
            uses: 0,
            next_hold_end_ms: null,
          } as VirtualCard['counters'],
        };
        state.cards.set(inserted.id, inserted);
        state.numbers.set(inserted.id, number);
        return inserted;
      },
      async find(company_id, id, options) {
        const card = state.cards.get(id);
        if (card?.company_id !== company_id) return null;
        if (options?.for_update) held.add(id);
        return structuredClone(card);
      },
      async list(company_id, filter, page) {
        const meets = (card: VirtualCard) =>
          card.company_id === company_id &&
          (['status', 'rcn_id', 'template_id', 'supplier_id', 'last4'] as const).every(
            (name) => filter[name] === undefined || filter[name] === card[name],
          ) &&
          Object.entries(filter.metadata ?? {}).every(([name, text]) => String(card.metadata?.[name]) === text);
        const listed = [...state.cards.values()].filter(meets).sort((a, b) => b.id - a.id);
        return pageOf(listed, page);
      },
      async update(card) {
        if (!held.has(card.id)) throw new Error(`card ${card.id} is written without being held for update`);
        const stored = state.cards.get(card.id)!;
        state.cards.set(card.id, { ...structuredClone(card), counters: stored.counters });
      },
      number: async (id) => state.numbers.get(id)!,
      numbers: async (ids) => new Map(ids.map((id) => [id, state.numbers.get(id)!])),
      async heldPastEnd(card_ids, now_ms) {
        const sums = new Map<number, number>();
        for (const { card_id, held: amount, hold_end_ms } of state.authorizations.values()) {
          if (!card_ids.includes(card_id) || amount === 0 || hold_end_ms === null || hold_end_ms > now_ms) continue;
          sums.set(card_id, (sums.get(card_id) ?? 0) + amount);
        }
        return sums;
      },
      newestAuthorizations: async (card_ids, limit) => newest(state.authorizations, card_ids, limit),
      newestClearings: async (card_ids, limit) => newest(state.clearings, card_ids, limit),
      authorizations: async (_company_id, card_id, page) => pageOf(activityOf(state.authorizations, card_id), page),
      clearings: async (_company_id, card_id, page) => pageOf(activityOf(state.clearings, card_id), page),
      async sealedByOtherKeys(key_id, limit, options) {
        if (options?.wait) await rival?.finished();
        return [...state.numbers]
          .filter(([card_id, number]) => number.number_key_id !== key_id && !rival?.holds(card_id))
          .slice(0, limit)
          .map(([card_id, number]) => ({ card_id, number }));
      },
      async reseal(numbers) {
        for (const { card_id, number } of numbers) state.numbers.set(card_id, number);
      },
    },
    real_cards: {
      async insert(card) {
        const inserted = { ...card, id: nextId() };
        for (const other of state.real_cards.values()) {
          if (card.is_default && other.company_id === card.company_id) {
            state.real_cards.set(other.id, { ...other, is_default: false });
          }
        }
        state.real_cards.set(inserted.id, inserted);
        return inserted;
      },
      async find(company_id, id) {
        const card = state.real_cards.get(id);
        return card?.company_id === company_id ? card : null;
      },
      findDefault: async (company_id) =>
        [...state.real_cards.values()].find((card) => card.company_id === company_id && card.is_default) ?? null,
      list: async (company_id, page) =>
        pageOf(
          [...state.real_cards.values()]
            .filter((card) => company_id === null || card.company_id === company_id)
            .sort((a, b) => b.id - a.id),
          page,
        ),
    },
    templates: {
      insert: () => Promise.reject(new Error('cards make no templates')),
      async find(company_id, id) {
        const template = state.templates.get(id);
        const visible = template?.company_id === company_id || template?.company_id === null;
        return template !== undefined && visible && template.deleted_at_ms === null ? template : null;
      },
      nameTaken: () => Promise.reject(new Error('cards ask for no names')),
      list: () => Promise.reject(new Error('cards list no templates')),
      claimDue: () => Promise.reject(new Error('cards complete no templates')),
      claim: () => Promise.reject(new Error('cards complete no templates')),
      update: () => Promise.reject(new Error('cards change no templates')),
    },
    events: {
      async append(fresh) {
        const stored = fresh.map((event) => ({ ...structuredClone(event), id: nextId() }));
        state.events.push(...stored);
        return stored;
      },
      find: async (company_id, id) =>
        state.events.find((event) => event.company_id === company_id && event.id === id) ?? null,
      list: async (company_id, _filters, page) =>
        pageOf(state.events.filter((event) => event.company_id === company_id).toReversed(), page),
    },
    mails: {
      async queue(mail) {
        state.mails.push(mail);
      },
    },
    audit: {
      async record(entry) {
        state.audit.push(entry);
      },
    },
  };
}

function pageOf<Item>(items: readonly Item[], { limit, after, offset }: PageRequest): Page<Item> {
  const from = after === undefined ? (offset ?? 0) : Number(after);
  return { items: items.slice(from, from + limit), next: from + limit < items.length ? String(from + limit) : null };
}

/** A vault over a ring of named keys, newest first: AES-256-GCM, and a keyed index that no key change touches. */
export function ringVault(...key_ids: readonly [string, ...string[]]): CardVault {
  const keyOf = (key_id: string) => hash('sha256', `key ${key_id}`, 'buffer');
  const vault: CardVault = {
    seal(pan) {
      const [key_id] = key_ids;
      const nonce = hash('sha256', `${key_id} ${pan.reveal()}`, 'buffer').subarray(0, 12);
      const cipher = createCipheriv('aes-256-gcm', keyOf(key_id), nonce);
      const text = Buffer.concat([cipher.update(pan.reveal(), 'utf8'), cipher.final()]);
      const head = Buffer.from(`${key_id}:`);
      return {
        number_sealed: Buffer.concat([head, nonce, cipher.getAuthTag(), text]),
        number_key_id: key_id,
        number_index: vault.index(pan),
      };
    },
    open(number_sealed) {
      const sealed = Buffer.from(number_sealed);
      const key_id = sealed.subarray(0, sealed.indexOf(':')).toString();
      if (!key_ids.includes(key_id)) throw new Fault(`key ${key_id} is not in the ring`, { retryable: false });
      const body = sealed.subarray(key_id.length + 1);
      const decipher = createDecipheriv('aes-256-gcm', keyOf(key_id), body.subarray(0, 12));
      decipher.setAuthTag(body.subarray(12, 28));
      return new Pan(Buffer.concat([decipher.update(body.subarray(28)), decipher.final()]).toString());
    },
    index: (pan) => createHmac('sha256', 'index').update(pan.reveal()).digest(),
    cvc: (pan, expiry) =>
      String(createHmac('sha256', 'cvc').update(`${pan.reveal()} ${expiry}`).digest().readUInt32BE() % 1_000).padStart(
        3,
        '0',
      ),
    cvcMatches: (pan, expiry, cvc) => vault.cvc(pan, expiry) === cvc,
  };
  return vault;
}

/** Draws that repeat with their seed, from SHA-256 of a counter. */
export function repeatableRandom(seed: number): Random {
  let count = 0;
  const block = () => {
    count += 1;
    return hash('sha256', `${seed} ${count}`, 'buffer');
  };
  return {
    below(bound) {
      const most = 2 ** 48 - (2 ** 48 % bound);
      for (;;) {
        const drawn = block().readUIntBE(0, 6);
        if (drawn < most) return drawn % bound;
      }
    },
    bytes: (length) => block().subarray(0, length),
  };
}
