import type { ClientBase, Connection, FieldDef, Submittable } from 'pg';
import { releaseCopied } from './copied-rows.ts';
import type { NamedQuery } from './named-query.ts';

export interface Answer {
  readonly command: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the rows of the client's own results
  readonly rows: any[];
}

/**
 * Sends the statements in one write, which the server answers in one, and resolves with their
 * answers. After a statement that fails the server runs none of the others, and this rejects with
 * its error. The client itself writes each statement, and wakes the server up for each.
 */
export function sendTogether(client: ClientBase, queries: readonly NamedQuery[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Statements(queries, (error, answers = []) => {
        if (error === null) resolve(answers);
        else reject(error);
      }),
    );
  });
}

/** The connection of a client, with what its published type lacks. */
interface Wire extends Connection {
  /** The texts of the statements that the server has prepared, by name. The client keeps them. */
  readonly parsedStatements: Readonly<Record<string, string>>;
}

/** What the rows of a statement have. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** A row with these names. */
  readonly empty: Readonly<Record<string, null>>;
}

const no_columns: Columns = { names: [], parsers: [], empty: {} };

/** The columns of the statements that are prepared on a connection, by name. */
const known_columns = new WeakMap<Connection, Map<string, Columns>>();

/**
 * Statements in the place of a query of the client. The answers arrive in their order; the client
 * calls the methods and reads `name` and `text`.
 */
class Statements implements Submittable {
  /** The client puts its own in front, which ends its time-out. */
  callback: (error: Error | null, answers?: Answer[]) => void;
  readonly #queries: readonly NamedQuery[];
  readonly #answers: Answer[] = [];
  /** Those of the statement whose answer is arriving. */
  #rows: unknown[] = [];
  #columns: Columns = no_columns;
  #known = new Map<string, Columns>();
  #error: Error | null = null;

  constructor(queries: readonly NamedQuery[], callback: Statements['callback']) {
    this.#queries = queries;
    this.callback = callback;
  }

  get name(): string | undefined {
    return this.#queries[this.#answers.length]?.name;
  }

  get text(): string | undefined {
    return this.#queries[this.#answers.length]?.text;
  }

  submit(connection: Connection): void {
    const { stream, parsedStatements } = connection as Wire;
    const known = known_columns.get(connection) ?? new Map<string, Columns>();
    known_columns.set(connection, known);
    this.#known = known;
    const encoded = this.#queries.map(({ values = [] }) => values.map(encode));
    const sent = new Set<string>();
    stream.cork();
    for (const [at, { name = '', text, copied }] of this.#queries.entries()) {
      if (parsedStatements[name] !== text && !sent.has(name)) connection.parse({ name, text, types: [] }, true);
      if (name !== '') sent.add(name);
      connection.bind({ portal: '', statement: name, values: encoded[at]! }, true);
      if (!known.has(name)) connection.describe({ type: 'P', name: '' }, true);
      connection.execute(null, true);
      // The server reads it behind the statement, without having asked.
      if (copied !== undefined) stream.write(copied);
    }
    connection.sync();
    stream.uncork();
    this.#begin();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const { name, types } = this.#queries[this.#answers.length]!;
    const names = fields.map((field) => field.name);
    this.#columns = {
      names,
      parsers: fields.map(({ dataTypeID }) => types!.getTypeParser(dataTypeID)),
      empty: Object.fromEntries(names.map((column) => [column, null])),
    };
    if (name !== undefined) this.#known.set(name, this.#columns);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, empty } = this.#columns;
    const row: Record<string, unknown> = { ...empty };
    try {
      for (const [at, field] of fields.entries()) if (field !== null) row[names[at]!] = parsers[at]!(field);
    } catch (error) {
      this.#error ??= error as Error;
    }
    this.#rows.push(row);
  }

  /** The rows of a COPY are already sent. */
  handleCopyInResponse(): void {}

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.name !== undefined && !this.#known.has(this.name)) this.#known.set(this.name, no_columns);
    this.#answers.push({ command: text.split(' ', 1)[0]!, rows: this.#rows });
    this.#begin();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    for (const { copied } of this.#queries) if (copied !== undefined) releaseCopied(copied);
    this.callback(this.#error, this.#answers);
  }

  #begin(): void {
    this.#rows = [];
    this.#columns = this.#known.get(this.name ?? '') ?? no_columns;
  }
}

/** A value as Postgres reads it: text, or bytes. */
function encode(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value) ? `{${value.map(encodeItem).join(',')}}` : String(value);
}

function encodeItem(item: unknown): string {
  if (typeof item === 'number') return String(item);
  if (item instanceof Uint8Array)
    return `"\\\\x${Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('hex')}"`;
  return item === null ? 'null' : `"${String(item).replace(/["\\]/g, '\\$&')}"`;
}
