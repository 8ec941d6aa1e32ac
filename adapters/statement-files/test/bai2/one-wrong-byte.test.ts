import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readItems } from '@tallystick/harness';
import { type FileItem, FileProblem } from '@tallystick/imports';
import { bai2 } from '../../src/index.ts';
import { linesIn, statementsIn } from '../reading.ts';
import { group, header, totalled } from './totalled.ts';

const sound = totalled([
  ...[header, group, '03,10045678,USD,010,1000,,,015,1300,,,/\n88,040,900,,,100,500,1,,400,200,1,/'],
  ...['16,195,500,V,260301,,R1,,PAY/\n88,FOR 12/16', '16,475,200,,R2,,/', '49,4600'],
  ...[
    '03,10045679,USD,010,10,,,015,70,,/',
    '16,399,60,Z,R3,,',
    '16,890,,,,,TEXT',
    '49,140',
    '03,10045680,,,,,/',
    '49,0',
  ],
  ...['98', '99'],
]);

/**
 * What could be applied: how many lines each sound statement has, and their sum. A balance that is
 * not stated follows from them.
 */
function appliedIn(items: readonly FileItem[]): readonly string[] {
  return statementsIn(items).flatMap(({ number, problem, opening_balance, closing_balance, ordinal }) => {
    const end = statementsIn(items).find((next) => next.number === number + 1)?.ordinal ?? Number.MAX_SAFE_INTEGER;
    const has_bad = items.some((item) => item.kind === 'bad' && item.ordinal > ordinal && item.ordinal < end);
    const lines = linesIn(items).filter(({ statement_number }) => statement_number === number);
    const sum = lines.reduce((total, { line }) => total + line.amount, 0);
    const is_off = opening_balance !== null && closing_balance !== null && opening_balance + sum !== closing_balance;
    return problem !== undefined || has_bad || is_off ? [] : [`${lines.length} lines, ${sum}`];
  });
}

test('a BAI2 file with one wrong byte is refused, or what can be applied of it is right', async () => {
  const right = appliedIn(await readItems(bai2, sound));
  assert.deepEqual(right, ['2 lines, 300', '1 lines, 60']);
  const accepted = new Set<number>();
  const wrong: string[] = [];
  for (let at = 0; at < sound.length; at += 1) {
    const byte = sound[at]!;
    const others = [...Buffer.from(',/ \n-X5'), (byte + 1) % 128].filter((one) => one !== byte);
    const rest = sound.subarray(at + 1);
    const mutations = [
      rest,
      ...others.map((other) => Buffer.from([other, ...rest])),
      ...others.map((other) => Buffer.from([other, byte, ...rest])),
    ];
    for (const mutation of mutations) {
      try {
        const items = await readItems(bai2, Buffer.concat([sound.subarray(0, at), mutation]), [1_000_000]);
        accepted.add(at);
        for (const one of appliedIn(items))
          if (!right.includes(one)) wrong.push(`${at}: ${mutation.subarray(0, 12)}: ${one}`);
      } catch (error) {
        if (!(error instanceof FileProblem)) throw error;
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(accepted.size > 0 && accepted.size < sound.length);
});
