import {
  authorization_filters,
  authorizationItem,
  decided_as,
  merchant_prefix_length_min,
  parseAuthorizationSearch,
  readAuthorization,
  searchAuthorizations,
} from '@tallystick/cards';
import { type FilterName, indexed_text_max } from '@tallystick/events';
import * as z from 'zod';
import { pageByCursor, type Query, readCompanyFilter, readFilters } from '../call/query.ts';
import { event_filter } from '../events/shapes.ts';
import { filter_id } from '../fields.ts';
import { authorization_item, decline_code } from '../network/shapes.ts';
import { companyCall, type Operation, type OperationTx, operation, present } from '../operation.ts';

/** The shape of the filter of events with the same values. */
function valuesOf(name: FilterName): z.ZodType {
  const shape = event_filter.shape[name] as z.ZodOptional<z.ZodType>;
  return shape.unwrap();
}

const authorization_filter = z
  .object({
    status: authorization_item.shape.status.describe(
      'Only authorizations that have this status now. A message about another one (an increment, a reversal, an advice of a decision) has no status of its own, and is found by `declined` alone',
    ),
    decision: z
      .enum(Object.keys(decided_as) as (keyof typeof decided_as)[])
      .describe('Only authorizations that were approved (or recorded), or only declined ones'),
    ...(Object.fromEntries(
      Object.entries(authorization_filters).map(([name, of]) => [
        name,
        valuesOf(of).describe(`Only authorizations with this \`${name}\``),
      ]),
    ) as Record<keyof typeof authorization_filters, z.ZodType>),
    merchant_name: valuesOf(authorization_filters.merchant_name).describe(
      'Only authorizations with exactly this `merchant_name`, as the network sent it: case, accents and spaces count, and no part of a name is found but by `merchant_name_prefix`. `merchant_id` finds a merchant whatever its name',
    ),
    merchant_name_prefix: z
      .string()
      .min(merchant_prefix_length_min)
      .max(indexed_text_max)
      .describe('Only authorizations whose `merchant_name` begins with this text; case, accents and spaces count'),
    decline_reason: decline_code.describe('Only authorizations that were declined for this reason'),
    vcn_id: filter_id.describe('Only authorizations of this card'),
    decided_at: valuesOf('created_at').describe('Only authorizations that were decided at this time, or `[from,to]`'),
  })
  .partial()
  .describe('Several filters are ANDed. A range is `[from,to]` with both ends included. Either end may be empty.');

const operator_filter = authorization_filter
  .extend({ company_id: filter_id.describe('Only authorizations of this company') })
  .partial();

const description =
  'Every message about a card is an authorization, as in the list of the card. Amounts and times may be a range `[from,to]`. `decided_at` is the time of the decision by the clock of the service, and the order of the list. A page may have fewer authorizations than its limit, or none, while `next` leads on: `status=open`, and a later status together with other filters, are compared with a bounded number of authorizations for each page. An authorization that retention has reduced is not found, as in the list of its card. After retention has removed its event it is found by `status` alone, and in the list of its card.';

/** Searches for authorizations across cards. */
export function authorizationOperations(): readonly Operation[] {
  return [
    operation('virtualcards', {
      id: 'authorizations.list',
      summary: 'Search the authorizations of all cards of the company, newest first',
      description,
      query: { paged: true, filter: authorization_filter },
      answer: z.array(authorization_item),
      read: (tx, call) => search(tx, companyCall(call).company_id, call.query),
    }),
    operation('virtualcards', {
      id: 'authorizations.read',
      summary: 'Read an authorization of any card of the company',
      parameters: ['authorization_id'],
      answer: authorization_item,
      async read(tx, call) {
        const found = await readAuthorization(tx, companyCall(call).company_id, call.authorization_id);
        return authorizationItem(found.authorization, found.card);
      },
    }),
    operation('oversight', {
      id: 'operator.authorizations.list',
      summary: 'Search the authorizations of all companies, newest first',
      description: `${description} Without \`company_id\`, amounts, times and every status that is given later are compared so, too, unless \`vcn_id\` says the company.`,
      query: { paged: true, filter: operator_filter },
      answer: z.array(authorization_item),
      read: (tx, { query }) => search(tx, readCompanyFilter(query), query),
    }),
  ];
}

async function search(tx: OperationTx, company_id: number | null, query: Query) {
  const wanted = readFilters(query, parseAuthorizationSearch);
  const page = await searchAuthorizations(tx, company_id, wanted, pageByCursor(query));
  return present(page, ({ authorization, card }) => authorizationItem(authorization, card));
}
