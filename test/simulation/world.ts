import { createHash } from 'node:crypto';
import { type AuditMac, Fault } from '@tallystick/kernel';
import type { State } from '@tallystick/memory';
import { createVault, parseKeyRing } from '@tallystick/vault';
import { UnusableDatabase } from 'tallystick';
import type { WorldStorage } from './databases/world-storage.ts';
import { dueIn } from './due.ts';
import { type History, newHistory } from './history.ts';
import { drawKeyRing } from './keys.ts';
import { Machine } from './machine.ts';
import { type Node, startNode } from './node.ts';
import { Bank } from './outside/bank.ts';
import { ClearingHouse } from './outside/clearing-house.ts';
import { MailServer } from './outside/mail-server.ts';
import { OfferQueue } from './outside/offer-queue.ts';
import { Receivers } from './outside/receivers.ts';
import { Subscribers } from './outside/subscribers.ts';
import type { PlantedBug } from './planted/planted-bug.ts';
import { SeededRandom } from './random.ts';
import { StorageFaults } from './storage.ts';
import { SimulatedTime } from './time.ts';
import type { CompanyInWorld } from './workload/companies.ts';
import type { BankUserInWorld, ThirdPartyInWorld } from './workload/consents.ts';

/** Something that must not happen. */
export interface Report {
  readonly at_ms: number;
  /** The invariant, or where it was seen. */
  readonly by: string;
  readonly problem: string;
}

/** A fault, or the start of a process after it. */
export interface FaultSeen {
  readonly at_ms: number;
  readonly what: string;
}

/** Everything of one run: the service, what surrounds it, and what was seen of it. */
export class World {
  /** A bug that a test has planted in every process. */
  readonly bug: PlantedBug | null;
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  readonly key_ring: string;
  readonly audit_mac: AuditMac;
  readonly storage: WorldStorage;
  readonly storage_faults: StorageFaults;
  readonly history: History = newHistory();
  readonly receivers: Receivers;
  readonly mail_server: MailServer;
  readonly queue: OfferQueue;
  readonly bank = new Bank();
  readonly clearing_house = new ClearingHouse();
  readonly subscribers: Subscribers;
  /** The processes that run. */
  readonly nodes: Node[] = [];
  readonly companies: CompanyInWorld[] = [];
  readonly third_parties: ThirdPartyInWorld[] = [];
  readonly bank_users: BankUserInWorld[] = [];
  readonly reports: Report[] = [];
  readonly faults: FaultSeen[] = [];
  /** Gets every line of the trace. */
  onTrace: ((at_ms: number, line: string) => void) | null = null;
  /** How often each activity, fault and answer was reached, by name. */
  readonly reached = new Map<string, number>();
  /** The lines of the trace so far. */
  observations = 0;
  /** The probability that an answer is lost on its way. */
  loses_answer = 0;
  /** The probability that the network sends a message twice. */
  repeats_message = 0;
  /** The longest time of a message on its way, milliseconds. */
  network_ms_max = 20;
  readonly #hash = createHash('sha256');
  /** The pauses of activities. */
  readonly #waking = new Set<() => void>();
  #is_quiet = false;
  #nodes_started = 0;
  #requests = 0;
  #ids = 0;
  #activities_open = 0;

  constructor(seed: number, start_ms: number, storage: WorldStorage, bug: PlantedBug | null = null) {
    this.storage = storage;
    this.bug = bug;
    this.random = new SeededRandom(`${seed}`);
    this.time = new SimulatedTime(start_ms, this.random.branch('order'));
    this.time.jumpTo(dueIn(this.storage));
    if (storage.settled !== null) this.time.afterStep = storage.settled;
    this.key_ring = drawKeyRing(this.random.branch('keys'));
    this.audit_mac = createVault(parseKeyRing(this.key_ring), { random: this.random }).audit_mac;
    this.storage_faults = new StorageFaults(this.time, (what) => {
      this.reach(`fault: ${what.replace(/ \d+$/, '')}`);
      this.traceFault(what);
    });
    this.receivers = new Receivers(this);
    this.mail_server = new MailServer(this);
    this.queue = new OfferQueue(this);
    this.subscribers = new Subscribers(this);
  }

  get committed(): State {
    return this.storage.committed;
  }

  /** Adds a line to what two runs of a seed must agree in. */
  readonly trace = (line: string): void => {
    this.observations += 1;
    this.#hash.update(`${this.time.now_ms} ${line}\n`);
    this.onTrace?.(this.time.now_ms, line);
  };

  readonly traceFault = (what: string): void => {
    this.faults.push({ at_ms: this.time.now_ms, what });
    this.trace(what);
  };

  readonly reach = (what: string): void => {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  };

  readonly report = (by: string, problem: string): void => {
    this.trace(`${by}: ${problem.split('\n', 1)}`);
    this.reports.push({ at_ms: this.time.now_ms, by, problem });
  };

  /** A number that no other message, file or name of the run has. */
  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  nextRequestId(): string {
    this.#requests += 1;
    return `r${this.#requests}`;
  }

  get requests(): number {
    return this.#requests;
  }

  /**
   * Starts a process. Resolves when it answers, or when it has died before. `died` is called when it
   * has died, whenever that is.
   */
  startNode(skew_ms: number, died: () => void): Promise<void> {
    this.#nodes_started += 1;
    const machine = new Machine(`n${this.#nodes_started}`, skew_ms);
    return new Promise((resolve) => {
      machine.onDeath(() => {
        this.traceFault(`${machine.name} died`);
        const at = this.nodes.findIndex((node) => node.machine === machine);
        if (at >= 0) this.nodes.splice(at, 1);
        died();
        resolve();
      });
      startNode(this, machine).then(
        (node) => {
          if (machine.is_dead) return;
          this.traceFault(`${machine.name} started`);
          this.nodes.push(node);
          resolve();
        },
        (error: unknown) => {
          this.reportUnlessFault('start', error);
          machine.die();
        },
      );
    });
  }

  /** A fault of the storage is no bug, and neither is a call to a process that ends. */
  readonly reportUnlessFault = (by: string, error: unknown): void => {
    if (error instanceof Fault || error instanceof UnusableDatabase) return;
    this.report(by, (error as Error).stack ?? String(error));
  };

  /** Runs an activity beside the others. */
  begin(name: string, run: () => Promise<void>): void {
    this.#activities_open += 1;
    this.reach(`activity: ${name}`);
    this.trace(`begin ${name}`);
    run()
      .catch((error: unknown) => this.report('workload', `${name}: ${(error as Error).stack ?? error}`))
      .finally(() => {
        this.#activities_open -= 1;
      });
  }

  /** Nobody begins anything new: activities end at their next pause. */
  becomeQuiet(): void {
    this.#is_quiet = true;
    this.#wake();
  }

  /** Resolves after this time, or when nobody begins anything new; false: then. */
  async pauseUntilQuiet(ms: number): Promise<boolean> {
    if (this.#is_quiet) return false;
    await new Promise<void>((resolve) => {
      this.#waking.add(resolve);
      this.time.after(ms, () => {
        this.#waking.delete(resolve);
        resolve();
      });
    });
    return !this.#is_quiet;
  }

  #wake(): void {
    for (const resolve of this.#waking) resolve();
    this.#waking.clear();
  }

  get activities_open(): number {
    return this.#activities_open;
  }

  /** The hash of the run: of its trace, and of everything that is stored at its end. */
  digest(): string {
    for (const [name, table] of Object.entries(this.committed)) {
      this.#hash.update(`${name} ${JSON.stringify(table.entries(), asText)}\n`);
    }
    return this.#hash.digest('hex');
  }
}

function asText(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
