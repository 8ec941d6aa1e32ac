import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearing_formats } from '@tallystick/clearing-files';
import type { ClearingFormat, WrittenClearing } from '@tallystick/imports';
import { SaxesParser } from 'saxes';
import type { Bench } from './main.ts';
import { interleave, monotonicNow, row } from './measure.ts';

/**
 * Reads whole clearing files without storing them, against the least that must be done to walk
 * them.
 */
export const files: Bench = {
  name: 'files',
  async run({ quick, repetitions, log }) {
    const counts = quick ? { ipm: 200_000, cdf3: 4_000 } : { ipm: 200_000, cdf3: 20_000 };
    log(`${counts.ipm} clearings in an IPM file (VBS, ASCII), ${counts.cdf3} in a CDF3 file`);
    const folder = await mkdtemp(join(tmpdir(), 'tallystick-bench-'));
    try {
      const ipm = await written(folder, 'ipm', counts.ipm);
      const cdf3 = await written(folder, 'cdf3', counts.cdf3);
      const by_record = await interleave(repetitions, {
        ours: async () => await parsedPerSecond(ipm),
        bare: async () => await walkedPerSecond(ipm),
      });
      const by_element = await interleave(repetitions, {
        ours: async () => await parsedPerSecond(cdf3),
        bare: async () => await scannedPerSecond(cdf3),
      });
      return [
        row(
          'IPM file, parse only',
          'clearings/s',
          { ours: by_record.ours, baseline: by_record.bare, baseline_name: 'bare loop that slices DE4' },
          { kind: 'at_least', ratio: 0.2 },
        ),
        row(
          'CDF3 file, parse only',
          'clearings/s',
          { ours: by_element.ours, baseline: by_element.bare, baseline_name: 'saxes with empty handlers' },
          { kind: 'at_least', ratio: 0.4 },
        ),
      ];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

interface WrittenFile {
  readonly format: ClearingFormat;
  readonly path: string;
  readonly count: number;
}

async function written(folder: string, name: string, count: number): Promise<WrittenFile> {
  const format = clearing_formats.find((known) => known.name === name)!;
  const path = join(folder, name);
  const file = await open(path, 'w');
  const content = { sequence: 1, created_on: '2026-07-16', mode: 'test', clearings: clearings(name, count) } as const;
  for (const chunk of format.write!(content)) await file.write(chunk);
  await file.close();
  return { format, path, count };
}

/** Each card has four clearings in a row. */
function* clearings(name: string, count: number): Generator<WrittenClearing> {
  for (let made = 0; made < count; made += 1) {
    const card = 1 + Math.floor(made / 4);
    const number = `55554444${String(card).padStart(8, '0')}`;
    yield {
      input: {
        ...(name === 'cdf3' ? { vcn_id: card } : { card_number: number }),
        network_financial_transaction_id: `20260716${String(made).padStart(12, '0')}`,
        billing_amount: 1_000 + made,
        billing_currency: 'USD',
        merchant_amount: 900 + made,
        merchant_currency: 'EUR',
        clearing_type: made % 9 === 0 ? 'CREDIT' : 'DEBIT',
        settlement_date: '2026-07-16',
        authorization_date: '2026-07-14',
        acquirer_ica: '6897',
        acquirer_reference_data: '12712346182000000000001',
        approval_code: 'A1B2C3',
        net_reference_number: 'MCC0AB12C0714',
        exchange_rate: '1.083400',
        mcc: '5411',
        merchant_id: 'MERCH0000000001',
        merchant_name: 'CORNER GROCER',
      },
      ...(name === 'cdf3' ? { last4: number.slice(-4) } : {}),
    };
  }
}

async function parsedPerSecond({ format, path, count }: WrittenFile): Promise<number> {
  const began = monotonicNow();
  let found = 0;
  for await (const { items } of format.read(createReadStream(path))) {
    for (const { kind } of items) if (kind === 'clearing') found += 1;
  }
  if (found !== count) throw new Error(`${path}: ${found} of ${count} clearings were read`);
  return (count / (monotonicNow() - began)) * 1_000;
}

/** Follows the length words of an IPM file, and slices the amount of each message that has one. */
async function walkedPerSecond({ path, count }: WrittenFile): Promise<number> {
  const began = monotonicNow();
  let found = 0;
  let sum = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    let at = 0;
    while (at + 4 <= bytes.length) {
      const length = bytes.readUInt32BE(at);
      if (length === 0 || at + 4 + length > bytes.length) break;
      const record = at + 4;
      const elements = bytes[record + 4]!;
      let element = record + 20;
      if ((elements & 0x40) !== 0) element += 2 + Number(bytes.toString('latin1', element, element + 2));
      if ((elements & 0x20) !== 0) element += 6;
      if ((elements & 0x10) !== 0) {
        sum += Number(bytes.toString('latin1', element, element + 12));
        found += 1;
      }
      at = record + length;
    }
    rest = bytes.subarray(at);
  }
  if (found !== count || sum === 0) throw new Error(`${path}: ${found} of ${count} amounts were found`);
  return (count / (monotonicNow() - began)) * 1_000;
}

/** Parses an XML file without looking at what is in it. */
async function scannedPerSecond({ path, count }: WrittenFile): Promise<number> {
  const began = monotonicNow();
  const parser = new SaxesParser();
  parser.on('opentag', () => {});
  parser.on('text', () => {});
  parser.on('closetag', () => {});
  for await (const chunk of createReadStream(path, 'utf8')) parser.write(chunk as string);
  parser.close();
  return (count / (monotonicNow() - began)) * 1_000;
}
