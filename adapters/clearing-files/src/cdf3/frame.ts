import type { FileHeader } from '@tallystick/imports';
import { isDay } from '@tallystick/kernel';
import { contradiction } from '../totals.ts';

type Values = ReadonlyMap<string, string>;

export const header_name = 'TransmissionHeader_1000';
export const trailer_name = 'TransmissionTrailer_9999';

export const header_fields = ['FileReferenceNum', 'ProcessingStartDate', 'RunModeIndicator', 'ProcessorNum'] as const;
export const trailer_fields = [
  'RecordCount',
  'NumOfCredits',
  'TotalAmountOfCredits',
  'NumOfDebits',
  'TotalAmountOfDebits',
] as const;

/** The reference of the examples: date, time, processor in eight digits, sequence in six. */
const reference_form = /^(\d{4})(\d\d)(\d\d)\d{6}\d{8}(\d{6})$/;

/** What a header states. Its elements may be absent or empty. */
export function readHeader(values: Values): Omit<FileHeader, 'kind' | 'ordinal' | 'offset'> {
  const file_id = values.get('FileReferenceNum') || null;
  const found = reference_form.exec(file_id ?? '');
  const day = found === null ? null : `${found[1]}-${found[2]}-${found[3]}`;
  const is_numbered = day !== null && isDay(day);
  const start_day = values.get('ProcessingStartDate') ?? '';
  const mode = values.get('RunModeIndicator');
  return {
    file_id,
    series: values.get('ProcessorNum') || null,
    sequence: is_numbered ? Number(found![4]) : null,
    created_on: is_numbered ? day : isDay(start_day) ? start_day : null,
    mode: mode === 'P' ? 'production' : mode === 'T' ? 'test' : null,
  };
}

/** The posted amounts of a file, counted while it is read. */
export class PostedTotals {
  #credits = { count: 0, sum: 0n };
  #debits = { count: 0, sum: 0n };
  #unreadable: number | null = null;

  add(direction: 'C' | 'D' | null, digits: bigint | null, ordinal: number): void {
    if (direction === null || digits === null) this.#unreadable ??= ordinal;
    if (direction === null) return;
    const total = direction === 'C' ? this.#credits : this.#debits;
    total.count += 1;
    total.sum += digits ?? 0n;
  }

  /**
   * Returns the control totals of the file. Refuses a trailer whose totals differ from those
   * counted. Sums and numbers that it does not state are 0: a day without credits has none of them.
   */
  compare(
    trailer: Values,
    records: number,
    refuse: (code: string, message: string) => never,
  ): Readonly<Record<string, string>> {
    const stated = (name: (typeof trailer_fields)[number]): bigint | null => {
      const digits = trailer.get(name) ?? '';
      if (digits === '') return null;
      return /^\d{1,30}$/.test(digits) ? BigInt(digits) : refuse('trailer_malformed', `${name} must be digits`);
    };
    const count = stated('RecordCount');
    // Some public examples count the trailer, others do not.
    if (count !== null && count !== BigInt(records) && count !== BigInt(records - 1)) {
      refuse('count_differs', `RecordCount is ${contradiction(count, BigInt(records))}`);
    }
    const totals = [
      ['NumOfCredits', BigInt(this.#credits.count)],
      ['TotalAmountOfCredits', this.#credits.sum],
      ['NumOfDebits', BigInt(this.#debits.count)],
      ['TotalAmountOfDebits', this.#debits.sum],
    ] as const;
    for (const [name, counted] of totals) {
      const total = stated(name);
      if ((total ?? 0n) === counted) continue;
      const cause = this.#unreadable === null ? '' : `; the posted amount of record ${this.#unreadable} cannot be read`;
      refuse(
        name.startsWith('Num') ? 'count_differs' : 'sum_differs',
        `${name} is ${total === null ? 'missing, which stands for ' : ''}${contradiction(total ?? 0n, counted)}${cause}`,
      );
    }
    return Object.fromEntries(
      trailer_fields.flatMap((name) => {
        const total = stated(name);
        return total === null ? [] : [[name, String(total)]];
      }),
    );
  }
}
