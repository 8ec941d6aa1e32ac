import {
  account_types,
  bank_user_statuses,
  deposit_sub_types,
  direct_debit_statuses,
  profile_statuses,
  scheduled_payment_statuses,
  scheduled_types,
  standing_order_statuses,
  third_party_services,
  viewable_accounts_max,
} from '@tallystick/accounts';
import { amount_max, sum_max } from '@tallystick/kernel';
import * as z from 'zod';
import {
  account_number,
  amount,
  currency,
  date,
  id_either,
  id_number,
  id_text,
  instant,
  nameText,
  resource_url,
  resourceType,
  shown_amount,
  shown_instant,
  shown_mcc,
  text_or_null,
  type_names,
  updated_at,
  user_id,
} from '../fields.ts';

const service = z
  .enum(third_party_services)
  .describe('`aisp`: account information. `cbpii`: confirmation of funds')
  .register(type_names, { id: 'OpenBankingService' });
const services = z.array(service).max(third_party_services.length);
const eligible_of_user = 'The services of third parties that the bank allows the user';
const configured_of_user = 'Those of them that are set up for the user. A service needs both';
const eligible_of_company = 'The services of third parties that the bank allows the company';
const company_is_configured =
  'Whether the company is set up for API services. Without it no third party reads anything';

const user_status = z
  .enum(bank_user_statuses)
  .describe('Only `active` allows a login')
  .register(type_names, { id: 'BankUserStatus' });

/** `PUT /bank/v1/users/:user_id`, for the document. The domain checks it. */
export const put_user = z
  .object({
    data: z.object({
      company_id: id_either
        .optional()
        .describe('A user never changes the company. Required unless the key serves one company'),
      name: nameText(255).describe('The name of the user'),
      status: user_status,
      eligible_services: services.nullish().describe(`${eligible_of_user}; null: none`),
      configured_services: services.nullish().describe(`${configured_of_user}; null: none`),
      may_view_direct_debits: z
        .boolean()
        .nullish()
        .describe('Whether the user may view direct debit mandates, and so a third party for the user; null: false'),
      viewable_accounts: z
        .array(account_number)
        .max(viewable_accounts_max)
        .nullish()
        .describe('The accounts of the company that the user may view, by their numbers; null: none'),
    }),
  })
  .meta({
    id: 'PutUser',
    description: 'A user of the bank',
    examples: [
      {
        data: {
          company_id: 1,
          name: 'Alex Carter',
          status: 'active',
          eligible_services: ['aisp'],
          configured_services: ['aisp'],
          may_view_direct_debits: true,
          viewable_accounts: ['1000000001'],
        },
      },
    ],
  })
  .register(type_names, { id: 'PutBankUser' });

export const user = z
  .object({
    id: user_id.describe("The bank's own id of the user"),
    company_id: id_number.describe('The company of the user'),
    name: z.string().describe('The name of the user'),
    status: user_status,
    eligible_services: services.readonly().describe(eligible_of_user),
    configured_services: services.readonly().describe(configured_of_user),
    may_view_direct_debits: z
      .boolean()
      .describe('Whether the user may view direct debit mandates, and so a third party for the user'),
    viewable_accounts: z
      .array(account_number)
      .readonly()
      .describe('The accounts that the user may view, by their numbers'),
    updated_at,
    type: resourceType('user'),
    url: resource_url,
  })
  .meta({ id: 'User', description: 'A user of the bank' })
  .register(type_names, { id: 'BankUser' });

/** `PUT /bank/v1/companies/:id/open-banking`, for the document. The domain checks it. */
export const put_company = z
  .object({
    data: z.object({
      eligible_services: services.describe(eligible_of_company),
      is_configured: z.boolean().describe(company_is_configured),
    }),
  })
  .meta({
    id: 'PutCompanyOpenBanking',
    description: 'What the bank allows a company in Open Banking',
    examples: [{ data: { eligible_services: ['aisp', 'cbpii'], is_configured: true } }],
  });

export const company = z
  .object({
    id: id_text.describe('The company'),
    is_active: z.boolean().describe('False: the company is closed'),
    eligible_services: services.readonly().describe(eligible_of_company),
    is_configured: z.boolean().describe(company_is_configured),
    type: resourceType('open_banking'),
    url: resource_url,
  })
  .meta({ id: 'CompanyOpenBanking', description: 'What the bank allows a company in Open Banking' });

const scheme = z.string().regex(/^[A-Za-z0-9._-]{1,40}$/);
const account_type = z.enum(account_types).describe('Whose account it is, as third parties see it');
const deposit_sub_type = z
  .enum(deposit_sub_types)
  .describe('The kind of a deposit account, as third parties see it. A card account is always a `ChargeCard`');
const profile_status = z.enum(profile_statuses).describe('The state of the account, as third parties see it');

