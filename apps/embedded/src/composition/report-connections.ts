import type { Persistence } from '@tallystick/mikro-orm';
import type { Logger } from 'pino';

/**
 * Logs how many connections to Postgres are wanted, and how many can be had: a warning when they
 * are fewer. Rejects with a `Fault` when there can never be enough. To be called before other work.
 */
export async function reportConnections(
  { findConnections }: Pick<Persistence, 'findConnections'>,
  logger: Logger,
): Promise<void> {
  const connections = await findConnections();
  if (connections === null) return;
  if (connections.got < connections.wanted) warnOfFewer(logger)(connections);
  else logger.info(connections, 'connections to Postgres');
}

/** Work waits longer for a connection then, and does not fail. */
export function warnOfFewer(logger: Logger): (connections: { readonly wanted: number; readonly got: number }) => void {
  return (connections) =>
    logger.warn(
      connections,
      'Postgres gives fewer connections than wanted, and work waits for them: raise the limit of the role, or lower DATABASE_CONNECTIONS_MAX or database_connections_max',
    );
}
