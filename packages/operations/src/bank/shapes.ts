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
  type ShapeOf,
  shown_amount,
  shown_instant,
  shown_mcc,
  type_names,
  user_id,
} from '../fields.ts';
import type {
  presentBalance,
  presentBankCompany,
  presentDirectDebit,
  presentProfile,
  presentScheduledPayment,
  presentStandingOrder,
  presentTransaction,
  presentUser,
} from './presenter.ts';

const service = z
  .enum(third_party_services)
  .describe('`aisp`: account information. `cbpii`: confirmation of funds')
  .register(type_names, { id: 'OpenBankingService' });
const services = z.array(service).max(third_party_services.length);

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
      name: nameText(255),
      status: user_status,
      eligible_services: services.nullish().describe('Default: none'),
      configured_services: services.nullish().describe('Default: none'),
      may_view_direct_debits: z.boolean().nullish().describe('Default false'),
      viewable_accounts: z
        .array(account_number)
        .max(viewable_accounts_max)
        .nullish()
        .describe('Numbers of accounts of the company. Default: none'),
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
    company_id: id_number,
    name: z.string(),
    status: user_status,
    eligible_services: services.readonly(),
    configured_services: services.readonly(),
    may_view_direct_debits: z.boolean(),
    viewable_accounts: z.array(account_number).readonly().describe('Numbers of accounts'),
    updated_at: shown_instant,
    type: resourceType('user'),
    url: resource_url,
  } satisfies ShapeOf<ReturnType<typeof presentUser>>)
  .meta({ id: 'User', description: 'A user of the bank' })
  .register(type_names, { id: 'BankUser' });

/** `PUT /bank/v1/companies/:id/open-banking`, for the document. The domain checks it. */
export const put_company = z
  .object({
    data: z.object({
      eligible_services: services,
      is_configured: z.boolean().describe('Whether the company is configured for API services'),
    }),
  })
  .meta({
    id: 'PutCompanyOpenBanking',
    description: 'What the bank allows a company in Open Banking',
    examples: [{ data: { eligible_services: ['aisp', 'cbpii'], is_configured: true } }],
  });

export const company = z
  .object({
    id: id_text,
    is_active: z.boolean().describe('False: the company is closed'),
    eligible_services: services.readonly(),
    is_configured: z.boolean(),
    type: resourceType('open_banking'),
    url: resource_url,
  } satisfies ShapeOf<ReturnType<typeof presentBankCompany>>)
  .meta({ id: 'CompanyOpenBanking', description: 'What the bank allows a company in Open Banking' });

const scheme = z.string().regex(/^[A-Za-z0-9._-]{1,40}$/);
const account_type = z.enum(account_types);
const deposit_sub_type = z.enum(deposit_sub_types);
const profile_status = z.enum(profile_statuses);

