import type { DeliveryOffer, DeliveryQueue } from '@tallystick/events';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

type Accept = (offers: readonly DeliveryOffer[]) => void;

/** The queue between the processes, as an offer on its way meets it. */
export interface QueueConduct {
  /** The probabilities that an offer is lost, and that it is passed on twice. */
  readonly loses: number;
  readonly repeats: number;
  /** The longest time on the way. Offers overtake each other. */
  readonly delay_ms_max: number;
}

export const faultless_queue: QueueConduct = { loses: 0, repeats: 0, delay_ms_max: 5 };

/** Carries due deliveries to any of the processes that consume. */
export class OfferQueue {
  conduct: QueueConduct = faultless_queue;
  readonly #world: World;
  readonly #consumers = new Map<Machine, Accept>();
  #waiting = 0;

  constructor(world: World) {
    this.#world = world;
  }

  of(machine: Machine): DeliveryQueue {
    machine.onDeath(() => this.#consumers.delete(machine));
    return {
      offer: async (offers) => {
        if (!machine.is_dead) for (const offer of offers) this.#carry(offer);
      },
      consume: async (accept) => {
        if (!machine.is_dead) this.#consumers.set(machine, accept);
      },
      depth: async () => this.#waiting,
      close: async () => {
        this.#consumers.delete(machine);
      },
    };
  }

  #carry(offer: DeliveryOffer): void {
    const { time, random } = this.#world;
    const { loses, repeats, delay_ms_max } = this.conduct;
    if (random.happens(loses)) return;
    const copies = random.happens(repeats) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      this.#waiting += 1;
      time.after(random.between(0, delay_ms_max), () => {
        this.#waiting -= 1;
        const consumers = [...this.#consumers];
        if (consumers.length === 0) return;
        const [machine, accept] = random.pick(consumers);
        time.after(0, () => accept([offer]), machine);
      });
    }
  }
}
