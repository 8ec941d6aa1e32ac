import { account_kinds, account_name_length_max, card_account_prefix } from '@tallystick/accounts';
import * as z from 'zod';
import {
  account_number,
  created_at,
  currency,
  date,
  id_either,
  id_number,
  nameText,
  resource_url,
  resourceType,
  shown_amount,
  text_or_null,
  written_account_number,
} from '../fields.ts';

/** `POST /bank/v1/accounts`. */
export const create_account = z
  .object({
    data: z.object({
      company_id: id_either.describe('The company that holds the account'),
      number: written_account_number.describe(
        'By which statements name the account. Blanks, points, hyphens and slashes are left out, and an IBAN is ' +
          'written in capitals: what remains is the AccountId. No other account has it. Of a card account it begins ' +
          `with ${card_account_prefix}`,
      ),
      currency: currency.describe('The currency of its balance and its lines, ISO 4217'),
      kind: z.enum(account_kinds).describe('`deposit`, or `card`: an account that card purchases are booked on'),
      name: nameText(account_name_length_max).nullish().describe('What people call the account; null: none'),
    }),
  })
  .meta({
    id: 'CreateAccount',
    description: 'A new account',
    examples: [{ data: { company_id: 1, number: '1000000002', currency: 'USD', kind: 'deposit', name: 'Travel' } }],
  });

const statement_end = z
  .object({
    as_of: date.describe('The date of the statement, YYYY-MM-DD'),
    balance: shown_amount.describe('Minor units of the currency of the account; a debt is negative'),
  })
  .meta({ id: 'StatementEnd', description: 'The balance at an end of a statement' });

export const account = z
  .object({
    id: account_number.describe('The number of the account: its AccountId'),
    company_id: id_number.describe('The company that holds the account'),
    number: account_number.describe('Its number, by which statements and Open Banking name it'),
    currency: currency.describe('The currency of its balance and its lines, ISO 4217'),
    kind: z.enum(account_kinds).describe('`deposit`, or `card`: an account that card purchases are booked on'),
    name: text_or_null.describe('What people call the account; null: none'),
    first_statement: statement_end
      .nullable()
      .describe('The date and the opening balance of its first statement; null: it has none'),
    last_statement: statement_end
      .nullable()
      .describe('The date and the closing balance of its last statement; null: it has none'),
    created_at,
    type: resourceType('account'),
    url: resource_url,
  })
  .meta({ id: 'Account', description: 'An account of a company at the bank' });
