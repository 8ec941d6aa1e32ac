import type { Authorization } from '../records/authorization.ts';

interface QueuedHold {
  readonly end_ms: number;
  readonly id: number;
}

/** The ends of holds, the earliest first: a binary heap. It may have ends that no longer apply. */
export class HoldQueue {
  readonly #heap: QueuedHold[] = [];

  add({ id, hold_end_ms }: Authorization): void {
    if (hold_end_ms === null) return;
    const heap = this.#heap;
    let at = heap.push({ end_ms: hold_end_ms, id }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.end_ms <= heap[at]!.end_ms) break;
      [heap[parent], heap[at]] = [heap[at]!, heap[parent]!];
      at = parent;
    }
  }

  get first(): QueuedHold | undefined {
    return this.#heap[0];
  }

  removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < heap.length && heap[left]!.end_ms < heap[least]!.end_ms) least = left;
      if (right < heap.length && heap[right]!.end_ms < heap[least]!.end_ms) least = right;
      if (least === at) return;
      [heap[least], heap[at]] = [heap[at]!, heap[least]!];
      at = least;
    }
  }
}
