import { type HostTransaction, type UnitOfWork, UnusableTransaction } from '@tallystick/kernel';
import { adopt, draftOf, type State } from './state.ts';
import type { Transactions } from './transactions.ts';

/** A transaction that its creator ends. */
export interface OwnTransaction {
  readonly host: HostTransaction;
  /** The handle of `host`: storage in memory has no driver. */
  readonly native: object;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

interface OpenDraft {
  /** Null after the end. */
  state: State | null;
}

const open_drafts = new WeakMap<object, OpenDraft>();

class RolledBack extends Error {}

/** Begins a transaction. Other writers wait for its end. */
export async function beginOwn(transactions: Transactions): Promise<OwnTransaction> {
  const begun = Promise.withResolvers<State>();
  const end = Promise.withResolvers<'commit' | 'rollback'>();
  const open: OpenDraft = { state: null };
  const ended = transactions.write(async (draft) => {
    open.state = draft;
    begun.resolve(draft);
    if ((await end.promise) === 'rollback') throw new RolledBack();
    open.state = null;
  });
  ended.catch(begun.reject);
  await begun.promise;
  const handle = {};
  open_drafts.set(handle, open);
  return {
    host: {
      dialect: 'sqlite',
      handle,
      execute: () => Promise.reject(new UnusableTransaction('storage in memory has no SQL; use another adapter')),
    },
    native: handle,
    async commit() {
      end.resolve('commit');
      await ended;
    },
    async rollback() {
      open.state = null;
      end.resolve('rollback');
      await ended.catch(() => undefined);
    },
  };
}

/** A unit of work within a transaction that `beginOwn` began. */
export function joinOwn<Tx>({ handle }: HostTransaction, storesOn: (state: State) => Tx): UnitOfWork<Tx> {
  async function join<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const open = open_drafts.get(handle);
    if (open === undefined) throw new UnusableTransaction('the transaction belongs to no storage in memory');
    if (open.state === null) throw new UnusableTransaction('the transaction has ended');
    const draft = draftOf(open.state, { mode: 'write' });
    const result = await work(storesOn(draft));
    if (open.state === null) throw new UnusableTransaction('the transaction has ended');
    adopt(open.state, draft);
    return result;
  }
  return { run: join, read: join };
}
