import {
  type DecisionPoster,
  decision_answer_bytes_max,
  decision_request_ms_max,
  decision_timeout_ms_max,
} from '@tallystick/cards';
import { machine_timers } from '@tallystick/kernel';
import { createExchanger } from './exchange.ts';
import { type ConnectionPorts, guardedAgent } from './guarded-agent.ts';

/**
 * A poster over undici, with the same guard of addresses as `webhookClient`. A connection that is not
 * made while an answer would count is closed: nothing else ends one, and there is no bound on them.
 */
export function decisionPoster(ports: ConnectionPorts): DecisionPoster {
  const { guard, timers = machine_timers } = ports;
  const agent = guardedAgent(ports, decision_timeout_ms_max);
  const bounds = {
    time_ms: decision_request_ms_max,
    kept_bytes_max: decision_answer_bytes_max,
    read_bytes_max: decision_answer_bytes_max,
  };
  return { post: createExchanger(agent, guard, timers, bounds), close: () => agent.close() };
}
