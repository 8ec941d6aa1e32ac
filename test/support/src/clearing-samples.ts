import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names the folder of clearing files that other programs wrote. They are no part of the product.
 */
export const clearing_samples_variable = 'TEST_CLEARING_SAMPLES';

/** The folder without the variable: `shared/spec/clearing-samples` beside the project. */
const beside_the_project = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'spec', 'clearing-samples');

/** The folder of those files, which may be absent. */
export function clearingSamplesFolder(): string {
  return process.env[clearing_samples_variable] || beside_the_project;
}

/** Why those files cannot be read, for the `skip` of a test; false when they can. */
export function clearingSamplesMissing(): string | false {
  if (existsSync(clearingSamplesFolder())) return false;
  return `${clearing_samples_variable} names no folder, and the project has none beside it`;
}

/** The bytes of one of those files. */
export function readClearingSample(name: string): Buffer {
  return readFileSync(join(clearingSamplesFolder(), name));
}
