import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';

/** What is used of a client of `pg`, from `pool.connect()` or `new Client()`. */
export interface PgClient {
  query(config: {
    readonly text: string;
    readonly values: unknown[];
    readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
  }): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null; readonly command?: string }>;
}

/**
 * The transaction that is open on a client of `pg`: the host has sent `begin` and will send `commit`
 * or `rollback`. Type parsers of the host have no effect on what is read here.
 */
export function fromPg(client: PgClient): HostTransaction {
  if (typeof (client as Partial<PgClient> | null)?.query !== 'function') {
    throw new UnusableTransaction('fromPg takes a client of pg, from pool.connect() or new Client()');
  }
  return {
    dialect: 'postgres',
    handle: client,
    async execute({ text, values }) {
      const { rows, rowCount } = await client.query({ text, values: [...values], types });
      return { rows: rows as readonly Readonly<Record<string, unknown>>[], changes: rowCount ?? 0 };
    },
  };
}

const types = { getTypeParser };

const bool = 16;
const bytea = 17;
const int8 = 20;
const int2 = 21;
const int4 = 23;
const oid = 26;
const float4 = 700;
const float8 = 701;
const numbers: ReadonlySet<number> = new Set([int8, int2, int4, oid, float4, float8]);

function getTypeParser(type: number): (text: string) => unknown {
  if (numbers.has(type)) return Number;
  if (type === bool) return (text) => text === 't';
  if (type === bytea) return (text) => Buffer.from(text.slice(2), 'hex');
  return (text) => text;
}
