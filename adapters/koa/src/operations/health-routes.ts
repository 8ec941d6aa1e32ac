import { Fault } from '@tallystick/kernel';
import { HttpProblem } from '../answer/error-answer.ts';
import type { SystemRoute } from '../request/system-route.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Metrics } from './metrics.ts';

export interface HealthPorts {
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  readonly ping: () => Promise<void>;
  /** The migrations that a newer version has applied beside this process; none when absent. */
  readonly newerMigrations?: () => readonly string[];
}

/** The paths that monitoring asks again and again. Their requests are logged at the level debug. */
export const health_paths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** The routes for health and metrics. */
export function healthRoutes(ports: HealthPorts): readonly SystemRoute[] {
  return [
    {
      path: '/healthz',
      answer(ctx) {
        ctx.body = { status: 'ok' };
      },
    },
    {
      path: '/readyz',
      async answer(ctx) {
        if (ports.lifecycle.stopping) throw new HttpProblem('unavailable', 'the server is stopping');
        try {
          await ports.ping();
        } catch (error) {
          const reason = error instanceof Fault ? error.message : 'the database does not respond';
          throw new HttpProblem('unavailable', reason, { 'Retry-After': '1' });
        }
        const newer_schema = ports.newerMigrations?.() ?? [];
        ctx.body = { status: 'ready', ...(newer_schema.length === 0 ? {} : { newer_schema }) };
      },
    },
    {
      path: '/metrics',
      async answer(ctx) {
        ctx.set('Content-Type', ports.metrics.content_type);
        ctx.body = await ports.metrics.read();
      },
    },
  ];
}
