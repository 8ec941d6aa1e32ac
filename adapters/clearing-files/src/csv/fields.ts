/** The fields of a clearing that a column can have (`ClearingInput`). */
export const csv_fields = [
  'network_financial_transaction_id',
  'card_number',
  'vcn_id',
  'billing_amount',
  'billing_currency',
  'clearing_type',
  'settlement_date',
  'cycle',
  'partial',
  'merchant_amount',
  'merchant_currency',
  'acquirer_reference_data',
  'approval_code',
  'net_reference_number',
  'merchant_id',
  'mcc',
  'authorization_date',
  'acquirer_ica',
  'exchange_rate',
  'mcc_description',
  'merchant_name',
] as const;

export type CsvField = (typeof csv_fields)[number];

/**
 * The fields without which a row is no clearing. A profile has each, as a column or as a constant.
 */
export const required_fields: readonly CsvField[] = [
  'billing_amount',
  'billing_currency',
  'clearing_type',
  'settlement_date',
];
