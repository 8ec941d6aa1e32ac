import type { ReportedLine } from '@tallystick/accounts';
import { chunkText, escapeXml, type StatementFileContent, type WrittenStatement } from '@tallystick/imports';
import { isIbanForm } from '@tallystick/kernel';
import { decimalOf } from '../decimal-amounts.ts';
import { oneLine } from '../stated-text.ts';

/** The longest unstructured remittance information. */
const ustrd_length_max = 140;

/**
 * Writes a camt.053.001.08 message, in constant memory. Throws a `RangeError` for a statement that
 * the format cannot express: one without a currency.
 */
export function writeCamt053(content: StatementFileContent): Generator<Uint8Array> {
  return chunkText(pieces(content));
}

function* pieces({ sequence, created_on, statements }: StatementFileContent): Generator<string> {
  const created_at = `${created_on}T23:59:00Z`;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>\n';
  yield element('GrpHdr', element('MsgId', `SAMPLE-${sequence}`) + element('CreDtTm', created_at));
  for (const statement of statements) yield* statementOf(statement, created_at);
  yield '\n</BkToCstmrStmt></Document>\n';
}

function* statementOf({ head, lines }: WrittenStatement, created_at: string): Generator<string> {
  const { account_number, currency, reference, as_of, opening_balance, closing_balance } = head;
  if (currency === null) throw new RangeError('a statement of a camt.053 file has a currency');
  yield `\n<Stmt>${element('Id', escapeXml(reference ?? `${account_number}-${as_of}`))}`;
  yield element('CreDtTm', created_at);
  yield element('Acct', element('Id', accountId(account_number)) + element('Ccy', currency));
  yield balance('OPBD', opening_balance, currency, as_of);
  yield balance('CLBD', closing_balance, currency, as_of);
  for (const line of lines) yield entry(line, currency);
  yield '\n</Stmt>';
}

function accountId(number: string): string {
  if (isIbanForm(number)) return element('IBAN', number);
  return element('Othr', element('Id', escapeXml(number)));
}

function balance(type: string, amount: number, currency: string, day: string): string {
  return `\n${element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', type))) +
      amountOf(amount, currency) +
      element('Dt', element('Dt', day)),
  )}`;
}

function entry(line: ReportedLine, currency: string): string {
  const { bank_reference, booking_date, value_date, amount, bai_code, text, acquirer_reference } = line;
  if (text !== oneLine([text])) throw new RangeError('a text of a camt.053 file is one line');
  const refs =
    acquirer_reference === null ? '' : element('Prtry', element('Tp', 'ARD') + element('Ref', acquirer_reference));
  const remittance = remittanceOf(text);
  const details = refs === '' && remittance === '' ? '' : element('TxDtls', optional('Refs', refs) + remittance);
  return `\n${element(
    'Ntry',
    amountOf(amount, currency) +
      element('Sts', element('Cd', 'BOOK')) +
      element('BookgDt', element('Dt', booking_date)) +
      element('ValDt', element('Dt', value_date)) +
      optional('AcctSvcrRef', escapeXml(bank_reference ?? '')) +
      element('BkTxCd', element('Prtry', element('Cd', bai_code) + element('Issr', 'BAI'))) +
      optional('NtryDtls', details),
  )}`;
}

/** An amount as many banks write it, without zeros at its ends: `.5`, `10`. */
function amountOf(amount: number, currency: string): string {
  const sign = amount < 0 ? 'DBIT' : 'CRDT';
  const decimal = decimalOf(amount, currency)
    .replace(/\.0*$|(\.\d*?)0+$/, '$1')
    .replace(/^0(?=\.)/, '');
  return `<Amt Ccy="${currency}">${decimal}</Amt>${element('CdtDbtInd', sign)}`;
}

/** The text in parts that end at blanks. A word that is longer than a part is not divided. */
function remittanceOf(text: string): string {
  if (text === '') return '';
  const parts: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${parts.at(-1) ?? ''} ${word}`;
    if (parts.length > 0 && longer.length <= ustrd_length_max) parts[parts.length - 1] = longer;
    else parts.push(word);
  }
  return element('RmtInf', parts.map((part) => element('Ustrd', escapeXml(part))).join(''));
}

function optional(name: string, content: string): string {
  return content === '' ? '' : element(name, content);
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}
