import type { OperatorCall } from '@tallystick/access';
import type { Network } from '@tallystick/cards';
import type { ImportPorts } from '@tallystick/imports';
import { type Clock, type Page, type PageRequest, page_limit_max, type UrlPolicy } from '@tallystick/kernel';
import type { Persistence } from '@tallystick/mikro-orm';
import type { KeyRing, Vault } from '@tallystick/vault';
import type { Config } from '../configuration/config.ts';

/** The words of the command line are invalid: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The services that a command may use, opened on first use. */
export interface AdminServices {
  config(): Config;
  keyRing(): KeyRing;
  vault(): Vault;
  clock(): Clock;
  urlPolicy(): UrlPolicy;
  /** On the database of `persistence`. */
  importPorts(): Promise<ImportPorts>;
  /** On the database of `persistence`. */
  network(): Promise<Network>;
  /** Migrated. Throws an error with a sentence for the operator if it cannot be opened. */
  persistence(): Promise<Persistence>;
  /** Reads a line of standard input that is not shown. */
  readSecret(question: string): Promise<string>;
  /** Shows a line on standard error while the command runs. */
  report(line: string): void;
  /** Shows a line about progress, at most every five seconds. */
  reportProgress(line: () => string): void;
}

export interface ParsedWords {
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  /** The one word that is not an option; empty if the command takes none. */
  readonly argument: string;
}

export interface Command {
  /** Its words on the command line: `key create`. */
  readonly name: string;
  readonly summary: string;
  /** The name of the one word that it takes in addition to options. */
  readonly argument?: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  /**
   * It may be the first command on a new database. The others refuse a SQLite file that does not
   * exist, because its path may be misspelt.
   */
  readonly may_create_database?: boolean;
  /**
   * `data` is for `--json`, `text` for people. `status` is the exit status; 0 when absent.
   */
  run(
    services: AdminServices,
    given: ParsedWords,
  ): Promise<{ readonly data: unknown; readonly text: string; readonly status?: number }>;
}

/** The caller and the time, for the audit log. */
export function call(services: AdminServices): OperatorCall {
  return { actor: 'command', request_id: null, now_ms: services.clock().nowMs() };
}

/** Reads a list page after page: all of its items, or the first `count`. */
export async function readItems<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
  count = Number.POSITIVE_INFINITY,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let after: string | null | undefined;
  while (items.length < count && after !== null) {
    const limit = Math.min(page_limit_max, count - items.length);
    const page = await read({ limit, ...(after === undefined ? {} : { after }) });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

/** The filter of a list by `--company`; it matches everything without the option. */
export function companyFilter(given: ParsedWords): { readonly company_id?: number } {
  const company_id = readOptionalId(given, 'company');
  return company_id === undefined ? {} : { company_id };
}

/** The values of options, by name. Throws a `UsageError` that names every missing one. */
export function requireOptions<Option extends string>(
  given: ParsedWords,
  ...options: readonly Option[]
): Readonly<Record<Option, string>> {
  const missing = options.filter((option) => !given.values.has(option)).map((option) => `--${option}`);
  const last = missing.pop();
  if (last !== undefined) {
    throw new UsageError(missing.length === 0 ? `${last} is missing` : `${missing.join(', ')} and ${last} are missing`);
  }
  return Object.fromEntries(options.map((option) => [option, given.values.get(option)])) as Record<Option, string>;
}

/** Throws a `UsageError` if the option is missing. */
export function requireOption(given: ParsedWords, option: string): string {
  return requireOptions(given, option)[option]!;
}

/** Throws a `UsageError` when no option states a change. */
export function requireChange(change: object): void {
  if (Object.keys(change).length === 0) {
    throw new UsageError('at least one option is required: it says what to change');
  }
}

/** The value of an option as an id; undefined if it is missing. */
export function readOptionalId(given: ParsedWords, option: string): number | undefined {
  const value = given.values.get(option);
  return value === undefined ? undefined : idOf(`--${option}`, value);
}

/**
 * The value of an option that is one of these; undefined if it is missing. Throws a `UsageError` for
 * any other.
 */
export function readChoice<Choice extends string>(
  { values }: ParsedWords,
  option: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = values.get(option);
  const choice = choices.find((one) => one === text);
  if (text === undefined || choice !== undefined) return choice;
  const known = choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`;
  throw new UsageError(`--${option} ${text} must be ${known}`);
}

/** Reads an id. The message of a `UsageError` names it by `what`. */
export function idOf(what: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${what} is "${text}"; it must be a positive integer`);
  return Number(text);
}
