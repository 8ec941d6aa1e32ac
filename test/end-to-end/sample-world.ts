import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompany } from '@tallystick/access';
import {
  type AuthorizationInput,
  type ClearingAnswer,
  type ClearingInput,
  createNetwork,
  createRealCard,
  issueCard,
  type Network,
  normalizeAuthorization,
  normalizeClearing,
  revealNumbers,
} from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import type { Call } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { billing_currency, type CardOf, type IssuedCard, type SampleRecord, type SampleSet } from '@tallystick/samples';
import { type DatabaseName, migratedDatabase, type ScratchDatabase, test_keys } from '@tallystick/test-support';
import { createVault, parseKeyRing, type Vault } from '@tallystick/vault';

/**
 * A database with the cards of a set, and the network's side of the service on it, in this process.
 */
export interface SampleWorld {
  readonly database: ScratchDatabase;
  readonly persistence: Persistence;
  readonly vault: Vault;
  readonly cardOf: CardOf;
  /** Throws if a message of the set is refused or declined. */
  authorize(message: AuthorizationInput): Promise<void>;
  clear(message: ClearingInput): Promise<ClearingAnswer>;
  /** Closes what this process has open, and keeps the database for other processes. */
  leave(): Promise<void>;
  /** Closes and removes everything. */
  close(): Promise<void>;
}

/** The most messages in flight at once. */
const in_flight = 256;

/**
 * Opens a scratch database with the cards of the set. The clock of this process stands still at noon
 * of the set's day.
 */
export async function openSampleWorld(name: DatabaseName, set: SampleSet): Promise<SampleWorld> {
  const database = await migratedDatabase(name);
  const now_ms = Date.parse(`${set.options.day}T12:00Z`);
  const clock = { nowMs: () => now_ms };
  const vault = createVault(parseKeyRing(test_keys));
  const { audit_mac } = vault;
  const persistence = await mikroOrmPersistence({ database_url: database.database_url, clock, audit_mac });
  const { card_vault, random, sealer, sha256 } = vault;
  const network: Network = createNetwork({
    ledger: persistence.ledger,
    vault: card_vault,
    random,
    sealer,
    sha256,
    onFault: (error) => console.error(error),
  });
  const cards = await issueCards(persistence, vault, set, now_ms);
  let left: Promise<void> | null = null;
  const leave = (): Promise<void> => {
    left ??= network.drain().then(() => persistence.close());
    return left;
  };
  return {
    database,
    persistence,
    vault,
    cardOf: (card) => cards[card]!,
    async authorize(message) {
      const answer = await network.authorize(normalizeAuthorization(message, card_vault, null));
      const approved = (message.response_code ?? '00') === '00';
      if (answer.kind === 'refused' || (answer.response_code === '00') !== approved) {
        throw new Error(`${JSON.stringify({ ...message, card_number: '' })} was answered ${JSON.stringify(answer)}`);
      }
    },
    clear: (message) => network.clear(normalizeClearing(message, card_vault, null)),
    leave,
    async close() {
      await leave();
      await database.dispose();
    },
  };
}

async function issueCards(
  persistence: Persistence,
  { card_vault: vault, random }: Vault,
  set: SampleSet,
  now_ms: number,
): Promise<readonly IssuedCard[]> {
  const operator = { actor: 'command', request_id: null, now_ms };
  return await persistence.unitOfWork.run(async (tx) => {
    const company = await createCompany(tx, operator, { name: 'Acme', customer_number: '1' });
    const call: Call = { ...operator, company_id: company.id };
    await createRealCard(tx, call, { alias: 'Travel', billing_currency, account_range: '545454' });
    const cards: IssuedCard[] = [];
    for (const request of set.cards()) {
      const { card } = await issueCard(tx, { vault, random }, call, request);
      const numbers = await revealNumbers(tx, { vault }, call, [card]);
      cards.push({ vcn_id: card.id, card_number: numbers.get(card.id)!.card_number });
    }
    return cards;
  });
}

/**
 * Sends the authorizations of the set, and the clearings that are to come by message before the
 * file.
 */
export async function sendBefore(world: SampleWorld, set: SampleSet): Promise<void> {
  await sendInOrder(set.authorizations(world.cardOf), world.authorize);
  await sendInOrder(sentBefore(world, set), world.clear);
}

function* sentBefore({ cardOf }: SampleWorld, set: SampleSet): Generator<ClearingInput> {
  for (const { expected, message } of set.records(cardOf)) if (expected.sent_before && message !== null) yield message;
}

/**
 * Sends messages in their order, many at once: each is taken before the next one, and then awaited.
 */
export async function sendInOrder<Message>(
  messages: Iterable<Message>,
  send: (message: Message) => Promise<unknown>,
): Promise<void> {
  let sent: Promise<unknown>[] = [];
  for (const message of messages) {
    sent.push(send(message));
    if (sent.length < in_flight) continue;
    await Promise.all(sent);
    sent = [];
  }
  await Promise.all(sent);
}

/** The clearing file of a set, in a folder of its own. */
export interface SampleFile {
  readonly path: string;
  dispose(): void;
}

/** Writes the file of the whole set. */
export function writeSampleFile(set: SampleSet, cardOf: CardOf): SampleFile {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-sample-'));
  const path = join(folder, `clearings.${set.options.format}`);
  const file = openSync(path, 'w');
  for (const bytes of pieces(set, set.records(cardOf))) writeSync(file, bytes);
  closeSync(file);
  return { path, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The bytes of a file with these records of the set, in this order. */
export function sampleFileBytes(set: SampleSet, records: readonly SampleRecord[]): Uint8Array {
  return Buffer.concat([...pieces(set, records)]);
}

function pieces({ options }: SampleSet, records: Iterable<SampleRecord>): Iterable<Uint8Array> {
  const format = clearing_formats.find(({ name }) => name === options.format);
  if (format?.write === undefined) throw new Error(`files of ${options.format} cannot be written`);
  return format.write({ sequence: 1, created_on: options.day, mode: 'production', clearings: written(records) });
}

function* written(records: Iterable<SampleRecord>) {
  for (const record of records) yield record.written;
}
