import {
  type CardVault,
  type ClearingAnswer,
  type ClearingMessage,
  foldMessages,
  type LedgerState,
  Pan,
  type ReplayPorts,
  type VirtualCard,
} from '@tallystick/cards';
import {
  bytesOf,
  everyPage,
  fileOf,
  freshFileId,
  type Line,
  line_format,
  makeCard,
  makeOwner,
  type Records,
  type StorageUnderTest,
  sealedNumber,
} from '@tallystick/harness';
import { fixedClock, fromHex, type Random, type Sha256 } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import {
  createFormats,
  type Import,
  type ImportOptions,
  type ImportOutcome,
  type ImportPorts,
  type ImportSource,
  import_lease_ms,
  importFile,
  type StatedClearing,
} from '../src/index.ts';

/** A hash that is good enough to distinguish the files and messages of a test. */
function hashOf(bytes: Uint8Array): string {
  let [a, b] = [0x811c9dc5, 0x1234567];
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193) >>> 0;
    b = Math.imul(b + byte, 0x85ebca6b) >>> 0;
    b ^= b >>> 13;
  }
  return (a.toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')).repeat(4);
}

const sha256: Sha256 = (bytes) => fromHex(hashOf(bytes));

const vault: Pick<CardVault, 'index' | 'cvcMatches'> = {
  index: (pan: Pan) => new TextEncoder().encode(pan.reveal()),
  cvcMatches: () => true,
};

let drawn = 0;

/** Each draw is another one, in one process. */
const random: Random = {
  below: (bound) => (drawn++ * 7_919) % bound,
  bytes: (count) => {
    drawn += 1;
    const bytes = new Uint8Array(count);
    new DataView(bytes.buffer).setUint32(0, drawn);
    return bytes;
  },
};

/** A world on an empty storage in memory. */
export function newWorld(): ImportWorld {
  const now_ms = Date.parse('2026-05-20T12:00:00Z');
  const { unitOfWork, ledger, close } = memoryPersistence({ clock: fixedClock(now_ms) });
  const storage: StorageUnderTest = { unitOfWork, ledger, close, now_ms };
  return new ImportWorld(storage);
}

/** The ports of imports on this storage, and a machine time that a test moves. */
export class ImportWorld {
  readonly storage: StorageUnderTest;
  readonly call: { readonly actor: string; readonly request_id: null; readonly now_ms: number };
  machine_ms = 1_000_000;

  constructor(storage: StorageUnderTest) {
    this.storage = storage;
    this.call = { actor: 'command', request_id: null, now_ms: storage.now_ms };
  }

  ports(changes: Partial<ImportPorts> = {}): ImportPorts {
    const { unitOfWork, ledger, now_ms } = this.storage;
    return {
      unitOfWork,
      ledger,
      formats: createFormats([line_format]),
      vault,
      random,
      sealer: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed, isCurrent: () => true },
      sha256,
      createSha256: () => {
        const chunks: number[] = [];
        return { update: (bytes) => void chunks.push(...bytes), digest: () => hashOf(new Uint8Array(chunks)) };
      },
      clock: fixedClock(now_ms),
      machine_clock: { nowMs: () => this.machine_ms },
      // A lease is renewed with each batch only: a test moves the time.
      pause: (ms) => (ms >= import_lease_ms / 3 ? new Promise(() => {}) : Promise.resolve()),
      monotonicNow: () => 0,
      rest: async () => {},
      giveWay: () => undefined,
      is_production: true,
      pass_kind: 'beside',
      batch_records_max: 2,
      ...changes,
    };
  }

  /** Imports a file of these lines. */
  import(lines: readonly Line[], changes: ImportChanges = {}): Promise<ImportOutcome> {
    const { ports, source, ...options } = changes;
    return importFile(this.ports(ports), this.call, sourceOf(bytesOf(lines), source), options);
  }

  /** The import of whole lines, whatever became of it. */
  async imported(lines: readonly Line[], changes: ImportChanges = {}): Promise<Import> {
    return (await this.import(lines, changes)).import;
  }

  /** The ports of a replay of one record, as the network sends its message. */
  replayPorts(): ReplayPorts {
    const { unitOfWork, ledger, sealer, sha256, random } = this.ports();
    const network = {
      async clear(message: ClearingMessage) {
        const fold = (state: LedgerState) => foldMessages(state, [message], { vault, random, sealer, sha256 });
        const [answer] = await ledger.pass([message], fold);
        return answer as ClearingAnswer;
      },
    };
    return { unitOfWork, network, vault, sealer };
  }

  /** A new card of a new company. */
  makeCard(number?: Pan): Promise<VirtualCard> {
    const sealed = sealedNumber();
    const its = number === undefined ? sealed : { ...sealed, number_index: vault.index(number) };
    return this.storage.unitOfWork.run(async (tx) => makeCard(tx, await makeOwner(tx), {}, its));
  }

  /** The transaction ids of the clearings of a card, in order. */
  async clearingsOf(card: VirtualCard): Promise<readonly string[]> {
    return await this.storage.unitOfWork.read(async ({ cards }) => {
      const rows = await everyPage((page) => cards.clearings(card.company_id, card.id, page), 100);
      return rows.map((row) => row.network_financial_transaction_id).sort();
    });
  }
}

