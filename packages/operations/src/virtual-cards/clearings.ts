import { clearingItem, searchClearings } from '@tallystick/cards';
import * as z from 'zod';
import { pageByCursor, readIdFilter, renamed, withoutAbsent } from '../call/query.ts';
import { filter_id } from '../fields.ts';
import { clearing_item } from '../network/shapes.ts';
import { companyCall, type Operation, operation, present } from '../operation.ts';

const clearing_filter = z
  .object({
    id: filter_id.describe('Only the clearing with this id'),
    network_financial_transaction_id: z.string().min(1).describe('Only the clearing with this id in the network'),
    authorization_id: filter_id.describe('Only clearings that belong to this authorization'),
  })
  .partial()
  .describe('Several filters are ANDed. One is required.');

/** Finds clearings across cards. */
export function clearingOperations(): readonly Operation[] {
  return [
    operation('virtualcards', {
      id: 'clearings.list',
      summary: 'Find clearings of all cards of the company, newest first',
      description: 'By what names them: one filter is required. The list of a card has all its clearings.',
      query: { paged: true, filter: clearing_filter },
      answer: z.array(clearing_item),
      async read(tx, call) {
        const { query } = call;
        const search = withoutAbsent({
          id: readIdFilter(query, 'id', 'a clearing'),
          authorization_id: readIdFilter(query, 'authorization_id', 'an authorization'),
          network_financial_transaction_id: query.filters.get('network_financial_transaction_id'),
        });
        try {
          const page = await searchClearings(tx, companyCall(call).company_id, search, pageByCursor(query));
          return present(page, ({ clearing, card }) => clearingItem(clearing, card));
        } catch (error) {
          throw renamed(error, (path) => (path === 'id' ? query.names.filter(path) : path));
        }
      },
    }),
  ];
}
