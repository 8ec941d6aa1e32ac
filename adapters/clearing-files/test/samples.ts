import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joined } from './reading.ts';
import { sampleContent, type Writing, writings } from './sample-content.ts';

/** The folder of the sample files that the product keeps. */
export const samples_folder = join(import.meta.dirname, '..', 'samples');

const endings: Readonly<Record<string, string>> = { cdf3: 'xml', ipm: 'ipm', csv: 'csv', vcf4: 'tsv' };

export function sampleName({ format, variant }: Writing): string {
  return `${[format.name, variant].filter(Boolean).join('-')}.${endings[format.name]}`;
}

/** Twelve clearings, of which the last one has a currency that does not exist. */
export function sampleBytes({ format, variant }: Writing): Buffer {
  const content = sampleContent(12, 1);
  const clearings = content.clearings.map((written, at) => (at === 11 ? { ...written, malformed: true } : written));
  return joined(format.write!({ ...content, clearings }, variant));
}

// Run as a program, it writes the files again.
if (import.meta.main) {
  for (const writing of writings) writeFileSync(join(samples_folder, sampleName(writing)), sampleBytes(writing));
}
