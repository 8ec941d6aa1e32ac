import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompany } from '@tallystick/access';
import {
  createNetwork,
  createRealCard,
  issueCard,
  type Network,
  normalizeAuthorization,
  normalizeClearing,
  revealNumbers,
} from '@tallystick/cards';
import type { ArchivedRow, RetentionKind } from '@tallystick/kernel';
import { mikroOrmPersistence, type Persistence } from '@tallystick/mikro-orm';
import { type DatabaseName, migratedDatabase, type ScratchDatabase } from '@tallystick/test-support';
import { createVault, parseKeyRing } from '@tallystick/vault';

export const day_ms = 24 * 60 * 60 * 1_000;
export const start_ms = Date.UTC(2026, 0, 15, 12);

export const vault = createVault(parseKeyRing(Buffer.alloc(32, 'retention').toString('base64')));

/** A migrated database with a company and a card, an own clock, and a folder for archives. */
export interface RetentionWorld {
  readonly scratch: ScratchDatabase;
  readonly persistence: Persistence;
  readonly network: Network;
  readonly company_id: number;
  readonly card_id: number;
  readonly folder: string;
  readonly clock: { nowMs(): number };
  now_ms: number;
  authorize(trace_id: string, fields?: Record<string, unknown>): Promise<unknown>;
  clear(transaction_id: string, fields?: Record<string, unknown>): Promise<unknown>;
  /** The archived rows of a kind, in the order in which they were written. */
  archived(kind: RetentionKind): readonly ArchivedRow[];
  dispose(): Promise<void>;
}

export async function retentionWorld(name: DatabaseName, card: Record<string, unknown> = {}): Promise<RetentionWorld> {
  const scratch = await migratedDatabase(name);
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-archive-'));
  const clock = { nowMs: () => world.now_ms };
  const persistence = await mikroOrmPersistence({
    database_url: scratch.database_url,
    clock,
    audit_mac: vault.audit_mac,
  });
  await persistence.migrate();
  const { card_vault, random, sealer, sha256 } = vault;
  const call = { actor: 'test', request_id: null, now_ms: start_ms };
  const { company_id, card_id, card_number } = await persistence.unitOfWork.run(async (tx) => {
    const { id } = await createCompany(tx, call, { name: 'Example Ltd', customer_number: '4711' });
    const own = { ...call, company_id: id };
    await createRealCard(tx, own, { alias: 'Travel', billing_currency: 'USD', account_range: '555555' });
    const request = { total_card_amount: 1_000_000, ...card };
    const reading = await issueCard(tx, { vault: card_vault, random }, own, request);
    const shown = await revealNumbers(tx, { vault: card_vault }, own, [reading.card]);
    return { company_id: id, card_id: reading.card.id, card_number: shown.get(reading.card.id)!.card_number };
  });
  const network = createNetwork({ ledger: persistence.ledger, vault: card_vault, random, sealer, sha256 });
  const common = {
    card_number,
    billing_currency: 'USD',
    merchant_currency: 'USD',
    merchant_name: 'Diner',
    mcc: '5812',
  };
  const world: RetentionWorld = {
    scratch,
    persistence,
    network,
    company_id,
    card_id,
    folder,
    clock,
    now_ms: start_ms,
    async authorize(trace_id, fields = {}) {
      const message = {
        ...common,
        message_type_indicator: '0100',
        trace_id,
        system_trace_audit_number: '000001',
        transaction_date_time: '2026-01-15T12:00:00Z',
        billing_amount: 1_000,
        merchant_amount: 1_000,
        merchant_id: 'M1',
        ...fields,
      };
      const answer = await network.authorize(normalizeAuthorization(message, card_vault, null));
      if (answer.kind === 'refused') throw answer.refusal;
      return answer.item;
    },
    async clear(network_financial_transaction_id, fields = {}) {
      const message = {
        ...common,
        network_financial_transaction_id,
        billing_amount: 1_000,
        merchant_amount: 1_000,
        clearing_type: 'DEBIT' as const,
        settlement_date: '2026-01-16',
        merchant_id: 'M1',
        ...fields,
      };
      const answer = await network.clear(normalizeClearing(message, card_vault, null));
      if (answer.kind === 'refused') throw answer.refusal;
      return answer.item;
    },
    archived(kind) {
      const files = readdirSync(folder).filter((file) => file.startsWith(`${kind}-2`));
      const numberOf = (file: string) => Number(/-(\d+)\.ndjson$/.exec(file)![1]);
      const lines = files
        .sort((a, b) => numberOf(a) - numberOf(b))
        .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
      return lines.flatMap((line) => parseLine(line));
    },
    async dispose() {
      await network.drain();
      await persistence.close();
      await scratch.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** The last line of a file may be incomplete after a crash. Its row is in the database. */
function parseLine(line: string): readonly ArchivedRow[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
