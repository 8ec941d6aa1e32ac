import { continueImports, type Import, type ImportPorts, ImportStopped } from '@tallystick/imports';
import type { Lifecycle, Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** How often imports of dead processes are looked for. */
const look_every_ms = 5_000;

/**
 * The job that ends imports whose process died, and applies held ones that waited for an account or
 * a statement (`continueImports`). It stops after the batch in progress when the process stops.
 */
export function importJob(
  ports: ImportPorts,
  lifecycle: Pick<Lifecycle, 'signal'>,
  metrics: Pick<Metrics, 'importEnded'>,
  logger: Pick<Logger, 'info'>,
): Job {
  return {
    name: 'imports',
    every_ms: look_every_ms,
    async run() {
      const call = { actor: 'job:imports', request_id: null, now_ms: ports.clock.nowMs() };
      const noting = (what: string) => (ended: Import) => {
        metrics.importEnded(ended);
        const { id, status, applied, duplicates, quarantined } = ended;
        logger.info({ import_id: id, status, applied, duplicates, quarantined }, what);
      };
      const onEnded = noting('an import of a dead process was ended');
      const onWaitingEnded = noting('a held import was applied, because what it waited for is there');
      try {
        await continueImports(ports, call, { signal: lifecycle.signal, onEnded, onWaitingEnded });
      } catch (error) {
        // This process stops. The next one continues.
        if (!(error instanceof ImportStopped)) throw error;
      }
    },
  };
}
