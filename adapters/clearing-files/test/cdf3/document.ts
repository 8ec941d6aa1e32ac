/** The values of a transaction in a test document. Each can be replaced, or left out with null. */
export type Values = Readonly<Record<string, string | null>>;

export interface Parts {
  readonly declaration?: string;
  readonly header?: Values | null;
  /** The content of the account: `transaction()` by default. */
  readonly content?: string;
  readonly account_number?: string;
  readonly trailer?: Values | null;
  readonly after?: string;
}

const header_values: Values = {
  ProcessingStartDate: '2026-07-16',
  FileReferenceNum: '2026071601000000007027000042',
  RunModeIndicator: 'P',
  ProcessorNum: '7027',
};

const transaction_values: Values = {
  ProcessorTransactionId: 'TRN1',
  MasterCardFinancialTransactionId: '20260716000000000001',
  AcquirerReferenceData: '12712346182000000000001',
  PostingDate: '2026-07-16',
  TransactionDate: '2026-07-14',
  ApprovalCode: '00A1B2',
  BanknetReferenceNum: '001EEF',
  DebitOrCreditIndicator: 'D',
  PostedConversionRate: '1.0834',
  CustomIdentifier: 'VCN-000123',
};

const acceptor_values: Values = {
  AcquiringICA: '6897',
  CardAcceptorId: 'MERCH1',
  CardAcceptorName: 'HOTEL &amp; BAR',
  CardAcceptorBusinessCode: '4722',
};

/** The totals of a document with one debit transaction as it is by default. */
const trailer_values: Values = {
  RecordCount: '4',
  NumOfCredits: '0',
  TotalAmountOfCredits: '0000000000000000',
  NumOfDebits: '1',
  TotalAmountOfDebits: '0000000012486100',
};

export const original =
  '<AmountInOriginalCurrency CurrencyCode="978" CurrencyExponent="2" CurrencySign="D">0000000000115260</AmountInOriginalCurrency>';
export const posted =
  '<AmountInPostedCurrency CurrencyCode="840" CurrencyExponent="4" CurrencySign="D">0000000012486100</AmountInPostedCurrency>';

/** A FinancialTransactionEntity. `amounts` are its amounts as XML. */
export function transaction(values: Values = {}, amounts = `${original}${posted}`, acceptor: Values = {}): string {
  return `<FinancialTransactionEntity ProcessorTransactionId="TRN0"><FinancialTransaction_5000>${record(1)}${elements({ ...transaction_values, ...values })}${amounts}</FinancialTransaction_5000><CardAcceptor_5001>${record(2)}${elements({ ...acceptor_values, ...acceptor })}</CardAcceptor_5001></FinancialTransactionEntity>`;
}

/** A FinancialAdjustmentRecord_5900 of a credit. */
export function adjustment(values: Values = {}): string {
  const credit = posted.replace('CurrencySign="D"', 'CurrencySign="C"');
  const stated = { DebitOrCreditIndicator: 'C', AdjustmentDescription: 'GOODWILL', ApprovalCode: null };
  return `<FinancialAdjustmentRecord_5900>${record(3)}${elements({ ...transaction_values, BanknetReferenceNum: null, ...stated, ...values })}${credit}</FinancialAdjustmentRecord_5900>`;
}

/** A CDF3 file, right unless its parts say otherwise. */
export function documentOf(parts: Parts = {}): Buffer {
  const { declaration = '<?xml version="1.0" encoding="UTF-8"?>', account_number = '555544XXXXXX0006' } = parts;
  const { content = transaction(), after = '\n' } = parts;
  const frame = (name: string, values: Values, changed: Values | null | undefined): string =>
    changed === null ? '' : `<${name}>${elements({ ...values, ...changed })}</${name}>`;
  return Buffer.from(
    `${declaration}\n<CDFTransmissionFile>\n${frame('TransmissionHeader_1000', header_values, parts.header)}\n` +
      `<IssuerEntity ICANumber="1412"><CorporateEntity><AccountEntity AccountNumber="${account_number}">\n${content}\n` +
      `</AccountEntity></CorporateEntity></IssuerEntity>\n${frame('TransmissionTrailer_9999', trailer_values, parts.trailer)}\n</CDFTransmissionFile>${after}`,
  );
}

function record(sequence: number): string {
  return `<FinancialRecordHeader><SequenceNum>${sequence}</SequenceNum><MaintenanceCode>U</MaintenanceCode></FinancialRecordHeader>`;
}

function elements(values: Values): string {
  return Object.entries(values)
    .map(([name, text]) => (text === null ? '' : `<${name}>${text}</${name}>`))
    .join('');
}
