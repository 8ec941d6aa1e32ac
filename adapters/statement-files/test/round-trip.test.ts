import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arbitrary_chunk_lengths, endOf, headerOf, joined, readItems } from '@tallystick/harness';
import { createFormats, type FileItem } from '@tallystick/imports';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { bai2, camt053, mt940, statement_formats } from '../src/index.ts';
import { statementContent } from './arbitrary-statements.ts';
import { linesIn, statementsIn } from './reading.ts';

describe('what a writer writes is what a reader reads, whatever the chunks', () => {
  for (const { format, variant, able, states_day } of [
    ...[undefined, 'bank'].map((variant) => ({
      ...{ format: bai2, variant, states_day: true },
      able: { reference: 'none', statements_min: 0, no_currency: true, booking_date: 'as_of' } as const,
    })),
    {
      format: camt053,
      variant: undefined,
      able: { reference: 'any', statements_min: 1, no_currency: false, booking_date: 'any' },
      states_day: true,
    },
    {
      format: mt940,
      variant: undefined,
      able: { reference: 'number', statements_min: 1, no_currency: false, booking_date: 'near' },
      states_day: false,
    },
  ] as const) {
    test([format.name, variant].filter(Boolean).join(' '), async () => {
      await fc.assert(
        fc.asyncProperty(statementContent(able), arbitrary_chunk_lengths, async (content, lengths) => {
          const bytes = joined(format.writeStatements!(content, variant));
          assert.equal(createFormats(statement_formats).detect(bytes, null)?.name, format.name);
          const items: readonly FileItem[] = await readItems(format, bytes, lengths);
          assert.equal(headerOf(items).created_on, states_day ? content.created_on : null);
          const heads = statementsIn(items).map(({ kind: _, ordinal: __, offset: ___, number, ...head }) => [
            number,
            head,
          ]);
          assert.deepEqual(
            heads,
            content.statements.map(({ head }, place) => [
              place + 1,
              variant === 'bank' ? { ...head, opening_balance: null } : head,
            ]),
          );
          assert.deepEqual(
            linesIn(items).map(({ statement_number, place, line }) => [statement_number, place, line]),
            content.statements.flatMap(({ lines }, number) =>
              lines.map((line, place) => [number + 1, place + 1, line]),
            ),
          );
          const ordinals = items.flatMap((item) => ('ordinal' in item ? [item.ordinal] : []));
          assert.deepEqual(
            ordinals,
            [...new Set(ordinals)].toSorted((a, b) => a - b),
            'ordinals rise',
          );
          assert.ok(endOf(items).records >= ordinals.length);
        }),
        propertyParameters({ short: 150, full: 450 }),
      );
    });
  }
});
