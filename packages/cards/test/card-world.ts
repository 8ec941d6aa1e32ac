import assert from 'node:assert/strict';
import { type Call, fixedClock, money, Refusal, type UnitOfWork } from '@tallystick/kernel';
import { memoryPersistence, memoryVault } from '@tallystick/memory';
import type { PurchaseTemplate } from '@tallystick/templates';
import { repeatableRandom } from '@tallystick/test-support';
import {
  type Authorization,
  type CardReading,
  type CardsTx,
  issueCard,
  type RealCard,
  updateCard,
  type VirtualCard,
} from '../src/index.ts';

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
  merchant_controls: null,
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
  version: 1,
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

/** A second writer, like another process: the rows that it holds, and how to wait for it. */
export interface Rival {
  holds(card_id: number): boolean;
  finished(): Promise<void>;
}

/**
 * Company 1: its default real card 51; 52 without velocity control, with two names of network data.
 * Company 2: real card 53; company 3: none. Templates: 1 and 2 shared; of company 1: 11 (velocity),
 * 12 (aging), 13 (pending), 14 (deleted); 15 of company 2.
 */
export function cardWorld(rival?: Rival) {
  const { unitOfWork, committed } = memoryPersistence({ clock: fixedClock('2026-11-21T10:30:00Z') });
  const { companies, templates, real_cards } = committed();
  for (const id of [1, 2, 3]) {
    const names = { id, name: `Company ${id}`, customer_number: `${id}`, full_details_in_mail: false };
    companies.set(id, {
      ...names,
      hold_days: null,
      status: 'active',
      rate_limit_per_minute: null,
      four_eyes: null,
      endpoint_version: 0,
      created_at_ms: 0,
    });
  }
  const own = { ...template, company_id: 1 };
  for (const one of [
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
  const ports = { vault: memoryVault(['k1']).card_vault, random: repeatableRandom(3) };
  let commits = 0;
  const unit_of_work: UnitOfWork<CardsTx> = {
    async run(work) {
      const result = await unitOfWork.run((tx) => work(rival === undefined ? tx : besideRival(tx, rival)));
      commits += 1;
      return result;
    },
    read: (work) => unitOfWork.read(work),
  };
  const run = <Result>(work: (tx: CardsTx) => Promise<Result>) => unit_of_work.run(work);
  return {
    unit_of_work,
    committed,
    commits: () => commits,
    events: () => committed().events.values(),
    mails: () => committed().mails.values(),
    audit: () =>
      committed()
        .audit.values()
        .map(({ at_ms: _at_ms, ...entry }) => entry),
    ports,
    run,
    issue: (request: Request, by: Call = call): Promise<CardReading> =>
      run((tx) => issueCard(tx, ports, by, { total_card_amount: 10_000, ...request })),
    update: (id: number, request: Request, by: Call = call): Promise<CardReading> =>
      run((tx) => updateCard(tx, by, id, request)),
    /** Sends the whole card back as it was answered, with changes. */
    sendBack: (id: number, request: Request): Promise<CardReading> =>
      run((tx) => updateCard(tx, call, id, request, { is_sent_back: true })),
    /** Sets counters as a pass of the network would. */
    use: (id: number, counters: Partial<Record<keyof VirtualCard['counters'], number | string | null>>) => {
      const card = committed().cards.get(id)!;
      const used = { ...card.counters, ...counters } as VirtualCard['counters'];
      committed().cards.set(id, { ...card, counters: used });
    },
    /** Records an open root authorization on a card, as a pass of the network would. */
    authorize: (card: VirtualCard, row: Partial<Authorization> = {}): Authorization => {
      const id = committed().authorizations.nextId();
      const authorization = { ...openAuthorization, id, root_id: id, card_id: card.id, ...row };
      committed().authorizations.set(id, authorization);
      return authorization;
    },
  };
}

/** The stores of a transaction while a rival holds cards. */
function besideRival(tx: CardsTx, rival: Rival): CardsTx {
  return {
    ...tx,
    cards: {
      ...tx.cards,
      async sealedByOtherKeys(key_id, limit, options) {
        if (options?.wait) await rival.finished();
        const numbers = await tx.cards.sealedByOtherKeys(key_id, Number.MAX_SAFE_INTEGER, options);
        return numbers.filter(({ card_id }) => !rival.holds(card_id)).slice(0, limit);
      },
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
  event_id: 0,
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
  facts: null,
  reduced_at_ms: null,
  window_start_ms: 0,
  status: 'open',
  authorized: money(100),
  held: money(100),
  cleared: money(0),
  uses: 1,
  hold_end_ms: null,
  uncleared_status: null,
  uncleared_uses: null,
};

/**
 * Returns the paths of the fields that the refusal names, sorted; an empty list when the work is
 * not refused.
 */
export async function invalidFields(work: Promise<unknown>): Promise<readonly string[]> {
  return (await refusalOf(work))?.fields.map(({ path }) => path).sort() ?? [];
}

/** Returns the refusal (`validation_failed`) of the work; null when it is not refused. */
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
