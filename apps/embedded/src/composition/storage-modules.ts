import type { CardVault } from '@tallystick/cards';
import { type Clock, machine_timers, type Random, type Timers } from '@tallystick/kernel';
import { migrations, mikroOrmPersistence, type Persistence, type SchemaMigration } from '@tallystick/mikro-orm';
import { createVault, type KeyRing, machine_random, type Vault } from '@tallystick/vault';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import { mirrorPurchases } from '../sandbox/mirrored-purchases.ts';
import { createSharedClock, type SharedClock } from '../sandbox/shared-clock.ts';
import { UnusableOptions } from '../unusable.ts';
import { dataFolderOf, makeDefaultFolder } from './default-folder.ts';
import { sandboxKeyRing } from './keys-file.ts';
import { assertKeysFit } from './keys-fit.ts';
import { warnOfFewer } from './report-connections.ts';
import { isSqlite, type Settings } from './settings.ts';
import { tokens } from './tokens.ts';

/** The keys, and the cryptography made of them. */
export const keys_module = new ContainerModule(({ bind }) => {
  bind(tokens.random).toConstantValue(machine_random);
  bind(tokens.key_ring).toResolvedValue(
    ({ key_ring, data_folder }, random) => key_ring ?? sandboxKeyRing(data_folder, random),
    [tokens.settings, tokens.random],
  );
  bind<CardVault | null>(tokens.card_vault).toConstantValue(null);
  bind(tokens.vault).toResolvedValue(openVault, [tokens.key_ring, tokens.card_vault, tokens.random]);
});

/** The clock: the machine's, and in a sandbox one that can be moved. */
export const time_module = new ContainerModule(({ bind }) => {
  bind(tokens.timers).toConstantValue(machine_timers);
  bind(tokens.shared_clock).toResolvedValue(
    ({ sandbox }, timers) => (sandbox ? createSharedClock(timers, timers) : null),
    [tokens.settings, tokens.timers],
  );
  bind(tokens.clock).toResolvedValue((shared, timers) => shared ?? timers, [tokens.shared_clock, tokens.timers]);
});

/** The database, and the logger of the app, which every module needs. */
export const storage_module = new ContainerModule(({ bind }) => {
  bind(tokens.log).toResolvedValue(boundLogger, [{ serviceIdentifier: tokens.logger, optional: true }]);
  bind(tokens.migrations).toConstantValue(migrations);
  bind(tokens.migrates).toConstantValue(true);
  bind(tokens.database)
    .toResolvedValue(openDatabase, [
      tokens.settings,
      tokens.clock,
      tokens.timers,
      tokens.random,
      tokens.vault,
      tokens.migrations,
      tokens.log,
    ])
    .onDeactivation((database) => database.close());
  bind(tokens.persistence).toResolvedValue(checkDatabase, [
    tokens.settings,
    tokens.database,
    tokens.clock,
    tokens.shared_clock,
    tokens.vault,
    tokens.migrates,
  ]);
  bind(tokens.refresh_clock).toResolvedValue(
    (shared, { look_ups }) =>
      async () => {
        await shared?.refresh(look_ups);
      },
    [tokens.shared_clock, tokens.persistence],
  );
});

function boundLogger(logger: Logger | undefined): Logger {
  if (logger !== undefined) return logger;
  throw new UnusableOptions(
    'tokens.logger is not bound: call container.bind(tokens.logger).toConstantValue(openHostLog(options.logger)) before the first use',
  );
}

/** The host's own numbers of cards replace those of the key ring. */
function openVault(ring: KeyRing, card_vault: CardVault | null, random: Random): Vault {
  const vault = createVault(ring, { random });
  return card_vault === null ? vault : { ...vault, card_vault };
}

function openDatabase(
  { database_url, database, schema, database_connections_max, decision_ms_max, statement_key, owns_process }: Settings,
  clock: Clock,
  timers: Timers,
  random: Random,
  { audit_mac }: Vault,
  known_migrations: readonly SchemaMigration[],
  logger: Logger,
): Promise<Persistence> {
  if (isSqlite(database_url)) makeDefaultFolder(dataFolderOf(database_url));
  return mikroOrmPersistence({
    database_url,
    database,
    schema,
    connections_max: database_connections_max,
    onFewerConnections: warnOfFewer(logger),
    clock,
    timers,
    random,
    audit_mac,
    decision_ms_max,
    statement_key,
    migrations: known_migrations,
    owns_process,
  });
}

/**
 * Migrates the database or checks its schema, and checks that the keys and the statement key belong
 * to it. Closes the database if not.
 */
async function checkDatabase(
  { accepts_newer_schema: accepts_newer }: Settings,
  database: Persistence,
  clock: Clock,
  shared: SharedClock | null,
  vault: Vault,
  migrates: boolean,
): Promise<Persistence> {
  try {
    await database.migrate({ accepts_newer, only_checks: !migrates });
    await shared?.refresh(database.unitOfWork);
    await assertKeysFit(database.unitOfWork, vault);
  } catch (error) {
    await database.close();
    throw error;
  }
  return shared === null
    ? database
    : { ...database, unitOfWork: mirrorPurchases(database.unitOfWork, () => clock.nowMs()) };
}
