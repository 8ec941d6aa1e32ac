import { type HostTransaction, UnusableTransaction } from '@tallystick/kernel';
import { fromKysely, type KyselyTransaction } from './from-kysely.ts';

/** What is used of an `EntityManager` of MikroORM 7 for SQL databases. */
export interface MikroOrmEntityManager {
  getTransactionContext(): unknown;
}

/**
 * The transaction of `em.transactional(async (em) => ...)` or `em.begin()`, on Postgres or SQLite.
 * Calls do not flush the entity manager, and see only what it has flushed. Its identity map does not
 * see what calls write.
 */
export function fromMikroOrm(em: MikroOrmEntityManager): HostTransaction {
  if (typeof (em as Partial<MikroOrmEntityManager> | null)?.getTransactionContext !== 'function') {
    throw new UnusableTransaction('fromMikroOrm takes the em of em.transactional((em) => ...) of MikroORM 7');
  }
  const context = em.getTransactionContext();
  if (context === undefined || context === null) {
    throw new UnusableTransaction(
      'the entity manager is in no transaction: call fromMikroOrm with the em of em.transactional((em) => ...), or after em.begin()',
    );
  }
  if (typeof (context as Partial<KyselyTransaction>).withoutPlugins !== 'function') {
    throw new UnusableTransaction('fromMikroOrm takes an entity manager of MikroORM 7 on Postgres or SQLite');
  }
  return fromKysely(context as KyselyTransaction);
}
