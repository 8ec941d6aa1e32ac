import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@tallystick/kernel';
import { createKeyRingText, type KeyRing, parseKeyRing } from '@tallystick/vault';

/**
 * The sandbox's key ring: `keys` in the data folder, written as in `TALLYSTICK_KEYS`, made on the first start with mode 0600.
 * Two processes that start at once get the same. A file that others may read is closed to them.
 */
export function sandboxKeyRing(data_folder: string): KeyRing {
  const path = join(data_folder, 'keys');
  try {
    mkdirSync(data_folder, { recursive: true, mode: 0o700 });
    return readKeys(path) ?? makeKeys(path);
  } catch (error) {
    const reason = error instanceof Refusal ? error.message : (error as NodeJS.ErrnoException).message;
    throw new UnusableKeysFile(`The sandbox keeps its keys in ${path}, which cannot be used: ${reason}`, {
      cause: error,
    });
  }
}

/** The sandbox's key file cannot be read or made, or holds no ring. */
export class UnusableKeysFile extends Error {
  override readonly name = 'UnusableKeysFile';
}

/** Puts another ring in the place of the sandbox's, in one step, and returns the path of its file. */
export function replaceSandboxKeys(data_folder: string, ring: KeyRing): string {
  const path = join(data_folder, 'keys');
  renameSync(draftOf(path, ring.reveal()), path);
  return path;
}

function readKeys(path: string): KeyRing | null {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return parseKeyRing(readFileSync(path, 'utf8').trim());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Written whole beside its place and linked into it, so that no one ever reads half a key or a loser's key. */
function makeKeys(path: string): KeyRing {
  const draft = draftOf(path, createKeyRingText());
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKeys(path) as KeyRing;
}

function draftOf(path: string, keys: string): string {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${keys}\n`, { mode: 0o600, flag: 'wx' });
  return draft;
}
