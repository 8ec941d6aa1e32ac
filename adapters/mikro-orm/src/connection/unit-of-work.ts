import { giveWayWith, type Random, type UnitOfWork } from '@tallystick/kernel';
import type { Kysely } from 'kysely';
import type { Connection } from './connection.ts';
import { faultOf, isConflict } from './faults.ts';
import type { Session, Tables } from './session.ts';

/** How often work is attempted before a conflict reaches the caller. */
const attempts_max = 6;

/**
 * Transactions on the ORM's connection, each with the stores that `stores` creates. On SQLite those
 * that only read have a connection of their own. With `look_ups` they use this connection instead;
 * on SQLite only those that only read. They are Kysely's, because stores keep no entities: the
 * identity map and flush of the entity manager would cost more than a short transaction. `random`
 * spreads the attempts after a conflict.
 */
export function unitOfWorkOn<Tx>(
  connection: Connection,
  random: Pick<Random, 'below'>,
  stores: (session: Session) => Tx,
  look_ups?: Kysely<Tables>,
): UnitOfWork<Tx> {
  const { dialect, timers } = connection;
  const giveWay = giveWayWith(timers);
  const of_orm: Kysely<Tables> = connection.orm.driver.getConnection().getClient<Tables>();
  const writer = connection.dialect === 'sqlite' ? of_orm : (look_ups ?? of_orm);
  const reader = look_ups ?? (connection.dialect === 'sqlite' ? connection.reader : of_orm);

  function runOnce<Result>(work: (tx: Tx) => Promise<Result>, only_reads: boolean): Promise<Result> {
    let transaction = only_reads ? reader.transaction().setAccessMode('read only') : writer.transaction();
    // All reads see one state of the database. SQLite does this by default.
    if (only_reads && dialect === 'postgres') transaction = transaction.setIsolationLevel('repeatable read');
    return transaction.execute(async (db) => {
      const last: (() => Promise<void>)[] = [];
      const session: Session = {
        dialect,
        db,
        giveWay: connection.dialect === 'postgres' || connection.mayGiveWay(only_reads) ? giveWay : () => undefined,
        beforeCommit: (write) => last.push(write),
      };
      const result = await work(stores(session));
      for (const write of last) await write();
      return result;
    });
  }

  async function attempt<Result>(work: (tx: Tx) => Promise<Result>, only_reads: boolean): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await connection.runOutermost(() =>
          connection.dialect === 'sqlite'
            ? connection.onFile(() => runOnce(work, only_reads), only_reads)
            : runOnce(work, only_reads),
        );
      } catch (error) {
        if (!isConflict(error) || attempt === attempts_max) throw faultOf(error);
      }
      await timers.pause(random.below(4 * 2 ** attempt));
    }
  }

  return {
    run: (work) => attempt(work, false),
    read: (work) => attempt(work, true),
  };
}
