import { AsyncLocalStorage } from 'node:async_hooks';
import { assert, Fault } from '@tallystick/kernel';
import { draftOf, newState, type State } from './state.ts';
import type { Access } from './table.ts';

const inside = new AsyncLocalStorage<true>();

/**
 * Transactions on one state. Those that write run one after the other, each on a draft; the draft
 * becomes the committed state when the work resolves, and is dropped when it rejects. Those that
 * only read run at once, on the state as it was committed when they began.
 */
export class Transactions {
  #committed: State = newState();
  /** Resolves when every writer so far has ended. */
  #writers: Promise<unknown> = Promise.resolve();
  readonly #readers = new Set<Promise<unknown>>();
  #is_writing = false;
  #is_closed = false;

  /** What is committed. */
  get committed(): State {
    return this.#committed;
  }

  /**
   * Runs work that may write, after the writers before it. A transaction within a transaction is a
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

  /** The same without waiting, for synchronous work while no other writer runs. */
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

  /** Runs work that only reads. */
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

  /** Rejects what has not begun, and resolves when what is open has ended. May be called twice. */
  async close(): Promise<void> {
    this.#is_closed = true;
    await Promise.all([this.#writers, ...this.#readers]);
  }

  /** Rejects with a fault once the storage is closed. */
  async ping(): Promise<void> {
    this.#assertOpen();
  }

  /**
   * Work that forgot to wait for a write cannot reach the committed state through its draft, which
   * ends here.
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
