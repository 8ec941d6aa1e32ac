import type { ClearingInput } from '@tallystick/cards';
import { chunkText, escapeXml, type FileContent, type WrittenClearing } from '@tallystick/imports';
import { currencyOfCode } from '../currencies.ts';

const processor = '9001';

/** No currency has this number. */
const malformed_currency = '000';

/**
 * Writes a CDF3 file, in constant memory. Consecutive clearings of a card share an AccountEntity.
 * Amounts have the decimals of their currency. The network code and the date of the network
 * reference are not written: the format has only its six characters. Throws a `RangeError` for a
 * clearing that the format cannot express.
 */
export function writeCdf3(content: FileContent): Generator<Uint8Array> {
  return chunkText(pieces(content));
}

function* pieces(content: FileContent): Generator<string> {
  const { sequence, created_on, mode, clearings } = content;
  const day = created_on.replaceAll('-', '');
  const file_id = `${day}000000${processor.padStart(8, '0')}${String(sequence).padStart(6, '0')}`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<CDFTransmissionFile>\n';
  yield element('TransmissionHeader_1000', [
    element('TransRecordHeader', [element('SequenceNum', '1')]),
    element('ProcessingStartDate', created_on),
    element('ProcessingEndDate', created_on),
    element('FileReferenceNum', file_id),
    element('CDFVersionNum', '3.00'),
    element('RunModeIndicator', mode === 'production' ? 'P' : 'T'),
    element('ProcessorNum', processor),
    element('InboundSourceFormat', 'CDF3'),
  ]);
  yield '\n<IssuerEntity ICANumber="1001" IssuerNumber="00000001001">';
  yield element('IssuerInformation_3000', [hierarchyHeader(2)]);
  yield '\n<CorporateEntity CorporationNumber="0000000000000001">';
  yield element('CorporateInformation_4000', [hierarchyHeader(3)]);
  let records = 3;
  let account: string | null = null;
  const credits = { count: 0, sum: 0n };
  const debits = { count: 0, sum: 0n };
  for (const clearing of clearings) {
    const number = accountNumber(clearing);
    if (number !== account) {
      if (account !== null) yield '\n</AccountEntity>';
      yield `\n<AccountEntity AccountNumber="${number}">`;
      account = number;
    }
    const total = clearing.input.clearing_type === 'DEBIT' ? debits : credits;
    total.count += 1;
    total.sum += BigInt(clearing.input.billing_amount);
    yield transaction(clearing, records + 1);
    records += 2;
  }
  if (account !== null) yield '\n</AccountEntity>';
  records += 1;
  yield '\n</CorporateEntity></IssuerEntity>\n';
  yield element('TransmissionTrailer_9999', [
    element('TransRecordHeader', [element('SequenceNum', String(records))]),
    element('RecordCount', String(records)),
    totals('Credits', credits),
    totals('Debits', debits),
  ]);
  yield '\n</CDFTransmissionFile>';
}

/** A day without credits or debits states no totals of them. */
function totals(kind: string, { count, sum }: { readonly count: number; readonly sum: bigint }): string {
  if (count === 0) return '';
  return element(`NumOf${kind}`, String(count)) + element(`TotalAmountOf${kind}`, padded(sum));
}

function transaction({ input, malformed }: WrittenClearing, sequence: number): string {
  if ((input.cycle ?? 'first_presentment') !== 'first_presentment' || input.partial === true) {
    throw new RangeError('a CDF3 file has neither cycles nor partial clearings');
  }
  const direction = input.clearing_type === 'DEBIT' ? 'D' : 'C';
  const id = input.network_financial_transaction_id;
  const reference = input.net_reference_number ?? '';
  const { merchant_amount, merchant_currency } = input;
  const has_original = typeof merchant_amount === 'number' && typeof merchant_currency === 'string';
  return `\n<FinancialTransactionEntity ProcessorTransactionId="${escapeXml(id)}">${[
    element('FinancialTransaction_5000', [
      financialHeader(sequence),
      element('ProcessorTransactionId', escapeXml(id)),
      element('MasterCardFinancialTransactionId', escapeXml(id)),
      optional('AcquirerReferenceData', input.acquirer_reference_data),
      element('CardHolderTransactionType', direction === 'D' ? '00' : '20'),
      element('PostingDate', input.settlement_date.slice(0, 10)),
      optional('TransactionDate', input.authorization_date?.slice(0, 10)),
      element('ApprovalCode', escapeXml(input.approval_code || '000000')),
      element(
        'BanknetReferenceNum',
        escapeXml((reference.length === 13 ? reference.slice(3, 9) : reference) || '000000'),
      ),
      element('DebitOrCreditIndicator', direction),
      has_original
        ? amount('AmountInOriginalCurrency', merchant_amount, merchant_currency, direction)
        : '<AmountInOriginalCurrency/>',
      amount('AmountInPostedCurrency', input.billing_amount, input.billing_currency, direction, malformed),
      optional('PostedConversionRate', input.exchange_rate),
      customIdentifier(input),
    ]),
    element('CardAcceptor_5001', [
      financialHeader(sequence + 1),
      optional('AcquiringICA', input.acquirer_ica),
      optional('CardAcceptorId', input.merchant_id),
      optional('CardAcceptorName', input.merchant_name),
      optional('CardAcceptorBusinessCode', input.mcc),
    ]),
  ].join('')}</FinancialTransactionEntity>`;
}

function accountNumber({ input, last4 }: WrittenClearing): string {
  if (input.card_number) return escapeXml(input.card_number);
  return `555544XXXXXX${last4 ?? 'XXXX'}`;
}

function customIdentifier({ card_number, vcn_id }: ClearingInput): string {
  if (card_number || vcn_id === null || vcn_id === undefined) return '';
  return element('CustomIdentifier', `VCN-${escapeXml(String(vcn_id).padStart(6, '0'))}`);
}

function amount(name: string, minor_units: number, code: string, sign: string, malformed = false): string {
  const currency = currencyOfCode(code);
  if (currency === null) throw new RangeError(`${code} is no currency of ISO 4217`);
  const number = malformed ? malformed_currency : currency.number;
  const attributes = `CurrencyCode="${number}" CurrencyExponent="${currency.decimals}" CurrencySign="${sign}"`;
  return `<${name} ${attributes}>${padded(minor_units)}</${name}>`;
}

function financialHeader(sequence: number): string {
  return element('FinancialRecordHeader', [element('SequenceNum', String(sequence)), element('MaintenanceCode', 'U')]);
}

function hierarchyHeader(sequence: number): string {
  return element('HierarchyRecordHeader', [element('SequenceNum', String(sequence)), element('StatusCode', 'A')]);
}

function element(name: string, content: string | readonly string[]): string {
  return `<${name}>${typeof content === 'string' ? content : content.join('')}</${name}>`;
}

function optional(name: string, text: string | null | undefined): string {
  return text === null || text === undefined || text === '' ? '' : element(name, escapeXml(text));
}

function padded(amount: number | bigint): string {
  return String(amount).padStart(16, '0');
}