/** Ports, properties of the source and options that differ from those of other imports. */
export interface ImportChanges extends ImportOptions {
  readonly ports?: Partial<ImportPorts>;
  readonly source?: Partial<ImportSource>;
}

/** A source of these bytes, in pieces of 100. */
export function sourceOf(bytes: Uint8Array, changes: Partial<ImportSource> = {}): ImportSource {
  return {
    name: 'clearing.txt',
    is_repeatable: true,
    bytes_total: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
    },
    ...changes,
  };
}

let numbers_made = 0;

/** A number that no card has. */
export function freshNumber(): Pan {
  numbers_made += 1;
  return new Pan(`545454${String(numbers_made).padStart(10, '0')}`);
}

let clearings_made = 0;

/** A debit for the card, with a transaction id that no other clearing has. */
export function clearingLine(
  card: Pick<VirtualCard, 'id'>,
  input: Partial<StatedClearing> = {},
  more: object = {},
): Line {
  clearings_made += 1;
  return {
    kind: 'clearing',
    input: {
      vcn_id: card.id,
      network_financial_transaction_id: `I${String(clearings_made).padStart(6, '0')}`,
      billing_amount: 100 + clearings_made,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2026-05-20',
      ...input,
    },
    ...more,
  };
}

/** The counts of an import. */
export function countsOf({ status, records, applied, duplicates, quarantined }: Import) {
  return { status, records, applied, duplicates, quarantined };
}

/** The transaction ids of the clearings of a file, in order. */
export function transactionsOf(lines: readonly Line[]): readonly string[] {
  const ids = lines.flatMap((line) => (line.kind === 'clearing' ? [line.input.network_financial_transaction_id!] : []));
  return ids.sort();
}

/** Good clearings, in a file of their own. */
export async function wholeFile(world: ImportWorld, count: number) {
  const card = await world.makeCard();
  const records = Array.from({ length: count }, () => clearingLine(card)) as Records;
  return { card, lines: fileOf(records, { file_id: freshFileId() }) };
}

/** The process ends here. */
export class Crash extends Error {}

/** Ports that crash at the commit with this number, before or after it. */
export function crashingAt(world: ImportWorld, at: number, when: 'before' | 'after'): Partial<ImportPorts> {
  const { unitOfWork, ledger } = world.storage;
  let commits = 0;
  async function commit<Result>(run: () => Promise<Result>): Promise<Result> {
    commits += 1;
    const is_last = commits === at;
    if (commits > at || (is_last && when === 'before')) throw new Crash();
    const result = await run();
    if (is_last) throw new Crash();
    return result;
  }
  return {
    unitOfWork: { run: (work) => commit(() => unitOfWork.run(work)), read: (work) => unitOfWork.read(work) },
    ledger: { ...ledger, pass: (messages, fold, bounds) => commit(() => ledger.pass(messages, fold, bounds)) },
  };
}
