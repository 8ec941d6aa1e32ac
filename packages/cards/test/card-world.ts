import assert from 'node:assert/strict';
import { type Call, money, Refusal } from '@tallystick/kernel';
import type { PurchaseTemplate } from '@tallystick/templates';
import {
  type Authorization,
  type CardReading,
  type CardsTx,
  issueCard,
  type RealCard,
  updateCard,
  type VirtualCard,
} from '../src/index.ts';
import { inMemoryCards, type Rival, repeatableRandom, ringVault } from './in-memory-cards.ts';

/** A Saturday. Cards created now expire in 2028-11. */
export const now_ms = Date.UTC(2026, 10, 21, 10, 30);
export const day_ms = 86_400_000;
export const call: Call = { company_id: 1, actor: 'key:1', request_id: 'r-1', now_ms };

export type Request = Readonly<Record<string, unknown>>;

const template: PurchaseTemplate = {
  id: 1,
  company_id: null,
  name: 'Allow all',
  description: '',
  mcc_list: [],
  mcc_rule: 'DENY',
  required_control: 'VELOCITY',
  status: 'ACTIVE',
  transaction_key: '',
  copy_from_template: '',
  customer_number: '',
  environment: 'sandbox',
  created_at_ms: 0,
  updated_at_ms: 0,
  deleted_at_ms: null,
  completes_at_ms: null,
};

const real_card: RealCard = {
  id: 51,
  company_id: 1,
  alias: 'Office',
  billing_currency: 'USD',
  account_range: '512345',
  velocity_enabled: true,
  network_data_names: null,
  is_default: true,
  created_at_ms: 0,
};

/**
 * Company 1: its default real card 51; 52 without velocity control, which knows two names of network data. Company 2:
 * real card 53. Templates: 1 and 2 shared; of company 1: 11 (velocity), 12 (aging), 13 (pending), 14 (deleted); 15 of
 * company 2.
 */
export function cardWorld(rival?: Rival) {
  const world = inMemoryCards(rival);
  const { templates, real_cards } = world.committed();
  const own = { ...template, company_id: 1 };
  for (const one of [
    template,
    { ...template, id: 2, required_control: 'AGING_VELOCITY' as const },
    { ...own, id: 11 },
    { ...own, id: 12, required_control: 'AGING_VELOCITY' as const },
    { ...own, id: 13, status: 'PENDING' as const },
    { ...own, id: 14, deleted_at_ms: 5 },
    { ...own, id: 15, company_id: 2 },
  ]) {
    templates.set(one.id, one);
  }
  for (const one of [
    real_card,
    {
      ...real_card,
      id: 52,
      alias: 'Plain',
      is_default: false,
      velocity_enabled: false,
      network_data_names: ['Purchase Type', 'Trip'],
    },
    { ...real_card, id: 53, company_id: 2, alias: 'Other' },
  ]) {
    real_cards.set(one.id, one);
  }
  const ports = { vault: ringVault('k1'), random: repeatableRandom(3) };
  const run = <Result>(work: (tx: CardsTx) => Promise<Result>) => world.unit_of_work.run(work);
  return {
    ...world,
    ports,
    run,
    issue: (request: Request, by: Call = call): Promise<CardReading> =>
      run((tx) => issueCard(tx, ports, by, { total_card_amount: 10_000, ...request })),
    update: (id: number, request: Request, by: Call = call): Promise<CardReading> =>
      run((tx) => updateCard(tx, by, id, request)),
    /** Sets counters as a pass of the network would. */
    use: (id: number, counters: Partial<Record<keyof VirtualCard['counters'], number>>) => {
      const card = world.committed().cards.get(id)!;
      const used = { ...card.counters, ...counters } as VirtualCard['counters'];
      world.committed().cards.set(id, { ...card, counters: used });
    },
    /** Records an open root authorization on a card, as a pass of the network would. */
    authorize: (card: VirtualCard, row: Partial<Authorization> = {}): Authorization => {
      const id = world.nextId();
      const authorization = { ...openAuthorization, id, root_id: id, card_id: card.id, ...row };
      world.committed().authorizations.set(id, authorization);
      return authorization;
    },
  };
}

const openAuthorization: Authorization = {
  id: 0,
  company_id: 1,
  card_id: 0,
  root_id: null,
  message_type: '0100',
  incremental: false,
  trace_id: 'T',
  system_trace_audit_number: '000001',
  transaction_date_time_ms: now_ms,
  decided_at_ms: now_ms,
  decline_code: null,
  approval_code: 'ABC123',
  billing_amount: money(100),
  merchant_amount: money(100),
  merchant_currency: 'USD',
  mcc: '5411',
  merchant_id: null,
  net_reference_number: null,
  details: {},
  request_id: null,
  window_start_ms: 0,
  status: 'open',
  authorized: money(100),
  held: money(100),
  cleared: money(0),
  uses: 1,
  hold_end_ms: null,
};

/** The paths of the fields that the refusal names, sorted; an empty list when the work is not refused. */
export async function invalidFields(work: Promise<unknown>): Promise<readonly string[]> {
  return (await refusalOf(work))?.fields.map(({ path }) => path).sort() ?? [];
}

/** The refusal (`validation_failed`) that the work ends in; null when it is not refused. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal | null> {
  try {
    await work;
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'validation_failed', String(error));
    return error;
  }
}

/** Asserts that the work is refused as `not_found`. */
export async function assertNotFound(work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => error instanceof Refusal && error.code === 'not_found');
}
