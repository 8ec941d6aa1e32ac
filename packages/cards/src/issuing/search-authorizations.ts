import { type EventFilter, type FilterName, indexed_text_max, readEventFilter } from '@tallystick/events';
import { type FieldError, invalidQuery, isStorable, type Page, type PageRequest, Refusal } from '@tallystick/kernel';
import { type AuthorizationStatus, authorization_statuses, decline_codes } from '../records/authorization.ts';
import type { AuthorizationSearch, CardsTx, FoundAuthorization } from './ports.ts';

/** The filters of a search by name, with the filters of events that they are. */
export const authorization_filters = {
  vcn_id: 'payload.vcn_id',
  merchant_name: 'payload.merchant_name',
  merchant_id: 'payload.merchant_id',
  billing_amount: 'payload.billing_amount',
  merchant_amount: 'payload.merchant_amount',
  mcc: 'payload.mcc',
  approval_code: 'payload.approval_code',
  net_reference_number: 'payload.net_ref_num',
  transaction_date_time: 'payload.transaction_date_time',
  decided_at: 'created_at',
  decline_reason: 'payload.decline_reason',
} as const satisfies Readonly<Record<string, FilterName>>;

/** The fewest characters with which the search by the beginning of a `merchant_name` works. */
export const merchant_prefix_length_min = 3;

/**
 * What a message was decided to be. A declined one stays declined, and no other becomes it. The
 * status of the others in their event is open or reversed.
 */
export const decided_as = {
  declined: { name: 'payload.status', kind: 'equals', value: 'declined' },
  approved: { name: 'payload.status', kind: 'range', from: 'open', to: 'reversed' },
} as const satisfies Readonly<Record<string, EventFilter>>;

/** The fixed values of the filters that have them. */
const choices: Readonly<Record<string, readonly string[]>> = {
  status: authorization_statuses,
  decision: Object.keys(decided_as),
  decline_reason: decline_codes,
};

/**
 * Reads the filters of a search, which the caller writes as the fields of an item. Refuses
 * (`invalid_query`) all values at once that no message can have. Leaves out other filters.
 */
export function parseAuthorizationSearch(query: ReadonlyMap<string, string>): AuthorizationSearch {
  const filters: EventFilter[] = [];
  const errors: FieldError[] = [];
  let status: AuthorizationStatus | undefined;
  for (const [name, text] of query) {
    const values = choices[name];
    if (values !== undefined && !values.includes(text)) {
      errors.push({ path: name, message: `must be one of ${values.join(', ')}` });
    } else if (name === 'status') status = text as AuthorizationStatus;
    else if (name === 'decision') filters.push(decided_as[text as keyof typeof decided_as]);
    else if (name === 'merchant_name_prefix') {
      if (isPrefix(text)) filters.push(merchantBegins(text));
      else
        errors.push({
          path: name,
          message: `must be text of ${merchant_prefix_length_min} to ${indexed_text_max} characters`,
        });
    } else if (Object.hasOwn(authorization_filters, name)) {
      const read = readEventFilter(authorization_filters[name as keyof typeof authorization_filters], text);
      if (typeof read === 'string') errors.push({ path: name, message: read });
      else if (read !== null) filters.push(read);
    }
  }
  if (errors.length > 0) throw invalidQuery(...errors);
  return { filters, ...(status === undefined ? {} : { status }) };
}

function isPrefix(text: string): boolean {
  return text.length >= merchant_prefix_length_min && text.length <= indexed_text_max && isStorable(text);
}

/** Names sort by code point, so that those with one beginning lie between it and its last extension. */
export function merchantBegins(text: string): EventFilter {
  return { name: authorization_filters.merchant_name, kind: 'range', from: text, to: `${text}\u{10ffff}` };
}

/**
 * Finds messages about the cards of a company, newest first; for null, of all companies. A message
 * is found by its event, so not after the event was removed, and not after it was reduced. A page
 * may have fewer messages than its limit, or none, and still a next one.
 */
export async function searchAuthorizations(
  tx: { readonly cards: Pick<CardsTx['cards'], 'find' | 'searchAuthorizations'> },
  company_id: number | null,
  search: AuthorizationSearch,
  page: PageRequest,
): Promise<Page<FoundAuthorization>> {
  if (isContradictory(search)) return { items: [], next: null };
  const of_card = search.filters.find(({ name }) => name === authorization_filters.vcn_id);
  if (company_id !== null || of_card?.kind !== 'equals') {
    return await tx.cards.searchAuthorizations(company_id, search, page);
  }
  const card = await tx.cards.find(null, Number(of_card.value));
  if (card === null) return { items: [], next: null };
  return await tx.cards.searchAuthorizations(card.company_id, search, page);
}

/** Whether a message must be declined and not declined. Only a declined one has a reason. */
function isContradictory({ status, filters }: AuthorizationSearch): boolean {
  const is_declined =
    status === 'declined' ||
    filters.some((filter) => filter === decided_as.declined || filter.name === authorization_filters.decline_reason);
  const is_approved = (status ?? 'declined') !== 'declined' || filters.includes(decided_as.approved);
  return is_declined && is_approved;
}

/**
 * Returns a message about any card of the company. Refuses (`not_found`) an unknown one, and one
 * that retention has reduced.
 */
export async function readAuthorization(
  tx: { readonly cards: Pick<CardsTx['cards'], 'find' | 'findAuthorization'> },
  company_id: number,
  id: number,
): Promise<FoundAuthorization> {
  const authorization = await tx.cards.findAuthorization(company_id, id);
  const is_kept = authorization !== null && authorization.reduced_at_ms === null;
  const card = is_kept ? await tx.cards.find(company_id, authorization.card_id) : null;
  if (!is_kept || card === null) throw new Refusal('not_found', `there is no authorization ${id}`);
  return { authorization, card };
}
