import { chmodSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, toHex } from '@tallystick/kernel';
import { createKeyRingText, type KeyRing, machine_random, parseKeyRing } from '@tallystick/vault';
import { makeDefaultFolder } from './default-folder.ts';

/**
 * The sandbox's key ring: the file `keys` in the data folder, in the format of `TALLYSTICK_KEYS`,
 * created on the first start with mode 0600. Two processes that start at the same time use the same
 * ring. The folder must exist, except for the default. If other users may read the file, this
 * permission is removed.
 */
export function sandboxKeyRing(data_folder: string, random: Random = machine_random): KeyRing {
  const path = join(data_folder, 'keys');
  try {
    makeDefaultFolder(data_folder);
    return readKeys(path) ?? makeKeys(path, random);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'the folder does not exist: make it, or correct its name' : message;
    throw new UnusableKeysFile(`The sandbox keeps its keys in ${path}, which cannot be used: ${reason}`, {
      cause: error,
    });
  }
}

/** The sandbox's key file cannot be read or created, or contains no ring. */
export class UnusableKeysFile extends Error {
  override readonly name = 'UnusableKeysFile';
}

/** Replaces the sandbox's ring in one step, and returns the path of its file. */
export function replaceSandboxKeys(data_folder: string, ring: KeyRing, random: Random = machine_random): string {
  const path = join(data_folder, 'keys');
  renameSync(draftOf(path, ring.reveal(), random), path);
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

/**
 * The file is written completely under another name and then linked, so that no process reads a
 * partial key or a key that lost the race.
 */
function makeKeys(path: string, random: Random): KeyRing {
  const draft = draftOf(path, createKeyRingText(random), random);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKeys(path) as KeyRing;
}

function draftOf(path: string, keys: string, random: Random): string {
  const draft = `${path}.${process.pid}.${toHex(random.bytes(4))}`;
  writeFileSync(draft, `${keys}\n`, { mode: 0o600, flag: 'wx' });
  return draft;
}
