import { AsyncLocalStorage } from 'node:async_hooks';
import { assert, Fault } from '@tallystick/kernel';
import { committedOf, draftOf, newState, type State } from './state.ts';
import type { Access } from './table.ts';

const inside = new AsyncLocalStorage<true>();

/** What the processes on one storage share. */
export interface MemoryStorage {
  committed: State;
  /** Resolves when every writer so far has ended. */
  writers: Promise<unknown>;
  is_writing: boolean;
}

/** Storage for any number of processes, empty except for the shared default templates. */
export function memoryStorage(): MemoryStorage {
  return { committed: newState(), writers: Promise.resolve(), is_writing: false };
}

/**
 * The transactions of one process on a storage. Writing transactions run one after the other, each
 * on a draft. The draft becomes the committed state when the work resolves, and is discarded when it
 * rejects. Reading transactions run immediately, on the state that was committed when they began.
 */
export class Transactions {
  readonly #storage: MemoryStorage;
  /** The transactions of this process that have not ended. */
  readonly #open = new Set<Promise<unknown>>();
  #is_closed = false;

  constructor(storage: MemoryStorage) {
    this.#storage = storage;
  }

  get committed(): State {
    return this.#storage.committed;
  }

  /**
   * Runs work that may write, after the previous writers. A transaction within a transaction is a
   * `Violation`.
   */
  async write<Result>(work: (draft: State) => Result | Promise<Result>): Promise<Result> {
    assertOutermost();
    const storage = this.#storage;
    const turn = storage.writers.then(async () => {
      this.#assertOpen();
      storage.is_writing = true;
      const access: Access = { mode: 'write' };
      try {
        const draft = draftOf(storage.committed, access);
        const result = await inside.run(true, async () => await work(draft));
        this.#commit(draft);
        return result;
      } finally {
        access.mode = 'ended';
        storage.is_writing = false;
      }
    });
    storage.writers = turn.catch(() => {});
    return await this.#whileOpen(turn);
  }

  /** Runs synchronous work that may write, without waiting, while no other writer runs. */
  writeNow<Result>(work: (draft: State) => Result): Result {
    assertOutermost();
    assert(!this.#storage.is_writing, 'another transaction writes at present');
    this.#assertOpen();
    const access: Access = { mode: 'write' };
    try {
      const draft = draftOf(this.#storage.committed, access);
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
    const draft = draftOf(this.#storage.committed, access);
    try {
      return await this.#whileOpen(inside.run(true, async () => await work(draft)));
    } finally {
      access.mode = 'ended';
    }
  }

  /**
   * Rejects transactions of this process that have not begun, and resolves after its open ones have
   * ended. May be called twice.
   */
  async close(): Promise<void> {
    this.#is_closed = true;
    await Promise.all(this.#open);
  }

  /** Rejects with a fault after the storage was closed. */
  async ping(): Promise<void> {
    this.#assertOpen();
  }

  async #whileOpen<Result>(running: Promise<Result>): Promise<Result> {
    const ended = running.catch(() => {});
    this.#open.add(ended);
    try {
      return await running;
    } finally {
      this.#open.delete(ended);
    }
  }

  /**
   * The draft ends here. Work that did not wait for a write cannot reach the committed state
   * through it.
   */
  #commit(draft: State): void {
    this.#storage.committed = committedOf(draft);
  }

  #assertOpen(): void {
    if (this.#is_closed) throw new Fault('the storage is closed', { retryable: false });
  }
}

function assertOutermost(): void {
  assert(inside.getStore() === undefined, 'a transaction was opened within a transaction');
}
