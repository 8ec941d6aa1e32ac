import { createHash } from 'node:crypto';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CardVault, createNetwork, normalizeAuthorization } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import { createFormats, type ImportPorts, type ImportSource } from '@tallystick/imports';
import { machine_timers, Temporal } from '@tallystick/kernel';
import type { Persistence } from '@tallystick/mikro-orm';
import { type CardOf, createSampleSet, type SampleSet } from '@tallystick/samples';
import { clock, numberIndex } from './filled-database.ts';
import { no_codes, plain_quarantine, random } from './messages.ts';

/** Messages in flight while a database is prepared. */
const at_once = 256;

/** The cards of a filled database: their ids begin with 1, and their numbers end with the id. */
const cardOf: CardOf = (card) => ({
  vcn_id: card + 1,
  card_number: `555555${String(card + 1).padStart(10, '0')}`,
});

/** Finds the cards of a filled database by their numbers. No other number is known. */
const vault: Pick<CardVault, 'index' | 'cvcMatches'> = {
  ...no_codes,
  index(pan) {
    const number = pan.reveal();
    return number.startsWith('555555') ? numberIndex(Number(number.slice(6))) : numberIndex(-1);
  },
};

/** A set of samples for a bench, with its IPM file. */
export interface ImportSet {
  readonly records: number;
  readonly path: string;
  readonly bytes: number;
  /** Sends the authorizations of the set to a filled database. */
  authorize(persistence: Persistence): Promise<void>;
  dispose(): void;
}

/** Writes the file of a set of this size, in a folder of its own. */
export function importSet(cards: number, records: number): ImportSet {
  const day = Temporal.Now.plainDateISO('UTC').toString();
  const set = createSampleSet({ cards, records, seed: 1, format: 'ipm', day });
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-bench-import-'));
  const path = join(folder, 'clearings.ipm');
  const ipm = createFormats(clearing_formats).find('ipm');
  if (ipm?.write === undefined) throw new Error('IPM files cannot be written');
  const file = openSync(path, 'w');
  for (const bytes of ipm.write({ sequence: 1, created_on: day, mode: 'production', clearings: written(set) })) {
    writeSync(file, bytes);
  }
  closeSync(file);
  return {
    records,
    path,
    bytes: statSync(path).size,
    authorize: (persistence) => authorize(set, persistence),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function* written(set: SampleSet) {
  for (const record of set.records(cardOf)) yield record.written;
}

async function authorize(set: SampleSet, { ledger }: Persistence): Promise<void> {
  const network = createNetwork({ ledger, vault, random, ...plain_quarantine });
  let sent: Promise<unknown>[] = [];
  for (const message of set.authorizations(cardOf)) {
    sent.push(network.authorize(normalizeAuthorization(message, vault, null)));
    if (sent.length < at_once) continue;
    await Promise.all(sent);
    sent = [];
  }
  await Promise.all(sent);
  await network.drain();
}

/** A file as the command imports it. */
export function fileSource(path: string): ImportSource {
  return {
    name: 'clearings.ipm',
    open: () => createReadStream(path),
    is_repeatable: true,
    bytes_total: statSync(path).size,
  };
}

/** The ports of imports on a filled database. */
export function importPorts({ unitOfWork, ledger, rest, giveWay }: Persistence): ImportPorts {
  return {
    unitOfWork,
    ledger,
    rest,
    giveWay,
    pass_kind: 'alone',
    formats: createFormats(clearing_formats),
    vault,
    random,
    ...plain_quarantine,
    createSha256() {
      const hash = createHash('sha256');
      return {
        update: (bytes) => void hash.update(bytes),
        digest: () => hash.digest('hex'),
      };
    },
    clock,
    machine_clock: clock,
    pause: machine_timers.pause,
    monotonicNow: machine_timers.monotonicNow,
    is_production: false,
  };
}

/** The caller of every import. */
export const import_call = { actor: 'command', request_id: null, now_ms: 0 } as const;
