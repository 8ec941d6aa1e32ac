import assert from 'node:assert/strict';
import { Refusal } from '@tallystick/kernel';

/** Returns the refusal of the work. Fails when the work ends in any other way. */
export async function refusalOf(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof Refusal, `not a refusal: ${String(error)}`);
    return error;
  }
  return assert.fail('nothing was refused');
}

/** Returns the content of a refusal as `code: path path`. */
export function gist({ code, fields }: Refusal): string {
  return [`${code}:`, ...fields.map((field) => field.path)].join(' ');
}
