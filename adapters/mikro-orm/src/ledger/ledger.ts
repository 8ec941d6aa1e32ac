import type { Ledger } from '@tallystick/cards';
import type { Connection } from '../connection/connection.ts';
import type { PassPorts } from './ledger-rows.ts';
import { postgresLedger } from './postgres-ledger.ts';
import { sqliteLedger } from './sqlite-ledger.ts';

/**
 * The ledger on the connection's database. Reads the clock once per pass, after the cards are
 * locked.
 */
export function ledgerOn(connection: Connection, ports: PassPorts): Ledger {
  return connection.dialect === 'sqlite' ? sqliteLedger(connection, ports) : postgresLedger(connection, ports);
}