/** `PUT /bank/v1/accounts/:number/profile`, for the document. The domain checks it. */
export const put_profile = z
  .object({
    data: z.object({
      scheme_name: scheme.nullish().describe('Together with `identification`; absent: the number of the account'),
      identification: nameText(256)
        .nullish()
        .describe(
          'Of no other account, neither in its profile nor as its number. In the scheme `Tallystick.AccountNumber` ' +
            'the number of the account. Of a card number (`UK.OBIE.PAN`) only the last four digits are kept',
        ),
      secondary_identification: nameText(34).nullish(),
      holder_name: nameText(350).nullish(),
      nickname: nameText(70).nullish(),
      description: nameText(35).nullish(),
      account_type: account_type.nullish().describe('Default `Business`'),
      deposit_sub_type: deposit_sub_type.nullish().describe('Default `CurrentAccount`'),
      opened_on: date.nullish(),
      status: profile_status.nullish().describe('Default `Enabled`'),
      status_updated_at: instant.nullish().describe('Default: now if the status changes'),
      servicer_scheme_name: scheme.nullish().describe('Together with `servicer_identification`'),
      servicer_identification: nameText(35).nullish(),
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
    scheme_name: z.string().nullable(),
    identification: z.string().nullable(),
    secondary_identification: z.string().nullable(),
    holder_name: z.string().nullable(),
    nickname: z.string().nullable(),
    description: z.string().nullable(),
    account_type,
    deposit_sub_type,
    opened_on: date.nullable(),
    status: profile_status,
    status_updated_at: shown_instant,
    servicer_scheme_name: z.string().nullable(),
    servicer_identification: z.string().nullable(),
    type: resourceType('account_profile'),
    url: resource_url,
  } satisfies ShapeOf<ReturnType<typeof presentProfile>>)
  .meta({ id: 'AccountProfile', description: 'How third parties see an account' });

const sum = z
  .int()
  .min(-sum_max)
  .max(sum_max)
  .describe('Minor units (cents), at most 13 digits of major units; a debt is negative');

/** `PUT /bank/v1/accounts/:number/balance`, for the document. The domain checks it. */
export const put_balance = z
  .object({
    data: z.object({
      booked: sum,
      available: sum.nullish().describe('Without the credit line. Default: `booked`'),
      credit_line: amount
        .max(amount_max)
        .nullish()
        .describe('Default: none. Together with `available` at most 13 digits of major units'),
      currency: currency.nullish().describe('That of the account'),
      as_of: instant.nullish().describe('Default: now. Not more than a day ahead'),
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
    currency,
    booked: shown_amount,
    available: shown_amount,
    credit_line: shown_amount.nullable(),
    as_of: shown_instant,
    type: resourceType('account_balance'),
    url: resource_url,
  } satisfies ShapeOf<ReturnType<typeof presentBalance>>)
  .meta({ id: 'AccountBalance', description: 'The balance of an account' });

const of_account = { account: account_number, currency } as const;

export const transaction = z
  .object({
    id: z.string().describe('The TransactionId of Open Banking'),
    ...of_account,
    bank_reference: z.string().nullable(),
    booking_date: date,
    value_date: date,
    amount: shown_amount.describe('Minor units (cents); a debit is negative'),
    bai_code: z
      .string()
      .regex(/^\d{3}$/)
      .describe('BAI code, three digits (service specification 4.6)'),
    text: z.string(),
    acquirer_reference: z.string().nullable(),
    balance_after: shown_amount.nullable(),
    merchant_name: z.string().nullable(),
    merchant_category_code: shown_mcc.nullable(),
    type: resourceType('transaction'),
  } satisfies ShapeOf<ReturnType<typeof presentTransaction>>)
  .meta({ id: 'BookedTransaction', description: 'A booked transaction of an account' });

export const direct_debit = z
  .object({
    id: id_text,
    ...of_account,
    mandate_reference: z.string(),
    status: z.enum(direct_debit_statuses),
    name: z.string(),
    frequency: z.string().nullable(),
    previous_payment_on: date.nullable(),
    previous_payment_amount: shown_amount.nullable(),
    updated_at: shown_instant,
    type: resourceType('direct_debit'),
  } satisfies ShapeOf<ReturnType<typeof presentDirectDebit>>)
  .meta({ id: 'DirectDebit', description: 'A direct debit mandate of an account' });

const creditor = {
  payment_reference: z.string().nullable(),
  creditor_scheme_name: z.string(),
  creditor_identification: z.string(),
  creditor_name: z.string().nullable(),
  updated_at: shown_instant,
} as const;

export const standing_order = z
  .object({
    id: id_text,
    ...of_account,
    reference: z.string(),
    status: z.enum(standing_order_statuses),
    frequency: z.string(),
    first_payment_on: date.nullable(),
    first_payment_amount: shown_amount.nullable(),
    next_payment_on: date.nullable(),
    next_payment_amount: shown_amount.nullable(),
    last_payment_on: date.nullable(),
    last_payment_amount: shown_amount.nullable(),
    final_payment_on: date.nullable(),
    final_payment_amount: shown_amount.nullable(),
    number_of_payments: z.string().nullable(),
    ...creditor,
    type: resourceType('standing_order'),
  } satisfies ShapeOf<ReturnType<typeof presentStandingOrder>>)
  .meta({ id: 'StandingOrder', description: 'A standing order of an account' });

export const scheduled_payment = z
  .object({
    id: id_text,
    ...of_account,
    reference: z.string(),
    status: z.enum(scheduled_payment_statuses),
    scheduled_on: date,
    scheduled_type: z.enum(scheduled_types),
    amount: shown_amount,
    ...creditor,
    type: resourceType('scheduled_payment'),
  } satisfies ShapeOf<ReturnType<typeof presentScheduledPayment>>)
  .meta({ id: 'ScheduledPayment', description: 'A scheduled payment of an account' });
