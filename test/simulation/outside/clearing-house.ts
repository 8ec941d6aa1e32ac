import type { ClearingWire } from '@tallystick/harness';

/** A clearing that goes into the next file of the network. */
export interface WaitingClearing {
  readonly company_id: number;
  readonly card_id: number;
  readonly input: ClearingWire;
}

/** What the network has cleared and not yet reported in a file. */
export class ClearingHouse {
  #waiting: WaitingClearing[] = [];
  #files = 0;

  get waiting(): number {
    return this.#waiting.length;
  }

  add(clearing: WaitingClearing): void {
    this.#waiting.push(clearing);
  }

  /** The clearings of the next file, and its number. */
  take(): { readonly sequence: number; readonly clearings: readonly WaitingClearing[] } {
    const clearings = this.#waiting;
    this.#waiting = [];
    this.#files += 1;
    return { sequence: this.#files, clearings };
  }
}
