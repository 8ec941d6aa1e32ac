import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import type { FileClearing, FileItem } from '@tallystick/imports';
import { clearingsOf, endOf } from './reading.ts';

/**
 * Compares the amounts that were read with those that the bytes state. The reading here is slow and
 * plain, and shares no code with the readers. An amount has the same digits up to the zeros at its
 * end: currencies and their decimals are tested elsewhere.
 */
export const assertStatedAmounts: Readonly<Record<string, (bytes: Buffer, items: readonly FileItem[]) => void>> = {
  ipm(bytes, items) {
    const records = ipmRecords(bytes);
    assert.equal(records.length, endOf(items).records);
    let sum = 0n;
    for (const record of records) sum += BigInt(ipmAmounts(record)[4] ?? 0);
    // A trailer without the sum, or with zeros, states none.
    const { PDS0301 = String(sum) } = endOf(items).control_totals;
    assert.equal(PDS0301, String(sum), 'the sum of all DE4 is that of the trailer');
    for (const clearing of clearingsOf(items)) {
      const amounts = ipmAmounts(records[clearing.ordinal - 1]!);
      assertSame(clearing, 'merchant_amount', amounts[4]);
      assertSame(clearing, 'billing_amount', amounts[6] ?? amounts[4]);
    }
  },
  csv(file, items) {
    const [header, ...rows] = csvRows(narrow(file));
    const place = header!.indexOf('billing_amount');
    const merchant_place = header!.indexOf('merchant_amount');
    for (const clearing of clearingsOf(items)) {
      const row = rows[clearing.ordinal - 2]!;
      assertSame(clearing, 'billing_amount', row[place]);
      assertSame(clearing, 'merchant_amount', row[merchant_place] || undefined);
    }
    const { count, sum } = endOf(items).control_totals;
    if (sum === undefined) return;
    const amounts = rows.slice(0, Number(count)).map((row) => BigInt(row[place]!));
    assert.equal(
      BigInt(sum),
      amounts.reduce((total, amount) => total + amount, 0n),
    );
    assert.equal(rows.length, Number(count) + 1);
  },
  vcf4(file, items) {
    const bytes = narrow(file);
    for (const clearing of clearingsOf(items)) {
      // A column may be padded with white space beyond ASCII.
      const line = textOf(bytes.subarray(clearing.offset, bytes.indexOf('\n', clearing.offset)));
      const columns = line.split('\t').map((column) => column.trim());
      assertSame(clearing, 'billing_amount', columns[14]);
      // Without a currency the source amount says nothing, and is not read.
      const has_currency = /[^0]/.test(columns[15] ?? '');
      assertSame(clearing, 'merchant_amount', (has_currency && columns[13]) || undefined);
    }
  },
  cdf3(bytes, items) {
    const text = bytes.toString().replaceAll('\0', '');
    const stated = new Set([...text.matchAll(/<AmountIn\w+[^>]*>\s*(\d+)/g)].map(([, digits]) => significant(digits!)));
    for (const { input } of clearingsOf(items)) {
      assert.ok(stated.has(significant(String(input.billing_amount))), `${input.billing_amount} is stated`);
    }
  },
};

function assertSame(
  { input, ordinal, unread }: FileClearing,
  field: 'billing_amount' | 'merchant_amount',
  stated: string | undefined,
): void {
  const read = input[field];
  if (read === null && unread?.includes(field)) return;
  if (read === null || read === undefined) {
    assert.equal(stated, undefined, `${field} of record ${ordinal}`);
    return;
  }
  assert.match(stated ?? '', /^\d+$/, `${field} of record ${ordinal}`);
  assert.equal(significant(String(read)), significant(stated!), `${field} of record ${ordinal}`);
}

/** The bytes, those of UTF-16 as UTF-8, which is how offsets count them. */
function narrow(bytes: Buffer): Buffer {
  const mark = bytes.toString('latin1', 0, 2);
  if (mark === '\xff\xfe' || mark[1] === '\0') return Buffer.from(new TextDecoder('utf-16le').decode(bytes));
  if (mark === '\xfe\xff' || mark[0] === '\0') return Buffer.from(new TextDecoder('utf-16be').decode(bytes));
  return bytes;
}

/** UTF-8, or else Windows-1252. */
function textOf(bytes: Buffer): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}

function significant(digits: string): string {
  return digits.replace(/^0+/, '').replace(/0+$/, '');
}

/** The records of either container: the one whose length words lead to the length 0. */
function ipmRecords(bytes: Buffer): readonly Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 1_014) blocks.push(bytes.subarray(at, at + 1_012));
  for (const stream of [bytes, Buffer.concat(blocks)]) {
    const records: Buffer[] = [];
    let at = 0;
    while (at + 4 <= stream.length) {
      const length = stream.readUInt32BE(at);
      at += 4;
      if (length === 0) {
        if (stream === bytes && at !== stream.length) break;
        return records;
      }
      records.push(stream.subarray(at, at + length));
      at += length;
    }
  }
  return assert.fail('no length words lead to the end');
}

/** DE4, DE5 and DE6 as digits: what precedes them is DE2 with its length, and DE3. */
function ipmAmounts(record: Buffer): Readonly<Record<number, string>> {
  const digits = (start: number, length: number): string =>
    [...record.subarray(start, start + length)].map((byte) => String(byte & 0x0f)).join('');
  const has = (element: number): boolean => (record[4]! & (0x80 >> (element - 1))) !== 0;
  const amounts: Record<number, string> = {};
  let at = 20;
  if (has(2)) at += 2 + Number(digits(at, 2));
  if (has(3)) at += 6;
  for (const element of [4, 5, 6]) {
    if (!has(element)) continue;
    amounts[element] = digits(at, 12);
    at += 12;
  }
  return amounts;
}

function csvRows(file: Buffer): readonly (readonly string[])[] {
  const lines = file.toString('latin1').split('\n');
  const decoded = lines.map((line) => textOf(Buffer.from(line, 'latin1'))).join('\n');
  const text = decoded.replace(/^\ufeff?sep=;\r?\n/, '');
  const delimiter = text.split(/[\r\n]/, 1)[0]!.includes(';') ? ';' : ',';
  // Where the header ends with a lone CR, every row does.
  const row_end = /[^\r\n](\r\n|\r|\n)/.exec(text)?.[1] === '\r' ? /^\r/ : /^\r?\n/;
  const rows: string[][] = [[]];
  let cell = '';
  let is_quoted = false;
  const endCell = (): void => {
    rows.at(-1)!.push(cell);
    cell = '';
  };
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (is_quoted && character === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && character === delimiter) {
      endCell();
    } else if (!is_quoted && row_end.test(text.slice(at, at + 2))) {
      if (text.startsWith('\r\n', at)) at += 1;
      endCell();
      rows.push([]);
    } else {
      cell += character;
    }
  }
  if (cell !== '' || rows.at(-1)!.length > 0) endCell();
  const trimmed = rows.map((row) => row.map((one) => one.trim()));
  return trimmed.filter((row) => row.some((one) => one !== ''));
}
