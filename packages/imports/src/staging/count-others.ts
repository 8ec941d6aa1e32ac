import { maskDigitRuns, toStorableText } from '@tallystick/kernel';

/** How many records that are no clearings a file has, by their type. */
export type OtherRecords = Readonly<Record<string, number>>;

/** The most types that are counted apart, and the longest. A damaged file may have any number. */
const types_max = 100;
const type_length_max = 40;

/** The type of all records beyond `types_max`. */
const further_types = 'further types';

/** Counts one more record of this type, or as many as `records`. */
export function countOther(counts: OtherRecords, type: string, records = 1): OtherRecords {
  const named = toStorableText(maskDigitRuns(type).slice(0, type_length_max));
  const is_known = Object.hasOwn(counts, named);
  const key = is_known || Object.keys(counts).length < types_max ? named : further_types;
  const count = Object.hasOwn(counts, key) ? counts[key]! : 0;
  return { ...counts, [key]: count + records };
}

/** The counts at the end of a file: also the records that are parts of clearings. */
export function withParts(counts: OtherRecords, parts: OtherRecords = {}): OtherRecords {
  return Object.entries(parts).reduce((sum, [type, records]) => countOther(sum, type, records), counts);
}
