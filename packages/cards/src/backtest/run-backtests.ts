import {
  type Clock,
  drawLease,
  Fault,
  type GiveWay,
  type Lease,
  type Random,
  type UnitOfWork,
} from '@tallystick/kernel';
import {
  addDifference,
  type Backtest,
  backtest_lease_ms,
  type DifferenceSum,
  differences_kept_max,
  sumsByReason,
} from './backtest.ts';
import { type History, type HistoryReads, historiesOf } from './history.ts';
import type { BacktestCard, BacktestTx, ReplayedTemplate } from './ports.ts';
import { type Difference, replayCard } from './replay-card.ts';
import type { ReplayedCard } from './replayed-state.ts';

export interface RunPorts {
  readonly unitOfWork: UnitOfWork<BacktestTx>;
  readonly clock: Clock;
  /** For leases, whose time a move of the sandbox's clock does not change. */
  readonly machine_clock: Clock;
  readonly random: Random;
  readonly giveWay: GiveWay;
}

export interface RunOptions {
  /** Aborted: it stops, and the next process continues at the card that was not done. */
  readonly signal?: AbortSignal | undefined;
  /** Only this backtest. */
  readonly id?: number | undefined;
  /** Called with each state that was stored. Must not throw. */
  readonly onSaved?: ((backtest: Backtest) => void) | undefined;
}

/** After this time another backtest has its turn, when a card is done. */
const turn_ms = 5_000;

/** How often the state is stored. */
const save_every_ms = 1_000;

/** With so many differences that are not stored the state is stored, too. */
const waiting_max = 500;

/** Of how many cards the histories are begun together: most cards have few records. */
const cards_max = 25;

/**
 * Runs the backtests that wait, one card after another, until none is left that this process can
 * claim. It reads in pages without locks, and stores the progress every second, so that another
 * process continues after the last card that was stored as done when this one dies. One that fails is
 * stored as such, and the others go on; then it rejects with the first error.
 */