/** `PUT /bank/v1/accounts/:number/profile`, for the document. The domain checks it. */
export const put_profile = z
  .object({
    data: z.object({
      scheme_name: scheme
        .nullish()
        .describe(
          'How `identification` is to be read, such as `UK.OBIE.IBAN`. Together with `identification`; null: the number of the account',
        ),
      identification: nameText(256)
        .nullish()
        .describe(
          'By which third parties and payers name the account; null: its number. Of no other account, neither in its profile nor as its number. In the scheme `Tallystick.AccountNumber` ' +
            'the number of the account. Of a card number (`UK.OBIE.PAN`) only the last four digits are kept',
        ),
      secondary_identification: nameText(34)
        .nullish()
        .describe('A further identification that the scheme may have, such as a roll number; null: none'),
      holder_name: nameText(350).nullish().describe('The holder, as third parties see it; null: it is not shown'),
      nickname: nameText(70).nullish().describe('What the holder calls the account; null: the name of the account'),
      description: nameText(35).nullish().describe('What kind of account it is, in words; null: none'),
      account_type: account_type.nullish().describe('Whose account it is, as third parties see it; null: `Business`'),
      deposit_sub_type: deposit_sub_type
        .nullish()
        .describe('The kind of a deposit account, as third parties see it; null: `CurrentAccount`'),
      opened_on: date.nullish().describe('The date on which it was opened, YYYY-MM-DD; null: not known'),
      status: profile_status.nullish().describe('The state of the account, as third parties see it; null: `Enabled`'),
      status_updated_at: instant
        .nullish()
        .describe('When the status changed, ISO 8601 with an offset; null: now, if it changes'),
      servicer_scheme_name: scheme
        .nullish()
        .describe('How `servicer_identification` is to be read, such as `UK.OBIE.BICFI`. Together with it; null: none'),
      servicer_identification: nameText(35)
        .nullish()
        .describe('The bank that keeps the account, in its scheme; null: none'),
    }),
  })
  .meta({
    id: 'PutAccountProfile',
    description: 'How third parties see an account',
    examples: [
      {
        data: {
          scheme_name: 'UK.OBIE.SortCodeAccountNumber',
          identification: '20000010000001',
          holder_name: 'Northwind Traders',
          nickname: 'Operations',
          opened_on: '2019-04-01',
        },
      },
    ],
  });

export const profile = z
  .object({
    id: account_number,
    scheme_name: text_or_null.describe(
      'How `identification` is to be read, such as `UK.OBIE.IBAN`; null: the number of the account',
    ),
    identification: text_or_null.describe(
      'By which third parties and payers name the account; null: the number of the account',
    ),
    secondary_identification: text_or_null.describe(
      'A further identification that the scheme may have, such as a roll number; null: none',
    ),
    holder_name: text_or_null.describe('The holder, as third parties see it; null: it is not shown'),
    nickname: text_or_null.describe('What the holder calls the account; null: the name of the account'),
    description: text_or_null.describe('What kind of account it is, in words; null: none'),
    account_type,
    deposit_sub_type,
    opened_on: date.nullable().describe('The date on which it was opened, YYYY-MM-DD; null: not known'),
    status: profile_status,
    status_updated_at: shown_instant.describe('When the status changed last, UTC'),
    servicer_scheme_name: text_or_null.describe(
      'How `servicer_identification` is to be read, such as `UK.OBIE.BICFI`; null: none',
    ),
    servicer_identification: text_or_null.describe('The bank that keeps the account, in its scheme; null: none'),
    type: resourceType('account_profile'),
    url: resource_url,
  })
  .meta({ id: 'AccountProfile', description: 'How third parties see an account' });

const sum = z.int().min(-sum_max).max(sum_max);

/** `PUT /bank/v1/accounts/:number/balance`, for the document. The domain checks it. */
export const put_balance = z
  .object({
    data: z.object({
      booked: sum.describe(
        'The sum of what is booked; minor units of the currency of the account, at most 13 digits of major units. A debt is negative',
      ),
      available: sum
        .nullish()
        .describe(
          'What can be spent, without the credit line; minor units of the same currency, at most 13 digits of major units; null: `booked`',
        ),
      credit_line: amount
        .max(amount_max)
        .nullish()
        .describe(
          'The credit line on top of `available`, together with it at most 13 digits of major units; minor units of the same currency; null: none',
        ),
      currency: currency.nullish().describe('The currency of the account, ISO 4217; null: not stated'),
      as_of: instant
        .nullish()
        .describe('When the balance was so, ISO 8601 with an offset. Not more than a day ahead; null: now'),
    }),
  })
  .meta({
    id: 'PutAccountBalance',
    description: 'A balance that the bank reports',
    examples: [{ data: { booked: 125_000, available: 120_000, credit_line: 50_000 } }],
  });

export const balance = z
  .object({
    id: account_number,
    currency: currency.describe('The currency of the account, ISO 4217'),
    booked: shown_amount.describe('The sum of what is booked; minor units of `currency`. A debt is negative'),
    available: shown_amount.describe('What can be spent, without the credit line; minor units of `currency`'),
    credit_line: shown_amount
      .nullable()
      .describe('The credit line on top of `available`; minor units of `currency`; null: none'),
    as_of: shown_instant.describe('When the balance was so, UTC'),
    type: resourceType('account_balance'),
    url: resource_url,
  })
  .meta({ id: 'AccountBalance', description: 'The balance of an account' });

