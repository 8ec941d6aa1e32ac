import type { Account, ChainAround, PlacedStatement } from '@tallystick/accounts';
import type { ImportPorts } from '../ports.ts';
import type { FileStatement } from './statement-items.ts';

/** A statement of a chain: one that is stored, or one of the file that is being checked. */
export interface ChainedStatement extends PlacedStatement {
  /** Null: it is a statement of the file. */
  readonly id: number | null;
}

/**
 * The chains of the accounts that a file names: as they are stored, with the statements of the file
 * that were placed so far.
 */
export class AccountChains {
  readonly #unitOfWork: ImportPorts['unitOfWork'];
  readonly #accounts = new Map<string, Account | null>();
  readonly #stored = new Map<string, ChainAround<ChainedStatement>>();
  /** The statements of the file, in the order of the chain. */
  readonly #placed = new Map<number, ChainedStatement[]>();

  constructor({ unitOfWork }: Pick<ImportPorts, 'unitOfWork'>) {
    this.#unitOfWork = unitOfWork;
  }

  /**
   * The account of a statement; null: there is none. An account in several currencies may be one for
   * each of them, with the currency after the number that the statements name.
   */
  async account({
    account_number,
    currency,
  }: Pick<FileStatement, 'account_number' | 'currency'>): Promise<Account | null> {
    const named = await this.#find(account_number);
    if (currency === null || named?.currency === currency) return named;
    return (await this.#find(`${account_number}${currency}`)) ?? named;
  }

  async #find(number: string): Promise<Account | null> {
    const known = this.#accounts.get(number);
    if (known !== undefined) return known;
    const found = await this.#unitOfWork.read(({ accounts }) => accounts.findByNumber(number));
    this.#accounts.set(number, found);
    return found;
  }

  async around(account_id: number, as_of: string): Promise<ChainAround<ChainedStatement>> {
    const stored = await this.#storedAround(account_id, as_of);
    const placed = this.#placed.get(account_id) ?? [];
    const from = placesBefore(placed, (one) => one.as_of < as_of);
    const to = placesBefore(placed, (one) => one.as_of <= as_of);
    return {
      before: inChain([stored.before, placed[from - 1]]).at(-1) ?? null,
      of_date: inChain([...stored.of_date, ...placed.slice(from, to)]),
      after: inChain([stored.after, placed[to]])[0] ?? null,
    };
  }

  /** The last statement before this one that opens with its balance; null: there is none. */
  async opening(
    account_id: number,
    { as_of, opening_balance }: Pick<PlacedStatement, 'as_of' | 'opening_balance'>,
  ): Promise<ChainedStatement | null> {
    const placed = this.#placed.get(account_id) ?? [];
    const own = placed.findLast((one) => one.as_of < as_of && one.opening_balance === opening_balance) ?? null;
    const stored = await this.#unitOfWork.read(({ accounts }) =>
      accounts.statementOpening(account_id, as_of, opening_balance),
    );
    return inChain([own, stored]).at(-1) ?? null;
  }

  /** Places a statement of the file. */
  add(account_id: number, statement: ChainedStatement): void {
    const placed = this.#placed.get(account_id) ?? [];
    placed.splice(
      placesBefore(placed, (one) => compareInChain(one, statement) < 0),
      0,
      statement,
    );
    this.#placed.set(account_id, placed);
  }

  async #storedAround(account_id: number, as_of: string): Promise<ChainAround<ChainedStatement>> {
    const key = `${account_id} ${as_of}`;
    const known = this.#stored.get(key);
    if (known !== undefined) return known;
    const found = await this.#unitOfWork.read(async ({ accounts }) => ({
      before: await accounts.statementBefore(account_id, as_of),
      of_date: await accounts.statementsOf(account_id, as_of),
      after: await accounts.statementAfter(account_id, as_of),
    }));
    this.#stored.set(key, found);
    return found;
  }
}

/** How many statements come before all others. It looks at few: a file may have thousands. */
function placesBefore(statements: readonly ChainedStatement[], isBefore: (one: ChainedStatement) => boolean): number {
  let [from, to] = [0, statements.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(statements[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function inChain(statements: readonly (ChainedStatement | null | undefined)[]): readonly ChainedStatement[] {
  return statements.filter((one) => one !== null && one !== undefined).sort(compareInChain);
}

function compareInChain(a: ChainedStatement, b: ChainedStatement): number {
  return a.as_of === b.as_of ? a.position - b.position : a.as_of < b.as_of ? -1 : 1;
}
