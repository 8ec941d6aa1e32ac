import { type AccessTx, createCompany, updateCompany } from '@tallystick/access';
import {
  type AuthorizationInput,
  type CardReading,
  type CardsTx,
  type CardVault,
  type ClearingInput,
  type ConsultationsTx,
  cancelCard,
  createConsultingNetwork,
  createNetwork,
  createRealCard,
  type DecisionEndpointTx,
  type DecisionMaker,
  issueCard,
  type Ledger,
  normalizeAuthorization,
  normalizeClearing,
  putDecisionEndpoint,
  type QuarantineStore,
  readCard,
  replayQuarantined,
  resetCodeFailures,
  revealNumbers,
  sweepHolds,
  updateCard,
} from '@tallystick/cards';
import type {
  Answer,
  AuthorizationWire,
  CapabilityName,
  CardView,
  EventView,
  MerchantControlsWire,
  ModelRun,
  QuarantineView,
  SayWire,
  SystemStart,
  SystemWith,
  WorldTemplate,
} from '@tallystick/harness';
import {
  type Call,
  type Clock,
  type Random,
  Refusal,
  type RetentionStore,
  type Sealer,
  type Sha256,
  type UnitOfWork,
} from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { type DatabaseName, migratedDatabase, testAuditMac } from '@tallystick/test-support';
import { createKeyRingText, createVault, parseKeyRing } from '@tallystick/vault';
import { assertExplained, assertTried } from './explanations.ts';
import { beginLife } from './life.ts';

/** The service has every capability. */
export type ServiceSystem = SystemWith<CapabilityName>;

/** The storage below a system, and its frozen clock. */
export interface StorageOfSystem {
  readonly unitOfWork: UnitOfWork<{ readonly retention: RetentionStore }>;
  readonly now: () => number;
}

/** The parts of the service that a planted fault may replace. */
export interface PlantedFaults {
  /** Wraps the ledger, between the network half and its storage. */
  readonly ledger?: (ledger: Ledger) => Ledger;
  /** Wraps the whole service, between it and the harness. */
  readonly system?: (system: ServiceSystem, storage: StorageOfSystem) => ServiceSystem;
}

/**
 * The service on one database, for any number of sequences. Each sequence gets a separate company
 * and its own time; in memory, a storage of its own.
 */
export interface ServiceUnderTest {
  /** A system for one sequence. Only one at a time, because they share the clock. */
  system(start: Pick<SystemStart, 'start_ms'> & Partial<SystemStart>): Promise<ServiceSystem>;
  close(): Promise<void>;
}

/** Where the service stores: in memory, or on a scratch database. */
export const storage_names = ['memory', 'sqlite', 'postgres'] as const satisfies readonly (DatabaseName | 'memory')[];
export type StorageName = (typeof storage_names)[number];

/** What the use cases here need of a transaction. */
interface Tx extends CardsTx, Pick<ConsultationsTx, 'consultations'>, DecisionEndpointTx {
  readonly companies: AccessTx['companies'];
  readonly audit: AccessTx['audit'];
  readonly quarantine: QuarantineStore;
  readonly retention: RetentionStore;
}

