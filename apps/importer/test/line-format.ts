import { type ClearingFormat, type FileItem, FileProblem } from '@tallystick/imports';

/**
 * A file of lines: `LINES <file id>`, a line for each clearing, `END <number of clearings>`.
 *
 *     LINES 2030-03-16-1
 *     17;TX-1;1250;USD;DEBIT;2030-03-16
 *     END 1
 */
export const lines: ClearingFormat = {
  name: 'lines',
  title: 'Lines with semicolons',
  detect: (head) => new TextDecoder('latin1').decode(head).startsWith('LINES '),
  async *read(chunks) {
    let ordinal = 0;
    let clearings = 0;
    let ended = false;
    for await (const { text, offset, bytes } of linesOf(chunks)) {
      ordinal += 1;
      if (ended) throw new FileProblem('refused', 'bytes_after_end', 'there is a line after END', offset);
      const [word = '', value = ''] = text.split(' ');
      if ((ordinal === 1) !== (word === 'LINES')) {
        throw new FileProblem('refused', 'header_misplaced', 'the first line, and no other, is LINES', offset);
      }
      if (word === 'LINES') {
        const numbering = { series: null, sequence: null, created_on: null, mode: null };
        yield { items: [{ kind: 'header', ordinal, offset, file_id: value, ...numbering }], bytes };
      } else if (word === 'END') {
        if (Number(value) !== clearings) {
          throw new FileProblem('refused', 'count_differs', `END states ${value}, not ${clearings}`, offset);
        }
        ended = true;
        yield { items: [{ kind: 'end', records: ordinal, control_totals: { clearings: value } }], bytes };
      } else {
        clearings += 1;
        yield { items: [clearingOf(text, ordinal, offset)], bytes };
      }
    }
    if (!ended) throw new FileProblem('truncated', 'trailer_missing', 'the file ends without an END line', null);
  },
};

/** A line that cannot be read is a bad record: it goes to quarantine, and the file goes on. */
function clearingOf(text: string, ordinal: number, offset: number): FileItem {
  const fields = /^(\d{1,15});([!-:<-~]+);(\d{1,12});([A-Z]{3});(DEBIT|CREDIT);(\d{4}-\d\d-\d\d)$/.exec(text);
  if (fields === null) {
    const raw = new TextEncoder().encode(text);
    return { kind: 'bad', ordinal, offset, code: 'line_malformed', reason: 'the line is no clearing', raw };
  }
  const [, vcn_id, id, amount, currency, clearing_type, settlement_date] = fields;
  const input = {
    vcn_id: Number(vcn_id),
    network_financial_transaction_id: id!,
    billing_amount: Number(amount),
    billing_currency: currency!,
    clearing_type: clearing_type as 'DEBIT' | 'CREDIT',
    settlement_date: settlement_date!,
  };
  return { kind: 'clearing', ordinal, offset, input, synthetic_id: false, last4: null };
}

/** The longest line. Without a bound a file without line feeds would fill the memory. */
const line_bytes_max = 1_000;

/** The lines of the file without LF or CRLF, each with its offset and the bytes read with it. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>) {
  let rest = '';
  let offset = 0;
  for await (const chunk of chunks) {
    const texts = (rest + new TextDecoder('latin1').decode(chunk)).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const bytes = offset + text.length + 1;
      yield { text: text.replace(/\r$/, ''), offset, bytes };
      offset = bytes;
    }
    if (rest.length > line_bytes_max) throw new FileProblem('refused', 'line_too_long', 'a line is too long', offset);
  }
  if (rest !== '') yield { text: rest.replace(/\r$/, ''), offset, bytes: offset + rest.length };
}
