import type { SeededRandom } from '../random.ts';
import type { World } from '../world.ts';
import type { FaultName } from './plan.ts';

const hour_ms = 3_600_000;
/** How long a process stands still: shorter and longer than the leases. */
const still_ms = [200, 4_000, 20_000, 40_000, 120_000];

/** The processes of a run, and what becomes of them: each that ends is followed by another. */
export class Processes {
  readonly #world: World;
  readonly #count: number;
  readonly #faults: readonly FaultName[];
  readonly #random: SeededRandom;
  #is_over = false;
  #starting = 0;

  constructor(world: World, count: number, faults: readonly FaultName[]) {
    this.#world = world;
    this.#count = count;
    this.#faults = faults;
    this.#random = world.random.branch('processes');
  }

  /** Starts what is missing, now and whenever a process has died. */
  async keepUp(): Promise<void> {
    while (this.#world.nodes.length + this.#starting < this.#count) {
      this.#starting += 1;
      await this.#world.startNode(this.#drawSkew(), () => this.#replace());
      this.#starting -= 1;
    }
  }

  /** Begins to let processes stand still and restart. */
  beginFaults(): void {
    const mean_ms = this.#random.pick([6, 24, 24 * 7]) * hour_ms;
    if (this.#faults.includes('process_stands_still')) this.#repeat(mean_ms, () => this.#standStill());
    if (this.#faults.includes('process_restarts')) this.#repeat(mean_ms * 4, () => this.#restart());
  }

  endFaults(): void {
    this.#is_over = true;
  }

  #drawSkew(): number {
    return this.#faults.includes('wrong_clocks') && !this.#is_over ? this.#random.between(-2_000, 2_000) : 0;
  }

  #repeat(mean_ms: number, run: () => void): void {
    this.#world.time.after(this.#random.wait(mean_ms), () => {
      if (this.#is_over) return;
      run();
      this.#repeat(mean_ms, run);
    });
  }

  #replace(): void {
    this.#world.time.after(this.#random.between(1_000, 60_000), () => void this.keepUp());
  }

  #standStill(): void {
    const { nodes, time, reach, traceFault } = this.#world;
    if (nodes.length === 0) return;
    const { machine } = this.#random.pick(nodes);
    machine.still_until_ms = time.now_ms + this.#random.pick(still_ms);
    reach('fault: process stands still');
    traceFault(`${machine.name} stands still until ${machine.still_until_ms}`);
  }

  #restart(): void {
    const { nodes, reach, reportUnlessFault } = this.#world;
    if (nodes.length === 0) return;
    reach('fault: process restarts');
    const node = this.#random.pick(nodes);
    node.stop().catch((error: unknown) => reportUnlessFault('stop', error));
  }
}