interface Persistence {
  readonly unitOfWork: UnitOfWork<Tx>;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

async function openPersistence(name: StorageName, clock: Clock): Promise<Persistence> {
  if (name === 'memory') return memoryPersistence({ clock });
  const database = await migratedDatabase(name);
  const persistence = await mikroOrmPersistence({
    audit_mac: testAuditMac,
    database_url: database.database_url,
    clock,
  });
  const close = async () => {
    await persistence.close();
    await database.dispose();
  };
  return { ...persistence, close };
}

/** The command that repeats a failure of the service on this storage. */
export function repeatOn(
  name: StorageName,
  { commands_max = 30, has_faults = false } = {},
): NonNullable<ModelRun['repeat']> {
  const faults = has_faults ? ' --faults' : '';
  return (seed, path, replay_path) =>
    `npm run model -- --database ${name} --commands ${commands_max}${faults} --seed=${seed} --path '${path}' --replay-path '${replay_path}'`;
}

/** The real use cases over the real persistence, with a frozen clock. */
export async function serviceOn(name: StorageName, planted: PlantedFaults = {}): Promise<ServiceUnderTest> {
  let now_ms = 0;
  const clock: Clock = { nowMs: () => now_ms };
  let persistence = await openPersistence(name, clock);
  const { card_vault: vault, random, sealer, sha256 } = createVault(parseKeyRing(createKeyRingText()));
  const plantOn = planted.ledger ?? ((ledger: Ledger) => ledger);
  let companies = 0;
  return {
    system: async ({ start_ms, seed = 0 }) => {
      companies += 1;
      now_ms = start_ms;
      // A transaction in memory copies the tables that it writes: each sequence would be slower than the last.
      if (name === 'memory') persistence = await openPersistence(name, clock);
      const setClock = (to_ms: number) => {
        now_ms = to_ms;
      };
      const parts = { persistence, plantOn, vault, random, sealer, sha256, clock, setClock, seed };
      const system = await companySystem(parts, `${companies}`);
      return planted.system?.(system, { unitOfWork: persistence.unitOfWork, now: () => now_ms }) ?? system;
    },
    close: () => persistence.close(),
  };
}

interface Parts {
  readonly persistence: Persistence;
  readonly plantOn: (ledger: Ledger) => Ledger;
  readonly vault: CardVault;
  readonly random: Random;
  readonly sealer: Sealer;
  readonly sha256: Sha256;
  readonly clock: Clock;
  readonly setClock: (to_ms: number) => void;
  readonly seed: number;
}

async function companySystem(parts: Parts, tag: string): Promise<ServiceSystem> {
  const { persistence, plantOn, vault, random, sealer, sha256, clock, seed } = parts;
  const now = () => clock.nowMs();
  const { company_id, templates } = await persistence.unitOfWork.run(async (tx) => {
    const operator = { actor: 'command', request_id: null, now_ms: now() };
    const company = await createCompany(tx, operator, { name: `Company ${tag}`, customer_number: tag });
    const call: Call = { ...operator, company_id: company.id };
    await createRealCard(tx, call, { alias: 'Travel', billing_currency: 'USD', account_range: '555555' });
    const own: WorldTemplate[] = [];
    for (const wanted of own_templates) {
      const template = await tx.templates.insert({
        ...wanted,
        company_id: company.id,
        description: wanted.name,
        status: 'ACTIVE',
        transaction_key: crypto.randomUUID(),
        copy_from_template: '1',
        customer_number: tag,
        environment: 'sandbox',
        created_at_ms: now(),
        updated_at_ms: now(),
        deleted_at_ms: null,
        completes_at_ms: null,
        version: 1,
      });
      own.push({ ...wanted, id: template.id, is_default: false });
    }
    return { company_id: company.id, templates: own };
  });
  const call = (): Call => ({ company_id, actor: 'command', request_id: null, now_ms: now() });
  const company = sayingCompany(persistence.unitOfWork);
  const start = () => {
    const life = beginLife(persistence);
    const { unitOfWork } = life;
    const ledger = plantOn(life.ledger);
    const deciding = createNetwork({ ledger, vault, random, sealer, sha256 });
    const network = createConsultingNetwork({
      network: deciding,
      decision_maker: company.decision_maker,
      unitOfWork,
      clock,
      // No answer is awaited longer than it takes.
      timers: { monotonicNow: () => 0, after: () => () => {} },
      bounds: { asked_max: 256 },
    });
    return { life, unitOfWork, ledger, network };
  };
  let service = start();
  const answered = <Value>(work: (running: typeof service) => Promise<Value>) =>
    service.life.run(() => answerOf(() => work(service)));
  const card_numbers = new Map<number, string>();
  let moves = 0;
  let crashes = 0;

  return {
    world: {
      tag,
      now_ms: now(),
      billing_currency: 'USD',
      templates: [...shared_templates, ...templates],
      files_without_ids: true,
      merchant_controls: true,
    },
    createCard: (request) =>
      answered(({ unitOfWork }) =>
        unitOfWork.run(async (tx) => {
          const reading = await issueCard(tx, { vault, random }, call(), request);
          const { card_number, cvc } = (await revealNumbers(tx, { vault }, call(), [reading.card])).get(
            reading.card.id,
          )!;
          card_numbers.set(reading.card.id, card_number);
          return { card: cardView(reading), card_number, cvc };
        }),
      ),
    updateCard: (id, request) =>
      answered(({ unitOfWork }) => unitOfWork.run(async (tx) => cardView(await updateCard(tx, call(), id, request)))),
    cancelCard: (id) =>
      answered(({ unitOfWork }) =>
        unitOfWork.run(async (tx) => {
          await cancelCard(tx, call(), id);
          return null;
        }),
      ),
    readCard: (id) =>
      answered(({ unitOfWork }) => unitOfWork.read(async (tx) => cardView(await readCard(tx, call(), id)))),
    authorize: ({ say, ...message }) =>
      answered(async ({ network }) => {
        company.willSay(message, say);
        const answer = await network.authorize(normalizeAuthorization(message as AuthorizationInput, vault, null));
        if (answer.kind === 'refused') throw answer.refusal;
        const { id, status, decision } = answer.item;
        const left = decision.facts.find(({ name }) => name === 'available_after' || name === 'available')?.value;
        const { response_code, vcn_response, issuer_response, approval_code } = answer;
        return { id, response_code, vcn_response, issuer_response, approval_code, status, left: left as number };
      }),
    clear: ({ synthetic_id = false, ...message }) =>
      answered(async ({ network }) => {
        const origin = { synthetic_id, last4: null, place: null };
        const answer = await network.clear(normalizeClearing(message as ClearingInput, vault, null, origin));
        if (answer.kind === 'refused') throw answer.refusal;
        const { id, match_rule, review, authorization_id, clearing_id } = answer.item;
        return { id, class: answer.item.class, match_rule, review, authorization_id, clearing_id };
      }),
    releaseHold: (vcn_id, authorization_id, note) =>
      answered(async ({ network }) => {
        const caller = { company_id, actor: 'command', request_id: null };
        const message = { kind: 'release', number_index: null, vcn_id, authorization_id, note, ...caller } as const;
        const answer = await network.release(message);
        if (answer.kind === 'refused') throw answer.refusal;
        return null;
      }),
    setFrozen: (vcn_id, frozen) =>
      answered(async ({ network }) => {
        const caller = { company_id, actor: 'command', request_id: null };
        const answer = await network.freeze({
          kind: 'freeze',
          number_index: null,
          vcn_id,
          frozen,
          note: null,
          ...caller,
        });
        if (answer.kind === 'refused') throw answer.refusal;
        return null;
      }),
    rematch: (request) =>
      answered(async ({ network }) => {
        const answer = await network.rematch({
          kind: 'rematch',
          number_index: null,
          matches: [request],
          company_id,
          actor: 'command',
          request_id: null,
          note: 'The receipt says so.',
          reason: null,
          act: null,
        });
        if (answer.kind === 'refused') throw answer.refusal;
        return null;
      }),
    resetCodeFailures: (id) =>
      answered(({ unitOfWork }) =>
        unitOfWork.run(async (tx) => {
          await resetCodeFailures(tx, { actor: 'command', request_id: null, now_ms: now() }, id);
          return null;
        }),
      ),
    quarantine: () => service.unitOfWork.read((tx) => quarantineOf(tx, tag)),
    replay: (quarantine_id) =>
      answered(async ({ unitOfWork, network }) => {
        const ports = { unitOfWork, network, vault, sealer };
        const operator = { actor: 'command', request_id: null, now_ms: now() };
        const { clearing_id } = await replayQuarantined(ports, operator, quarantine_id);
        return { clearing_id: clearing_id! };
      }),
    setHoldDays: (hold_days) =>
      answered(({ unitOfWork }) =>
        unitOfWork.run(async (tx) => {
          await updateCompany(tx, { actor: 'command', request_id: null, now_ms: now() }, company_id, { hold_days });
          return null;
        }),
      ),
    askCompany: (stand_in) =>
      answered(({ unitOfWork }) =>
        unitOfWork.run(async (tx) => {
          const ports = { sealer, random, url_policy: () => null };
          const rules = stand_in === null ? { status: 'inactive' } : { stand_in: [{ decision: stand_in }] };
          await putDecisionEndpoint(tx, ports, call(), { url: 'https://decide.example/', ...rules });
          return null;
        }),
      ),
    advanceClock: async (to_ms) => {
      parts.setClock(to_ms);
      moves += 1;
      // Every second move also runs the sweep, which must make no difference.
      if (moves % 2 === 0) await sweepHolds(service.ledger, 100);
    },
    events: () => service.unitOfWork.read((tx) => allEvents(tx, company_id)),
    async crash() {
      // A process may die at each of its commits.
      const commits = Math.abs(seed + crashes) % 3;
      crashes += 1;
      const report = await service.life.end(commits);
      service = start();
      return report;
    },
    async close() {
      const { unitOfWork, network } = service;
      const send = (input: AuthorizationInput) => network.authorize(normalizeAuthorization(input, vault, null));
      await assertTried({ unitOfWork, send }, call(), card_numbers);
      await assertExplained(unitOfWork, call());
      await network.drain();
    },
  };
}

type Said = Pick<AuthorizationWire, 'trace_id' | 'system_trace_audit_number'>;

/** A company that answers each question with what was planned for its message, or approves. */
function sayingCompany(unitOfWork: UnitOfWork<Tx>) {
  const says = new Map<string, SayWire>();
  const keyOf = ({ trace_id, system_trace_audit_number }: Said) => `${trace_id} ${system_trace_audit_number}`;
  const decision_maker: DecisionMaker = {
    async termsOf({ company_id }) {
      const endpoint = await unitOfWork.read((tx) => tx.decision_endpoints.find(company_id));
      return endpoint?.status === 'active' ? endpoint : null;
    },
    async ask({ item }) {
      await new Promise(setImmediate);
      const say = says.get(keyOf(item)) ?? { answer: 'approve' };
      if (say.answer === 'none') return { kind: 'failed', why: 'timeout', note: null };
      return { kind: 'answered', amount: null, note: null, ...say };
    },
  };
  return {
    decision_maker,
    willSay(message: Said, say: SayWire | undefined): void {
      if (say !== undefined) says.set(keyOf(message), say);
    },
  };
}

const shared_templates: readonly WorldTemplate[] = [
  { id: 1, mcc_rule: 'DENY', mcc_list: [], required_control: 'VELOCITY', is_default: true },
  { id: 2, mcc_rule: 'DENY', mcc_list: [], required_control: 'AGING_VELOCITY', is_default: true },
];

const merchant_controls: MerchantControlsWire = {
  merchant_ids: null,
  merchant_names: { allow: null, deny: ['ACME*'] },
  countries: { allow: null, deny: ['FRA'] },
  card_present: null,
};

const own_templates = [
  {
    name: 'Meals and beds',
    mcc_rule: 'ALLOW',
    mcc_list: ['5812', '7011'],
    merchant_controls: null,
    required_control: 'VELOCITY',
  },
  { name: 'No shopping', mcc_rule: 'DENY', mcc_list: ['5999'], merchant_controls, required_control: 'VELOCITY' },
  {
    name: 'Meals on hold',
    mcc_rule: 'ALLOW',
    mcc_list: ['5812'],
    merchant_controls: null,
    required_control: 'AGING_VELOCITY',
  },
] as const;

function cardView({ card, balance, authorizations, clearings }: CardReading): CardView {
  return {
    ...card,
    frozen: card.frozen_at_ms !== null,
    available_balance: balance.available,
    balance,
    uses: balance.uses,
    authorizations: authorizations.map(({ id, status }) => ({ id, status })),
    clearings: clearings.map(({ id, match_rule, review, authorization_id, clearing_id, class: its_class }) => {
      return { id, class: its_class, match_rule, review, authorization_id, clearing_id };
    }),
  };
}

/** The records of one sequence, oldest first. They are the newest of the database. */
async function quarantineOf(tx: Tx, tag: string): Promise<readonly QuarantineView[]> {
  const newest_first: QuarantineView[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await tx.quarantine.list({}, { limit: 100, ...(after === undefined ? {} : { after }) });
    for (const { id, status, reason, count, clearing_id, excerpt } of page.items) {
      const network_financial_transaction_id = String(excerpt.network_financial_transaction_id);
      if (!network_financial_transaction_id.startsWith(`${tag}C`)) return newest_first.reverse();
      const of_messages = reason as QuarantineView['reason'];
      newest_first.push({ id, status, reason: of_messages, count, clearing_id, network_financial_transaction_id });
    }
    after = page.next;
  }
  return newest_first.reverse();
}

async function allEvents(tx: Tx, company_id: number): Promise<readonly EventView[]> {
  const newest_first: EventView[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await tx.events.list(company_id, [], { limit: 100, ...(after === undefined ? {} : { after }) });
    for (const { event_type, payload, created_at_ms } of page.items) {
      newest_first.push({ event_type, vcn_id: Number(payload.vcn_id ?? payload.id), created_at_ms });
    }
    after = page.next;
  }
  return newest_first.reverse();
}

async function answerOf<Value>(work: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'refused', code: error.code, fields: error.fields.map(({ path }) => path) };
  }
}
