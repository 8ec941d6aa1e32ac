import assert from 'node:assert/strict';
import { Refusal } from '@tallystick/kernel';

/** The refusal that the work ends in; fails when it ends in anything else. */
export async function refusalOf(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof Refusal, `not a refusal: ${String(error)}`);
    return error;
  }
  return assert.fail('nothing was refused');
}

/** What a refusal says, as `code: path path` */
export function gist({ code, fields }: Refusal): string {
  return [`${code}:`, ...fields.map((field) => field.path)].join(' ');
}
