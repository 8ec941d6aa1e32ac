import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type CsvProfile, clearing_formats, csvFormat, parseCsvProfileText } from '@tallystick/clearing-files';
import { type ClearingFormat, createFormats, type Formats } from '@tallystick/imports';
import { statement_formats } from '@tallystick/statement-files';
import type { Config } from './config.ts';

/** A module or a profile of the configuration cannot be loaded. */
export class UnusableFormats extends Error {
  override readonly name = 'UnusableFormats';
}

/**
 * The formats of clearing files and bank statements: those of this version, CSV with the configured
 * profiles, and those of the configured modules.
 */
export async function loadFormats({
  csv_profiles,
  format_modules,
}: Pick<Config, 'csv_profiles' | 'format_modules'>): Promise<Formats> {
  const profiles = await Promise.all(csv_profiles.map((path) => readProfile(path)));
  const own = await Promise.all(format_modules.map(formatsOf));
  return createFormats([...clearing_formats, ...statement_formats, formatOf(profiles), ...own.flat()]);
}

function formatOf(profiles: readonly CsvProfile[]): ClearingFormat {
  try {
    return csvFormat(profiles);
  } catch (error) {
    throw new UnusableFormats(`CSV_PROFILES: ${(error as Error).message}`);
  }
}

/** Reads a profile of CSV files from a JSON file. Rejects with `UnusableFormats`. */
export async function readProfile(path: string): Promise<CsvProfile> {
  try {
    return parseCsvProfileText(await readFile(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UnusableFormats(`the CSV profile ${path} cannot be used: ${problem}`);
  }
}

async function formatsOf(path: string): Promise<readonly ClearingFormat[]> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new UnusableFormats(`CLEARING_FORMATS: ${path} cannot be loaded: ${(error as Error).message}`);
  }
  const formats = Object.values(module).filter(isFormat);
  if (formats.length === 0) throw new UnusableFormats(`CLEARING_FORMATS: ${path} exports no format of clearing files`);
  return formats;
}

function isFormat(value: unknown): value is ClearingFormat {
  if (typeof value !== 'object' || value === null) return false;
  const { name, title, detect, read } = value as Readonly<Record<string, unknown>>;
  return (
    typeof name === 'string' && typeof title === 'string' && typeof detect === 'function' && typeof read === 'function'
  );
}