export async function runBacktests(ports: RunPorts, options: RunOptions = {}): Promise<void> {
  const failures: unknown[] = [];
  while (options.signal?.aborted !== true) {
    const lease = drawLease(ports.random, ports.machine_clock.nowMs(), backtest_lease_ms);
    const claimed = await ports.unitOfWork.run((tx) => tx.backtests.claim(lease, options.id));
    if (claimed === null) break;
    try {
      await new Run(ports, options, lease, claimed).turn();
    } catch (error) {
      if (!(error instanceof BacktestTaken)) failures.push(error);
      // The database fails, so others would fail, too. The lease ends by itself.
      if (error instanceof Fault) break;
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** The backtest was deleted, or another process continues it. */
class BacktestTaken extends Error {}

/** The process stops. */
class Stopped extends Error {}

/** The work of this process on one backtest. */
class Run {
  readonly #ports: RunPorts;
  readonly #options: RunOptions;
  readonly #token: string;
  /** With the cards that are done, whether or not that is stored. */
  #backtest: Backtest;
  #sums: ReadonlyMap<string, DifferenceSum>;
  /** Differences that are not stored. */
  #waiting: Difference[] = [];
  #saved_ms: number;
  readonly #templates = new Map<number, ReplayedTemplate | null>();

  constructor(ports: RunPorts, options: RunOptions, { token, machine_ms }: Lease, claimed: Backtest) {
    this.#ports = ports;
    this.#options = options;
    this.#token = token;
    this.#backtest = claimed;
    this.#sums = sumsByReason(claimed.sums);
    this.#saved_ms = machine_ms;
  }

  /** Replays cards until all are done, or the turn is over. */
  async turn(): Promise<void> {
    try {
      await this.#replayCards();
    } catch (error) {
      if (error instanceof Stopped) return await this.#endTurn();
      if (!(error instanceof Fault || error instanceof BacktestTaken)) {
        await this.#finish({ status: 'failed', error: 'the service failed: its log says why' });
      }
      throw error;
    }
  }

  async #replayCards(): Promise<void> {
    const until_ms = this.#now() + turn_ms;
    const { template_id } = this.#backtest.change;
    const template = template_id === undefined ? null : await this.#template(template_id);
    const reads = this.#reads();
    for (;;) {
      const cards = await this.#nextCards();
      if (cards.length === 0) return await this.#finish({ status: 'completed' });
      const by_id = new Map(cards.map((one) => [one.card.id, one]));
      for await (const history of historiesOf(reads, [...by_id.keys()])) {
        await this.#replay(by_id.get(history.card_id)!, history, template);
        if (this.#options.signal?.aborted) throw new Stopped();
        if (this.#now() >= until_ms) return await this.#endTurn();
      }
    }
  }

  async #nextCards(): Promise<readonly BacktestCard[]> {
    const { company_id, vcn_id, last_card_id } = this.#backtest;
    if (vcn_id === null) return await this.#read((tx) => tx.backtests.cardsAfter(company_id, last_card_id, cards_max));
    if (vcn_id <= last_card_id) return [];
    const found = await this.#read((tx) => tx.backtests.cardsAfter(company_id, vcn_id - 1, 1));
    return found.filter(({ card }) => card.id === vcn_id);
  }

  async #template(id: number): Promise<ReplayedTemplate | null> {
    const known = this.#templates.get(id);
    if (known !== undefined) return known;
    const read = await this.#read((tx) => tx.backtests.replayedTemplate(id));
    this.#templates.set(id, read);
    return read;
  }

  async #replay(
    { card, created_at_ms }: BacktestCard,
    history: History,
    template: ReplayedTemplate | null,
  ): Promise<void> {
    const before = this.#backtest;
    const sums = new Map(this.#sums);
    let messages = 0;
    let { differences } = before;
    if (created_at_ms < before.to_ms) {
      const { change } = before;
      const versions = await this.#versionsOf(card);
      await replayCard({ card, created_at_ms, change, template, span: before, versions }, history, {
        onDifference: (difference) => {
          addDifference(sums, difference);
          differences += 1;
          if (differences <= differences_kept_max) this.#waiting.push(difference);
        },
        onReplayed: () => {
          messages += 1;
          if (this.#options.signal?.aborted) throw new Stopped();
          const is_due = this.#waiting.length >= waiting_max || this.#now() - this.#saved_ms >= save_every_ms;
          return is_due ? this.#save({ card_messages: messages }) : this.#ports.giveWay();
        },
      });
    }
    this.#sums = sums;
    this.#backtest = {
      ...before,
      last_card_id: card.id,
      cards_done: before.cards_done + 1,
      cards_total: Math.max(before.cards_total, before.cards_done + 1),
      messages: before.messages + messages,
      differences,
    };
    if (this.#now() - this.#saved_ms >= save_every_ms) await this.#save();
  }

  /** The card in the versions of its controls that are over. */
  async #versionsOf(card: ReplayedCard): Promise<ReadonlyMap<number, ReplayedCard>> {
    const page_max = 100;
    const versions = new Map<number, ReplayedCard>();
    for (let below = card.controls_version; below > 1; ) {
      const page = await this.#read((tx) => tx.cards.versionsBelow(card.id, below, page_max));
      for (const { version, state } of page) {
        const template = (await this.#template(state.template_id)) ?? card.template;
        versions.set(version, { ...card, ...state, template, controls_version: version });
      }
      if (page.length < page_max) break;
      below = page.at(-1)!.version;
    }
    return versions;
  }

  /** Reads of histories, each in a transaction of its own. */
  #reads(): HistoryReads {
    return {
      authorizationsAfter: (...given) => this.#read((tx) => tx.backtests.authorizationsAfter(...given)),
      clearingsAfter: (...given) => this.#read((tx) => tx.backtests.clearingsAfter(...given)),
      actsAfter: (...given) => this.#read((tx) => tx.backtests.actsAfter(...given)),
    };
  }

  /** Leaves the rest to another turn. A card that is not done begins again. */
  #endTurn(): Promise<void> {
    return this.#save({}, { is_over: true });
  }

  async #finish(end: Pick<Backtest, 'status'> & Partial<Pick<Backtest, 'error'>>): Promise<void> {
    await this.#save({ ...end, finished_at_ms: this.#ports.clock.nowMs() }, { is_over: true });
  }

  async #save(changes: Partial<Backtest> = {}, { is_over = false } = {}): Promise<void> {
    const sums = [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
    const state = { ...this.#backtest, sums, ...changes };
    const found = this.#waiting;
    this.#waiting = [];
    this.#saved_ms = this.#now();
    const until_ms = is_over ? null : this.#saved_ms + backtest_lease_ms;
    const is_held = await this.#ports.unitOfWork.run((tx) => tx.backtests.save(state, this.#token, until_ms, found));
    if (!is_held) throw new BacktestTaken();
    this.#options.onSaved?.(state);
  }

  #read<Result>(work: (tx: BacktestTx) => Promise<Result>): Promise<Result> {
    return this.#ports.unitOfWork.read(work);
  }

  #now(): number {
    return this.#ports.machine_clock.nowMs();
  }
}
