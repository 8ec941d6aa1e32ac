/**
 * Advisory locks of Postgres belong to a database, so two installations in two schemas of one
 * database would share them. These keys depend on the schema that the connection works in.
 *
 * The schema is read from the connection: within the transaction of a host it is set only for the
 * transaction, and every process that works on the same tables has the same keys.
 */

/** The SQL expression of an `integer` that distinguishes the schema; 0 for `public`. */
export const schema_number = schemaNumber('current_schema()');

/**
 * Distinguishes a schema that may not exist yet. The expression is a text, null for the present
 * schema.
 */
export function schemaNumber(schema: string): string {
  return `coalesce(hashtext(nullif(${schema}::text, 'public')), 0)`;
}

/** The SQL expression of the `bigint` key of a lock. The number is from 0 to 2^53. */
export function lockKey(number: number, schema = schema_number): string {
  return `(${number}::bigint # (${schema}::bigint << 32))`;
}

/** The SQL expression of the `integer` class of locks with two keys. The number is below 2^31. */
export function lockClass(number: number): string {
  return `(${number} # ${schema_number})`;
}

/**
 * The advisory lock on Postgres that every transaction holds, shared, from before it draws ids of
 * events to its end (`event-index/event-writers.ts`). Any number below 2^31, the same in all
 * processes.
 */
export const event_writers_lock = 1_855_131_731;
