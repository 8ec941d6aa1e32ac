import { readFileSync } from 'node:fs';
import { readRows, type ScratchDatabase, sqliteFile, tableNames } from '@tallystick/test-support';

/** A notation of a secret, and the bytes that reveal it. */
export interface Encoding {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Bytes that must not contain a secret, and where they were found. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Every notation in which a secret might be stored: as text (ASCII is also UTF-8), as text of two
 * bytes, packed two digits to a byte, as base64 at any offset, as hex, and grouped as on a card.
 */
export function encodingsOf(secret: string): readonly Encoding[] {
  const ascii = Buffer.from(secret, 'latin1');
  const utf16le = Buffer.from(secret, 'utf16le');
  const utf16be = Buffer.from(utf16le).swap16();
  const encodings: Encoding[] = [
    { name: 'ASCII', bytes: ascii },
    { name: 'UTF-16LE', bytes: utf16le },
    { name: 'UTF-16BE', bytes: utf16be },
    { name: 'hex', bytes: Buffer.from(ascii.toString('hex')) },
    { name: 'HEX', bytes: Buffer.from(ascii.toString('hex').toUpperCase()) },
    ...[0, 1, 2].map((offset) => ({ name: `base64 at ${offset}`, bytes: base64Core(ascii, offset) })),
  ];
  if (/^\d{16}$/.test(secret)) {
    const packed = Buffer.from(secret, 'hex');
    encodings.push(
      { name: 'BCD', bytes: packed },
      // With odd alignment the first and the last digit share a byte with other data.
      { name: 'BCD, odd', bytes: Buffer.from(secret.slice(1, -1), 'hex') },
      ...[0, 1, 2].map((offset) => ({ name: `base64 of BCD at ${offset}`, bytes: base64Core(packed, offset) })),
      ...[' ', '-'].map((gap) => ({
        name: `groups with "${gap}"`,
        bytes: Buffer.from(secret.match(/\d{4}/g)!.join(gap)),
      })),
    );
  }
  return encodings;
}

/**
 * The characters of a base64 text that depend only on `bytes`, when these begin `offset` bytes
 * after a whole group.
 */
function base64Core(bytes: Buffer, offset: number): Buffer {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + bytes.length) * 8) / 6);
  return Buffer.from(text.slice(first, last));
}

/**
 * The places and notations of the secrets that were found:
 * `row 3 of mails: the 1st secret as UTF-16LE`. Never the secret itself.
 */
export function findTraces(places: readonly Place[], secrets: readonly string[]): readonly string[] {
  const wanted = secrets.map((secret) => encodingsOf(secret));
  return places.flatMap(({ name, bytes }) =>
    wanted.flatMap((encodings, which) =>
      encodings
        .filter((encoding) => bytes.includes(encoding.bytes))
        .map((encoding) => {
          const at = bytes.indexOf(encoding.bytes);
          const before = bytes
            .subarray(Math.max(0, at - 60), at)
            .toString('latin1')
            .replace(/[^\x20-\x7e]/g, '.');
          return `${name}: secret ${which} as ${encoding.name}, after ${before}`;
        }),
    ),
  );
}

/** Every value of every row of every table, as text or bytes. */
export async function rowsAsPlaces(database: ScratchDatabase): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const table of await tableNames(database)) {
    for (const row of await readRows(database, `select * from "${table}"`)) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null) continue;
        const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
        places.push({ name: `${table}.${column}`, bytes });
      }
    }
  }
  return places;
}

/** The files of a SQLite database on the disk, including deleted and overwritten data. */
export function filesAsPlaces(database: ScratchDatabase): readonly Place[] {
  return ['', '-wal', '-shm'].flatMap((ending) => {
    try {
      return [{ name: `file${ending}`, bytes: readFileSync(sqliteFile(database) + ending) }];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}