const of_account = {
  account: account_number.describe('The number of its account'),
  currency: currency.describe('The currency of its account, ISO 4217'),
} as const;

export const transaction = z
  .object({
    id: z.string().describe('The TransactionId of Open Banking'),
    ...of_account,
    bank_reference: text_or_null.describe("The bank's own reference, which several transactions may have; null: none"),
    booking_date: date.describe('The date on which it was booked, YYYY-MM-DD'),
    value_date: date.describe('The date from which it counts for interest, YYYY-MM-DD'),
    amount: shown_amount.describe('Minor units of `currency`; a debit is negative'),
    bai_code: z
      .string()
      .regex(/^\d{3}$/)
      .describe('BAI code, three digits (service specification 4.6)'),
    text: z.string().describe("The bank's text about it. Card numbers in it are masked"),
    acquirer_reference: text_or_null.describe(
      'The reference by which it finds its clearing, 17 or 23 digits; null: none',
    ),
    balance_after: shown_amount
      .nullable()
      .describe('The booked balance after it; minor units of `currency`; null: not known'),
    merchant_name: text_or_null.describe('The merchant; null: not known'),
    merchant_category_code: shown_mcc.nullable().describe('Merchant category code, four digits; null: not known'),
    type: resourceType('transaction'),
  })
  .meta({ id: 'BookedTransaction', description: 'A booked transaction of an account' });

export const direct_debit = z
  .object({
    id: id_text,
    ...of_account,
    mandate_reference: z.string().describe('The reference of the mandate, unique in the account'),
    status: z.enum(direct_debit_statuses).describe('Third parties see `active` mandates only'),
    name: z.string().describe('Who collects: the creditor'),
    frequency: text_or_null.describe('How often it is collected, as the bank names it; null: not known'),
    previous_payment_on: date.nullable().describe('The date of the last collection, YYYY-MM-DD; null: there was none'),
    previous_payment_amount: shown_amount
      .nullable()
      .describe('What was collected last; minor units of `currency`; null: there was none'),
    updated_at,
    type: resourceType('direct_debit'),
  })
  .meta({ id: 'DirectDebit', description: 'A direct debit mandate of an account' });

const creditor = {
  payment_reference: text_or_null.describe('What the creditor sees of the payment; null: nothing'),
  creditor_scheme_name: z.string().describe('How `creditor_identification` is to be read, such as `UK.OBIE.IBAN`'),
  creditor_identification: z.string().describe('The account of the creditor, in its scheme'),
  creditor_name: text_or_null.describe('The name of the creditor; null: not known'),
  updated_at,
} as const;

export const standing_order = z
  .object({
    id: id_text,
    ...of_account,
    reference: z.string().describe("The bank's own reference, unique in the account"),
    status: z
      .enum(standing_order_statuses)
      .describe('Third parties see an `active` order whose next payment is not in the past'),
    frequency: z
      .string()
      .describe(
        'How often it pays, as the standard writes it: such as `EvryDay`, or `IntrvlMnthDay:01:28` (monthly on the 28th)',
      ),
    first_payment_on: date.nullable().describe('The date of the first payment, YYYY-MM-DD; null: not known'),
    first_payment_amount: shown_amount
      .nullable()
      .describe('The first payment; minor units of `currency`; null: not known'),
    next_payment_on: date.nullable().describe('The date of the next payment, YYYY-MM-DD; null: there is none'),
    next_payment_amount: shown_amount
      .nullable()
      .describe('The next payment; minor units of `currency`; null: there is none'),
    last_payment_on: date.nullable().describe('The date of the latest payment, YYYY-MM-DD; null: there was none'),
    last_payment_amount: shown_amount
      .nullable()
      .describe('The latest payment; minor units of `currency`; null: there was none'),
    final_payment_on: date
      .nullable()
      .describe('The date of the payment that ends the order, YYYY-MM-DD; null: none is set'),
    final_payment_amount: shown_amount
      .nullable()
      .describe('The payment that ends the order; minor units of `currency`; null: none is set'),
    number_of_payments: text_or_null.describe(
      'How many payments the order makes, as the bank writes it; null: not limited',
    ),
    ...creditor,
    type: resourceType('standing_order'),
  })
  .meta({ id: 'StandingOrder', description: 'A standing order of an account' });

export const scheduled_payment = z
  .object({
    id: id_text,
    ...of_account,
    reference: z.string().describe("The bank's own reference, unique in the account"),
    status: z
      .enum(scheduled_payment_statuses)
      .describe('Third parties see a `pending` payment whose date is not in the past'),
    scheduled_on: date.describe('The date of the payment, YYYY-MM-DD'),
    scheduled_type: z
      .enum(scheduled_types)
      .describe('What the date means: `Execution` by the bank, or `Arrival` at the creditor'),
    amount: shown_amount.describe('What is paid; minor units of `currency`'),
    ...creditor,
    type: resourceType('scheduled_payment'),
  })
  .meta({ id: 'ScheduledPayment', description: 'A scheduled payment of an account' });
