import { assert, Fault } from '@tallystick/kernel';

/** The access of a transaction to its tables at present. All tables of one transaction share it. */
export interface Access {
  mode: 'write' | 'read' | 'ended';
}

/**
 * The last id that was assigned. All copies of a table share it, so that a rolled back id is not
 * used again.
 */
interface Sequence {
  last: number;
}

/** A row that was inserted (no `before`), changed or deleted (no `after`). */
export interface TableChange<Row, Key = number> {
  readonly key: Key;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/**
 * The rows of one kind, by key, in the order in which their keys were first written.
 *
 * `draft` makes a copy for a transaction. The copy shares the rows until one side writes. So a
 * draft costs nothing until then, and a reader keeps the rows with which it began.
 */
export class Table<Row, Key = number> {
  #rows: Map<Key, Row>;
  #is_shared: boolean;
  #is_written = false;
  readonly #sequence: Sequence;
  readonly #access: Access;

  constructor(
    rows: Map<Key, Row> = new Map(),
    sequence: Sequence = { last: 0 },
    access: Access = { mode: 'write' },
    is_shared = false,
  ) {
    this.#rows = rows;
    this.#sequence = sequence;
    this.#access = access;
    this.#is_shared = is_shared;
  }

  /** Returns a copy with the same rows, for a transaction with this access. */
  draft(access: Access): Table<Row, Key> {
    this.#is_shared = true;
    return new Table(this.#rows, this.#sequence, access, true);
  }

  /** Whether a row of this copy was written or deleted. */
  get is_written(): boolean {
    return this.#is_written;
  }

  get size(): number {
    return this.#readable().size;
  }

  get(key: Key): Row | undefined {
    return this.#readable().get(key);
  }

  has(key: Key): boolean {
    return this.#readable().has(key);
  }

  keys(): readonly Key[] {
    return [...this.#readable().keys()];
  }

  values(): readonly Row[] {
    return [...this.#readable().values()];
  }

  entries(): readonly (readonly [Key, Row])[] {
    return [...this.#readable().entries()];
  }

  /** Writes a copy of the row, and returns that copy. */
  set(key: Key, row: Row): Row {
    const kept = frozenCopy(row);
    this.#writable().set(key, kept);
    if (typeof key === 'number') this.use(key);
    return kept;
  }

  /** Writes a row with a new id, and returns it. */
  insert(this: Table<Row, number>, row: Row extends { readonly id: number } ? Omit<Row, 'id'> : never): Row {
    const id = this.nextId();
    return this.set(id, { ...(row as object), id } as Row);
  }

  /** Changes members of a row, if it exists. */
  change(key: Key, changes: Partial<Row>): void {
    const row = this.get(key);
    if (row !== undefined) this.set(key, { ...row, ...changes });
  }

  delete(key: Key): boolean {
    return this.#writable().delete(key);
  }

  /** Returns a new id, higher than every previous id. */
  nextId(): number {
    this.#sequence.last += 1;
    return this.#sequence.last;
  }

  /** Makes an id a previous one, also without a row. */
  use(id: number): void {
    this.#sequence.last = Math.max(this.#sequence.last, id);
  }

  /**
   * Returns that many ids above every previous id. They are used only when rows are written with
   * them.
   */
  freshIds(count: number): readonly number[] {
    return Array.from({ length: count }, (_, at) => this.#sequence.last + 1 + at);
  }

  /** Returns the rows in which this copy differs from an earlier one. */
  changesSince(earlier: Table<Row, Key>): readonly TableChange<Row, Key>[] {
    const before = earlier.#rows;
    const after = this.#rows;
    if (before === after) return [];
    const changes: TableChange<Row, Key>[] = [];
    for (const [key, row] of after) {
      const old = before.get(key);
      if (old !== row) changes.push({ key, before: old, after: row });
    }
    const inserted = changes.filter((change) => change.before === undefined).length;
    if (before.size + inserted === after.size) return changes;
    for (const [key, row] of before) if (!after.has(key)) changes.push({ key, before: row, after: undefined });
    return changes;
  }

  /** Rejects a reference to a row that does not exist, as the foreign key of a database does. */
  assertHas(key: Key, what: string): void {
    if (!this.has(key)) throw new Fault(`a row refers to a ${what} that does not exist`, { retryable: false });
  }

  #readable(): ReadonlyMap<Key, Row> {
    assert(this.#access.mode !== 'ended', 'a store was used after its transaction had ended');
    return this.#rows;
  }

  #writable(): Map<Key, Row> {
    assert(this.#access.mode !== 'ended', 'a store was used after its transaction had ended');
    assert(this.#access.mode === 'write', 'a transaction that only reads wrote a row');
    this.#is_written = true;
    if (this.#is_shared) {
      this.#rows = new Map(this.#rows);
      this.#is_shared = false;
    }
    return this.#rows;
  }
}

/**
 * Returns a frozen copy of a record, as storage keeps it. The caller may change the original
 * afterwards, and no code can change the copy. Undefined members are omitted, as in JSON. Throws a
 * `Violation` when the record contains an object that no database could store, for example an
 * unmasked card number.
 */
export function frozenCopy<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  assert(typeof value !== 'function' && typeof value !== 'symbol', `a record contains a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf));
  const prototype: unknown = Object.getPrototypeOf(value);
  assert(prototype === Object.prototype || prototype === null, 'a record contains an object that is not plain data');
  // Assignment would set the prototype by a member that is called __proto__.
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.freeze(Object.fromEntries(members.map(([name, member]) => [name, copyOf(member)])));
}

/**
 * The rows of one kind that a transaction holds: the rows that it inserted, and those that it read
 * for update. Writing transactions run one after the other here, so nothing else depends on it. But
 * on a database, a use case that reads a row, changes it and writes it back without holding it
 * would lose changes. So that is a `Violation`.
 */
export class HeldRows {
  readonly #kind: string;
  readonly #ids = new Set<number>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  hold(id: number): void {
    this.#ids.add(id);
  }

  assertHeld(id: number): void {
    assert(this.#ids.has(id), `${this.#kind} ${id} is written without being held for update`);
  }
}

/** The rows of a company with these ids. */
export function found<Row extends { readonly company_id: number }>(
  table: { get(id: number): Row | undefined },
  company_id: number,
  ids: readonly number[],
): Row[] {
  return [...new Set(ids)].flatMap((id) => {
    const row = table.get(id);
    return row?.company_id === company_id ? row : [];
  });
}
