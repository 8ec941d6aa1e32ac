import { continueImports, type Import, type ImportPorts, ImportStopped } from '@tallystick/imports';
import type { Lifecycle, Metrics } from '@tallystick/koa';
import type { Logger } from 'pino';
import type { Job } from './jobs.ts';

/** How often imports of dead processes are looked for. */
const look_every_ms = 5_000;

/**
 * The job that ends imports whose process died (`continueImports`). It stops after the batch in
 * progress when the process stops.
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
      const call = { actor: 'job:imports', request_id: null, now_ms: ports.clock.now().epochMilliseconds };
      const onEnded = (ended: Import): void => {
        metrics.importEnded(ended);
        const { id, status, applied, duplicates, quarantined } = ended;
        logger.info(
          { import_id: id, status, applied, duplicates, quarantined },
          'an import of a dead process was ended',
        );
      };
      try {
        await continueImports(ports, call, { signal: lifecycle.signal, onEnded });
      } catch (error) {
        // This process stops. The next one continues.
        if (!(error instanceof ImportStopped)) throw error;
      }
    },
  };
}
