import type { World } from '../system.ts';
import type { CallName, RecordedCall } from './recording.ts';

/** What a value that a system chose names. */
type Kind = 'card' | 'authorization' | 'approval' | 'clearing' | 'kept' | 'template';

const kind_of_name: Readonly<Record<string, Kind>> = {
  vcn_id: 'card',
  authorization_id: 'authorization',
  expected_authorization_id: 'authorization',
  clearing_id: 'clearing',
  approval_code: 'approval',
  template_id: 'template',
};

/** What the `id` names in the answer to a call, or in a list of it. */
const kind_of_id: Readonly<Record<string, Kind>> = {
  createCard: 'card',
  updateCard: 'card',
  readCard: 'card',
  authorize: 'authorization',
  authorizations: 'authorization',
  clear: 'clearing',
  clearings: 'clearing',
  quarantine: 'kept',
};

const kinds_of_arguments: Partial<Readonly<Record<CallName, readonly Kind[]>>> = {
  updateCard: ['card'],
  cancelCard: ['card'],
  readCard: ['card'],
  resetCodeFailures: ['card'],
  releaseHold: ['card', 'authorization'],
  setFrozen: ['card'],
  replay: ['kept'],
};

interface KnownCard {
  readonly id: number;
  readonly card_number: string;
  readonly cvc: string;
  /** The answer to its creation. */
  readonly symbol: string;
}

type Names = Readonly<Record<string, unknown>>;

/**
 * The values of calls and answers as code, in which each value that the system chose is taken from
 * the answer that was the first to contain it.
 */
export class Symbols {
  readonly #tag: string;
  readonly #known = new Map<string, string>();
  readonly #cards: KnownCard[] = [];

  constructor({ tag, templates }: World) {
    this.#tag = tag;
    for (const [at, { id }] of templates.entries()) this.#name('template', id, `templates[${at}].id`);
  }

  argumentsOf({ name, args }: RecordedCall): string {
    return args.map((arg, at) => this.#code(arg, kinds_of_arguments[name]?.[at] ?? null, name)).join(', ');
  }

  expectedOf({ name, expected }: RecordedCall): string {
    return this.#code(expected, null, name);
  }

  /** Learns what an answer is the first to contain. `symbol` is the answer in the code. */
  learn({ name, answer }: RecordedCall, symbol: string): void {
    if (name === 'quarantine') {
      for (const [at, { id }] of ((answer ?? []) as readonly { readonly id: number }[]).entries()) {
        this.#name('kept', id, `${symbol}[${at}].id`);
      }
      return;
    }
    const value = (answer as { readonly value?: Names | null } | undefined)?.value;
    if (value === undefined || value === null) return;
    if (name === 'createCard') {
      const { card, card_number, cvc } = value as { card: { id: number }; card_number: string; cvc: string };
      this.#name('card', card.id, `${symbol}.value.card.id`);
      this.#cards.push({ id: card.id, card_number, cvc, symbol: `${symbol}.value` });
    }
    if (name === 'authorize') this.#name('approval', value.approval_code, `${symbol}.value.approval_code`);
    if (name === 'authorize' || name === 'clear') this.#name(kind_of_id[name]!, value.id, `${symbol}.value.id`);
    if (name === 'replay') this.#name('clearing', value.clearing_id, `${symbol}.value.clearing_id`);
  }

  #name(kind: Kind, value: unknown, symbol: string): void {
    const key = `${kind} ${value}`;
    if (value !== null && value !== undefined && !this.#known.has(key)) this.#known.set(key, symbol);
  }

  /** `within` is the call, or the list in its answer. */
  #code(value: unknown, kind: Kind | null, within: string): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#code(item, null, within)).join(', ')}]`;
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).map(([name, inner]) => {
        const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
        return `${key}: ${this.#member(value as Names, name, inner, within)}`;
      });
      return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
    }
    const symbol = kind === null ? undefined : this.#known.get(`${kind} ${value}`);
    if (symbol !== undefined) return symbol;
    const last = this.#cards.at(-1);
    // A guess at the id of the next card.
    if (kind === 'card' && value === (last?.id ?? Number.NaN) + 1) return `${last?.symbol}.card.id + 1`;
    if (typeof value === 'string' && value.startsWith(this.#tag)) {
      const rest = value.slice(this.#tag.length);
      if (/^[TC]\d+$/.test(rest)) return `\`\${tag}${rest}\``;
    }
    return JSON.stringify(value) ?? 'undefined';
  }

  #member(owner: Names, name: string, value: unknown, within: string): string {
    if (name === 'card_number' || name === 'cvc') {
      const card = this.#cardOf(owner.card_number);
      if (card !== undefined) return numberOrCode(card, name, value);
    }
    const kind = (name === 'id' ? kind_of_id[within] : kind_of_name[name]) ?? null;
    return this.#code(value, kind, name in kind_of_id ? name : within);
  }

  /** The card with the number, or the one from which a number of no card was made. */
  #cardOf(card_number: unknown): KnownCard | undefined {
    if (typeof card_number !== 'string') return undefined;
    const exact = this.#cards.find((card) => card.card_number === card_number);
    return exact ?? this.#cards.find((card) => card.card_number.slice(0, -1) === card_number.slice(0, -1));
  }
}

function numberOrCode(card: KnownCard, name: 'card_number' | 'cvc', value: unknown): string {
  const known = `${card.symbol}.${name}`;
  if (value === card[name]) return known;
  return name === 'card_number' ? `unknownNumber(${known})` : `wrongCode(${known})`;
}
