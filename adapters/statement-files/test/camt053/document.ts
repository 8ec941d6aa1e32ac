/** The parts of a camt.053 document. A test may replace each of them. */
export interface DocumentParts {
  readonly declaration?: string;
  readonly version?: string;
  readonly header?: string;
  readonly account?: string;
  readonly balances?: string;
  readonly summary?: string;
  readonly entries?: string;
}

export const opening = balanceOf('OPBD', '100.00', 'CRDT', '2026-03-01');
export const closing = balanceOf('CLBD', '25.00', 'DBIT', '2026-03-01');

export function documentOf({
  declaration = '<?xml version="1.0" encoding="UTF-8"?>',
  version = '08',
  header = '<MsgId>M-1</MsgId><CreDtTm>2026-03-02T06:00:00+01:00</CreDtTm>',
  account = '<Id><IBAN>GB33BUKB20201555555555</IBAN></Id><Ccy>USD</Ccy>',
  balances = opening + closing,
  summary = '',
  entries = entryOf(),
}: DocumentParts = {}): Buffer {
  return Buffer.from(
    `${declaration}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>` +
      `<GrpHdr>${header}</GrpHdr><Stmt><Id>S-1</Id><Acct>${account}</Acct>${balances}${summary}${entries}</Stmt>` +
      '</BkToCstmrStmt></Document>',
  );
}

export function balanceOf(type: string, amount: string, sign: string, day: string, sub_type = ''): string {
  const sub = sub_type === '' ? '' : `<SubTp><Cd>${sub_type}</Cd></SubTp>`;
  return (
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry>${sub}</Tp><Amt Ccy="USD">${amount}</Amt>` +
    `<CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  );
}

/** A booked debit of 125.00. */
export function entryOf(
  change: { readonly amount?: string; readonly sign?: string; readonly more?: string } = {},
): string {
  const { amount = '<Amt Ccy="USD">125.00</Amt>', sign = 'DBIT', more = '' } = change;
  return `<Ntry>${amount}<CdtDbtInd>${sign}</CdtDbtInd><Sts>BOOK</Sts>${more}</Ntry>`;
}

export function detailsOf(...details: readonly string[]): string {
  return `<NtryDtls>${details.map((detail) => `<TxDtls>${detail}</TxDtls>`).join('')}</NtryDtls>`;
}
