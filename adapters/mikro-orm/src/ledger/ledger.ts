import type { Ledger } from '@tallystick/cards';
import type { KnownBackfills } from '../backfill/backfills.ts';
import type { Connection } from '../connection/connection.ts';
import type { GivingWay } from '../connection/give-way.ts';
import type { PassPorts } from './pass-ports.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { sqliteLedger } from './sqlite-ledger.ts';

/**
 * The ledger on the connection's database. Reads the clock once per pass, after the cards are
 * locked.
 */
export function ledgerOn(
  connection: Connection,
  ports: PassPorts,
  backfills: KnownBackfills,
  giving_way: Pick<GivingWay, 'noteWaiting'>,
): Ledger {
  return connection.dialect === 'sqlite'
    ? sqliteLedger(connection, ports, backfills)
    : postgresLedger(connection, ports, backfills, giving_way);
}
