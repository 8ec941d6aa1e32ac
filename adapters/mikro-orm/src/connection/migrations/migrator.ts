import { EntitySchema, type MikroORM } from '@mikro-orm/core';
import { MigrationStorage, Migrator } from '@mikro-orm/migrations';

/**
 * The migrator of MikroORM, without what it leaves behind. Each use of the table of applied
 * migrations describes that table again, and a registry of the process keeps every description.
 */
export class ForgettingMigrator extends Migrator {
  /** MikroORM looks for this name, and otherwise adds its own migrator. */
  static override readonly name = 'Migrator';

  static override register(orm: MikroORM): void {
    orm.config.registerExtension('@mikro-orm/migrator', () => new ForgettingMigrator(orm.em as never));
  }

  protected override createStorage(): ForgettingStorage {
    return new ForgettingStorage(this.driver, this.options);
  }
}

class ForgettingStorage extends MigrationStorage {
  override getTableName(): ReturnType<MigrationStorage['getTableName']> {
    const described = super.getTableName();
    EntitySchema.REGISTRY.delete(described.entity.meta.class);
    return described;
  }
}
