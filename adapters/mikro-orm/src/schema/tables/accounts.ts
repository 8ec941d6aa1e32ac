import { defineEntity, p } from '@mikro-orm/core';
import { type AccountKind, card_line_codes, type LineStanding } from '@tallystick/accounts';
import { id, int, money } from './columns.ts';

export const Account = defineEntity({
  name: 'Account',
  tableName: 'tallystick_accounts',
  properties: {
    id: id(),
    company_id: int(),
    number: p.text(),
    currency: p.text(),
    kind: p.text().$type<AccountKind>(),
    name: p.text().nullable(),
    created_at_ms: int(),
    first_statement_as_of: p.text().nullable(),
    first_statement_balance: money().nullable(),
    last_statement_as_of: p.text().nullable(),
    last_statement_balance: money().nullable(),
  },
  indexes: [{ name: 'tallystick_accounts_page', properties: ['company_id', 'id'] }],
  uniques: [{ name: 'tallystick_accounts_number', properties: ['number'] }],
});

/** The chains of statements of the accounts. */
export const Statement = defineEntity({
  name: 'Statement',
  tableName: 'tallystick_statements',
  properties: {
    id: id(),
    account_id: int(),
    company_id: int(),
    as_of: p.text(),
    position: int(),
    reference: p.text().nullable(),
    opening_balance: money(),
    closing_balance: money(),
    first_booking_date: p.text().nullable(),
    covers_from: p.text().nullable(),
    import_id: int().nullable(),
    recorded_at_ms: int(),
  },
  indexes: [
    { name: 'tallystick_statements_opening', properties: ['account_id', 'opening_balance', 'as_of', 'position'] },
  ],
  uniques: [{ name: 'tallystick_statements_chain', properties: ['account_id', 'as_of', 'position'] }],
});

/**
 * The statement key of a line's acquirer reference by the setting `bin+sequence`
 * (`statementKeyOf`). An index has it.
 */
export const acquirer_key_sql =
  'case when length(acquirer_reference) = 23 then substr(acquirer_reference, 2, 6) || substr(acquirer_reference, 12, 11) else acquirer_reference end';

/** Whether a line `r` has an item (`hasItemOfLine`). */
export const has_item_sql = `(r.bai_code in (${card_line_codes.map((code) => `'${code}'`)}) or r.standing in ('differs', 'kept'))`;

/** Whether a line counts in the bridge and is shown to Open Banking (docs/adr/0071). */
export const counts_sql = "(standing is null or standing <> 'differs')";

export const StatementLine = defineEntity({
  name: 'StatementLine',
  tableName: 'tallystick_statement_lines',
  properties: {
    id: id(),
    account_id: int(),
    company_id: int(),
    currency: p.text(),
    statement_id: int().nullable(),
    place: int().nullable(),
    occurrence: int(),
    bank_reference: p.text().nullable(),
    booking_date: p.text(),
    value_date: p.text(),
    amount: money(),
    bai_code: p.text(),
    text: p.text(),
    acquirer_reference: p.text().nullable(),
    recorded_at_ms: int(),
    balance_after: money().nullable(),
    standing: p.text().$type<LineStanding>().nullable(),
  },
  indexes: [
    {
      name: 'tallystick_statement_lines_page',
      // The last two are added up without the rows.
      properties: ['account_id', 'booking_date', 'id', 'amount', 'standing'],
    },
    { name: 'tallystick_statement_lines_company', properties: ['company_id', 'booking_date', 'id'] },
    {
      name: 'tallystick_statement_lines_amount',
      properties: ['company_id', 'bai_code', 'amount', 'booking_date', 'id'],
    },
    {
      name: 'tallystick_statement_lines_content',
      properties: ['account_id', 'booking_date', 'amount', 'bai_code'],
      where: 'bank_reference is null',
    },
    {
      name: 'tallystick_statement_lines_unstated',
      properties: ['account_id', 'booking_date', 'id'],
      where: 'statement_id is null',
    },
    {
      name: 'tallystick_statement_lines_key',
      expression: `create index tallystick_statement_lines_key on tallystick_statement_lines (company_id, (${acquirer_key_sql})) where acquirer_reference is not null`,
    },
  ],
  uniques: [
    {
      name: 'tallystick_statement_lines_reference',
      properties: ['account_id', 'bank_reference', 'booking_date', 'amount', 'bai_code', 'occurrence'],
      where: 'bank_reference is not null',
    },
    {
      name: 'tallystick_statement_lines_reported',
      properties: ['account_id', 'bank_reference'],
      where: 'statement_id is null and bank_reference is not null',
    },
    {
      name: 'tallystick_statement_lines_place',
      properties: ['statement_id', 'place'],
      where: 'statement_id is not null',
    },
  ],
});
