import { type FourEyes, isName, maskCardNumbers, type RequestFields } from '@tallystick/kernel';

/** A client of the service. */
export interface Company {
  readonly id: number;
  readonly name: string;
  /** The bank's number of this client. Template acknowledgements show it. */
  readonly customer_number: string;
  /**
   * Whether mails about its cards contain number and code, beside the link that shows them once.
   */
  readonly full_details_in_mail: boolean;
  /**
   * After how many days a hold without a clearing ends, 1 to 365, on its cards without aging
   * velocity. Null: the default of the service.
   */
  readonly hold_days: HoldDays | null;
  /** While it is closed, its keys are refused and its cards decline (K). */
  readonly status: CompanyStatus;
  /** Requests per minute of all its keys together, 1 to 1,000,000. Null: no limit. */
  readonly rate_limit_per_minute: number | null;
  /** Which acts in its reconciliation need a second person. Null: none. */
  readonly four_eyes: FourEyes | null;
  /**
   * Rises with each change of its decision endpoint. Negative, or 0 when it never had one: it has none
   * that is active, and is not asked before a request on its cards is approved.
   */
  readonly endpoint_version: number;
  readonly created_at_ms: number;
}

export const company_statuses = ['active', 'closed'] as const;

export type CompanyStatus = (typeof company_statuses)[number];

/** A number of days, or no end. */
export type HoldDays = number | 'never';

export const hold_days_max = 365;
export const company_name_length_max = 255;
export const customer_number_length_max = 64;
/** Requests per minute, of a key or of a company. */
export const rate_limit_max = 1_000_000;

/**
 * Reads a required name that a person chooses, without the blanks around it. It has 1 to
 * `length_max` characters (code points). All are printable, and not all are blank. Card numbers in
 * it are masked.
 */
export function readName(fields: RequestFields, length_max: number): string | null {
  const name = readPrintable(fields, 'name', length_max);
  return name === null ? null : maskCardNumbers(name);
}

/**
 * Reads a required number or key of another system, as it was sent but for the blanks around it.
 */
export function readPrintable(fields: RequestFields, path: string, length_max: number): string | null {
  fields.require(path);
  const rule = (text: string) => isName(text, length_max);
  const expected = `text of 1 to ${length_max} printable characters, not all of them blank`;
  return fields.readText(path, rule, expected)?.trim() ?? null;
}
