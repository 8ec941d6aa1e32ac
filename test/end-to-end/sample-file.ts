import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearing_formats } from '@tallystick/clearing-files';
import type { CardOf, SampleRecord, SampleSet } from '@tallystick/samples';

/** The clearing file of a set, in a folder of its own. */
export interface SampleFile {
  readonly path: string;
  dispose(): void;
}

/** Writes the file of the whole set. */
export function writeSampleFile(set: SampleSet, cardOf: CardOf): SampleFile {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-sample-'));
  const path = join(folder, `clearings.${set.options.format}`);
  const file = openSync(path, 'w');
  for (const bytes of pieces(set, set.records(cardOf))) writeSync(file, bytes);
  closeSync(file);
  return { path, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The bytes of a file with these records of the set, in this order. */
export function sampleFileBytes(set: SampleSet, records: readonly SampleRecord[]): Uint8Array {
  return Buffer.concat([...pieces(set, records)]);
}

function pieces({ options }: SampleSet, records: Iterable<SampleRecord>): Iterable<Uint8Array> {
  const format = clearing_formats.find(({ name }) => name === options.format);
  if (format?.write === undefined) throw new Error(`files of ${options.format} cannot be written`);
  return format.write({ sequence: 1, created_on: options.day, mode: 'production', clearings: written(records) });
}

function* written(records: Iterable<SampleRecord>) {
  for (const record of records) yield record.written;
}
