import { type WebhookSender, webhook_request_ms_max } from '@tallystick/events';
import { machine_timers } from '@tallystick/kernel';
import { createExchanger } from './exchange.ts';
import { type ConnectionPorts, guardedAgent } from './guarded-agent.ts';

/**
 * The stored part of an answer. The rest is read up to a limit, so that the connection can be
 * reused.
 */
const kept_bytes_max = 4_096;
const read_bytes_max = 65_536;

export interface WebhookClientPorts extends ConnectionPorts {
  /** In milliseconds; `webhook_request_ms_max` when absent, and at most. */
  readonly request_time_ms?: number;
}

/** A sender over undici. */
export function webhookClient(ports: WebhookClientPorts): WebhookSender {
  const { timers = machine_timers } = ports;
  const time_ms = Math.min(ports.request_time_ms ?? webhook_request_ms_max, webhook_request_ms_max);
  const agent = guardedAgent(ports, time_ms);
  const exchange = createExchanger(agent, ports.guard, timers, { time_ms, kept_bytes_max, read_bytes_max });
  return {
    async send(request) {
      const end = await exchange(request);
      if (end.kind === 'unanswered') return end;
      const { kind, status, retry_after, duration_ms } = end;
      return { kind, status, excerpt: end.body, retry_after, duration_ms };
    },
    close: () => agent.close(),
  };
}
