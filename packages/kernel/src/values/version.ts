import type { Call } from '../transactions/unit-of-work.ts';
import { afterId, cursor, type Page, type PageRequest } from './page.ts';

/**
 * A numbered state of something that has changed since. The present state has no such row: it is
 * the thing itself, whose number is the next one. Numbers begin at 1.
 */
export interface EndedVersion<State> {
  readonly version: number;
  readonly state: State;
  readonly ended_at_ms: number;
  /** Who ended it: the actor of the audit log. */
  readonly ended_by: string;
  readonly request_id: string | null;
}

/** Returns the version that the call ends. */
export function endVersion<State>(
  version: number,
  state: State,
  { now_ms, actor, request_id }: Pick<Call, 'now_ms' | 'actor' | 'request_id'>,
): EndedVersion<State> {
  return { version, state, ended_at_ms: now_ms, ended_by: actor, request_id };
}

/** A field that differs between two states. */
export interface FieldChange {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the fields that differ between two states, in the order of their names in `after`. */
function changesBetween<State extends object>(before: State, after: State): readonly FieldChange[] {
  const old = before as Readonly<Record<string, unknown>>;
  return Object.entries(after)
    .map(([name, value]) => ({ name, before: old[name] ?? null, after: value ?? null }))
    .filter((change) => !isSameJson(change.before, change.after));
}

/** Whether two JSON values are equal, in any order of names. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A version as it is shown, with how it came to be. */
export interface Version<State> {
  readonly version: number;
  readonly state: State;
  /** Null: it is no longer known. */
  readonly began_at_ms: number | null;
  /** Who made it by a change. Null: it is the first one, or no longer known. */
  readonly began_by: string | null;
  readonly request_id: string | null;
  /** Null: it is the present one. */
  readonly ended_at_ms: number | null;
  /** What differs from the version before it. Null: there is none, or it is no longer known. */
  readonly changes: readonly FieldChange[] | null;
}

/** The present version, and when the first one began. */
export interface PresentVersion<State> {
  readonly version: number;
  readonly state: State;
  readonly created_at_ms: number;
}

/**
 * Returns a page of the versions of something, the newest first. `endedBelow` returns up to `limit`
 * ended versions with smaller numbers, the newest first.
 */
export async function pageOfVersions<State extends object>(
  list: string,
  present: PresentVersion<State>,
  page: PageRequest,
  endedBelow: (version: number, limit: number) => Promise<readonly EndedVersion<State>[]>,
): Promise<Page<Version<State>>> {
  const first = (afterId(list, page) ?? present.version + 1) - 1 - (page.offset ?? 0);
  const ended = first < 1 ? [] : await endedBelow(first + 1, page.limit + 1);
  const rows = first === present.version ? [null, ...ended] : ended;
  const items = rows.slice(0, page.limit).map((row, at) => describe(present, row, rows[at + 1] ?? null));
  const last = rows.length > page.limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : cursor(list, last.version) };
}

function describe<State extends object>(
  present: PresentVersion<State>,
  ended: EndedVersion<State> | null,
  before: EndedVersion<State> | null,
): Version<State> {
  const { version, state } = ended ?? present;
  return {
    version,
    state,
    began_at_ms: version === 1 ? present.created_at_ms : (before?.ended_at_ms ?? null),
    began_by: before?.ended_by ?? null,
    request_id: before?.request_id ?? null,
    ended_at_ms: ended?.ended_at_ms ?? null,
    changes: before === null ? null : changesBetween(before.state, state),
  };
}
