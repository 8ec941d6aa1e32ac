import { AsyncLocalStorage } from 'node:async_hooks';
import { assert, Fault } from '@tallystick/kernel';
import { draftOf, newState, type State } from './state.ts';
import type { Access } from './table.ts';

const inside = new AsyncLocalStorage<true>();

/**
 * Transactions on one state. Writing transactions run one after the other, each on a draft. The
 * draft becomes the committed state when the work resolves, and is discarded when it rejects.
 * Reading transactions run immediately, on the state that was committed when they began.
 */
export class Transactions {
  #committed: State = newState();
  /** Resolves when every writer so far has ended. */
  #writers: Promise<unknown> = Promise.resolve();
  readonly #readers = new Set<Promise<unknown>>();
  #is_writing = false;
  #is_closed = false;

  get committed(): State {
    return this.#committed;
  }

  /**
   * Runs work that may write, after the previous writers. A transaction within a transaction is a
   * `Violation`.
   */
  async write<Result>(work: (draft: State) => Result | Promise<Result>): Promise<Result> {
    assertOutermost();
    const turn = this.#writers.then(async () => {
      this.#assertOpen();
      this.#is_writing = true;
      const access: Access = { mode: 'write' };
      try {
        const draft = draftOf(this.#committed, access);
        const result = await inside.run(true, async () => await work(draft));
        this.#commit(draft);
        return result;
      } finally {
        access.mode = 'ended';
        this.#is_writing = false;
      }
    });
    this.#writers = turn.catch(() => {});
    return await turn;
  }

  /** Runs synchronous work that may write, without waiting, while no other writer runs. */
  writeNow<Result>(work: (draft: State) => Result): Result {
    assertOutermost();
    assert(!this.#is_writing, 'another transaction writes at present');
    this.#assertOpen();
    const access: Access = { mode: 'write' };
    try {
      const draft = draftOf(this.#committed, access);
      const result = work(draft);
      this.#commit(draft);
      return result;
    } finally {
      access.mode = 'ended';
    }
  }

  async read<Result>(work: (draft: State) => Promise<Result>): Promise<Result> {
    assertOutermost();
    this.#assertOpen();
    const access: Access = { mode: 'read' };
    const draft = draftOf(this.#committed, access);
    const reading = inside.run(true, async () => await work(draft));
    const ended = reading.catch(() => {});
    this.#readers.add(ended);
    try {
      return await reading;
    } finally {
      access.mode = 'ended';
      this.#readers.delete(ended);
    }
  }

  /**
   * Rejects transactions that have not begun, and resolves after all open ones have ended. May be
   * called twice.
   */
  async close(): Promise<void> {
    this.#is_closed = true;
    await Promise.all([this.#writers, ...this.#readers]);
  }

  /** Rejects with a fault after the storage was closed. */
  async ping(): Promise<void> {
    this.#assertOpen();
  }

  /**
   * The draft ends here. Work that did not wait for a write cannot reach the committed state
   * through it.
   */
  #commit(draft: State): void {
    this.#committed = draftOf(draft, { mode: 'write' });
  }

  #assertOpen(): void {
    if (this.#is_closed) throw new Fault('the storage is closed', { retryable: false });
  }
}

function assertOutermost(): void {
  assert(inside.getStore() === undefined, 'a transaction was opened within a transaction');
}
