import {
  type AuthorizationAnswer,
  type AuthorizationMessage,
  type ClientReply,
  type Consultation,
  type ConsultationRecord,
  type ConsultingBounds,
  createConsultingNetwork,
  createNetwork,
  type Network,
  type StandInRule,
} from '@tallystick/cards';
import { type Clock, money } from '@tallystick/kernel';
import { type ScratchDatabase, testAuditMac } from '@tallystick/test-support';
import { mikroOrmPersistence, type Persistence } from '../src/index.ts';
import {
  authorizationMessage,
  type OpenLedger,
  openLedger,
  plain_quarantine,
  run,
  seededDatabase,
} from './ledger-fixture.ts';

const cards_max = 60;

/** Monotonic time that a test moves. */
export class Timeline {
  #now = 0;
  #waiting: { readonly at_ms: number; readonly run: () => void }[] = [];

  monotonicNow = () => this.#now;

  after = (ms: number, run: () => void) => {
    const waiting = { at_ms: this.#now + ms, run };
    this.#waiting.push(waiting);
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
    };
  };

  /** How many timers wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  elapse(ms: number): void {
    this.#now += ms;
    const due = this.#waiting.filter(({ at_ms }) => at_ms <= this.#now);
    this.#waiting = this.#waiting.filter(({ at_ms }) => at_ms > this.#now);
    for (const { run } of due) run();
  }
}

type Ask = (consultation: Consultation) => ClientReply | Promise<ClientReply>;

export interface Process {
  readonly network: Network;
  readonly persistence: Persistence;
  readonly timeline: Timeline;
  /** What the company was asked. */
  readonly asked: Consultation[];
  close(): Promise<void>;
}

/** What differs from an ordinary process: one whose company has a time-out of 1,500 ms. */
export interface ProcessSettings {
  readonly ask: Ask;
  readonly stand_in?: readonly StandInRule[];
  readonly bounds?: Partial<ConsultingBounds>;
  readonly decision_ms_max?: number;
  /** The endpoint is removed. */
  readonly isRemoved?: () => boolean;
}

/** A database whose company is asked about its cards 1, 2, ..., each with a limit of 1,000. */
export class ConsultingWorld {
  readonly database: ScratchDatabase;
  readonly clock: Clock & { now_ms: number };
  readonly #sql: OpenLedger;
  readonly #processes: Process[] = [];
  #used = 0;

  private constructor(database: ScratchDatabase, sql: OpenLedger, now_ms: number) {
    this.database = database;
    this.#sql = sql;
    const clock = { now_ms, nowMs: () => clock.now_ms };
    this.clock = clock;
  }

  static async open(name: ScratchDatabase['name'], now_ms: number): Promise<ConsultingWorld> {
    const database = await seededDatabase(name, cards_max);
    const world = new ConsultingWorld(database, await openLedger(database.database_url), now_ms);
    await world.consult(true);
    return world;
  }

  async close(): Promise<void> {
    for (const process of this.#processes) await process.close();
    await this.#sql.close();
    await this.database.dispose();
  }

  async process(settings: ProcessSettings): Promise<Process> {
    const { ask, stand_in = [], bounds, decision_ms_max, isRemoved = () => false } = settings;
    const { clock } = this;
    const { database_url } = this.database;
    const persistence = await mikroOrmPersistence({ database_url, clock, audit_mac: testAuditMac });
    const timeline = new Timeline();
    const asked: Consultation[] = [];
    const network = createConsultingNetwork({
      network: createNetwork({
        ledger: persistence.ledger,
        vault: { cvcMatches: () => true },
        random: { below: () => 1_234_567, bytes: (count) => new Uint8Array(count) },
        ...plain_quarantine,
      }),
      decision_maker: {
        termsOf: async () => (isRemoved() ? null : { timeout_ms: 1_500, stand_in }),
        async ask(consultation) {
          asked.push(consultation);
          return await ask(consultation);
        },
      },
      unitOfWork: persistence.unitOfWork,
      clock,
      timers: timeline,
      bounds: { asked_max: 256, ...bounds },
      decision_ms_max,
      onFault: (error) => {
        throw error;
      },
    });
    const process = { network, persistence, timeline, asked, close: () => persistence.close() };
    this.#processes.push(process);
    return process;
  }

  sql(text: string) {
    return run(this.#sql.connection, text);
  }

  /** Whether the company has an endpoint. */
  async consult(consults: boolean): Promise<void> {
    await this.sql(`update tallystick_companies set endpoint_version = ${Number(consults)}`);
  }

  /** A card that no test has used. */
  nextCard(): number {
    this.#used += 1;
    return this.#used;
  }

  async held(card_id: number): Promise<number> {
    const [card] = await this.sql(`select held from tallystick_virtual_cards where id = ${card_id}`);
    return Number(card?.held);
  }

  /** The consultations about a card, oldest first. */
  async records({ persistence }: Process, card_id: number): Promise<readonly ConsultationRecord[]> {
    const { items } = await persistence.unitOfWork.read((tx) => tx.consultations.list(1, { limit: 100 }));
    return items.filter(({ vcn_id }) => vcn_id === card_id).toReversed();
  }

  /** The payloads of the events about answers that did not count. */
  async overridden(card_id: number): Promise<Record<string, unknown>[]> {
    const rows = await this.sql(
      `select payload from tallystick_events where event_type = 'virtualcard.decision.overridden' order by id`,
    );
    return rows.map(({ payload }) => JSON.parse(String(payload))).filter(({ vcn_id }) => vcn_id === card_id);
  }
}

/** A request of 100. */
export function request(card_id: number, fields: Partial<AuthorizationMessage> = {}): AuthorizationMessage {
  return authorizationMessage(card_id, { billing_amount: money(100), merchant_amount: money(100), ...fields });
}

export const partly = { details: { partial_approval: true } } as const;

export const says = {
  approve: { kind: 'answered', answer: 'approve', amount: null, note: null },
  decline: { kind: 'answered', answer: 'decline', amount: null, note: 'not today' },
  part: (amount: number) => ({ kind: 'answered', answer: 'approve_part', amount, note: null }),
} as const satisfies Record<string, ClientReply | ((amount: number) => ClientReply)>;

/** Approves up to 100. */
export const approves_small: readonly StandInRule[] = JSON.parse('[{"if":{"amount_max":100},"decision":"approve"}]');

/** An answer that the test gives when it wants to, and what tells that the question was asked. */
export function held() {
  const asked = Promise.withResolvers<Consultation>();
  const reply = Promise.withResolvers<ClientReply>();
  const ask = (consultation: Consultation) => {
    asked.resolve(consultation);
    return reply.promise;
  };
  return { ask, asked: asked.promise, reply: reply.resolve };
}

/** Code, response code and approved part of an answer. */
export function shown(answer: AuthorizationAnswer) {
  if (answer.kind === 'refused') throw answer.refusal;
  return [answer.code, answer.response_code, answer.item.approved_amount ?? null];
}
