import {
  backlog_max,
  isFailing,
  recent_max,
  refuseTakenType,
  toCanonicalTypeId,
  type Webhook,
  type WebhookHealth,
  type WebhookState,
  type WebhookStore,
} from '@tallystick/events';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';
import { HeldRows } from '../../storage/table.ts';
import { dropDelivery } from './deliveries.ts';

export function webhookStore(state: State): WebhookStore {
  const { companies, deliveries, delivery_attempts, webhook_health, webhook_sequences, webhooks } = state;
  const held = new HeldRows('webhook');

  function of(company_id: number, id: number): Webhook | null {
    const webhook = webhooks.get(id);
    return webhook?.company_id === company_id ? webhook : null;
  }

  function stateOf(webhook: Webhook): WebhookState {
    const its = deliveries.values().filter((one) => one.webhook_id === webhook.id);
    const pending = its.filter((one) => one.state === 'pending');
    const oldest_due_at_ms = pending.length === 0 ? null : Math.min(...pending.map(({ due_at_ms }) => due_at_ms!));
    const backlog = Math.min(pending.length, backlog_max);
    const recent = { pending: 0, succeeded: 0, failed: 0 };
    for (const { state } of its.sort((a, b) => b.id - a.id).slice(0, recent_max)) recent[state] += 1;
    return { webhook, health: healthOf(state, webhook.id), backlog, oldest_due_at_ms, recent };
  }

  /** Refuses an event type that another webhook of the company has. */
  function refuseTakenTypes({ company_id, event_type_ids, id }: Pick<Webhook, 'company_id' | 'event_type_ids' | 'id'>) {
    const others = webhooks.values().filter((webhook) => webhook.company_id === company_id && webhook.id !== id);
    for (const written of event_type_ids) {
      const isIt = (other: number) => toCanonicalTypeId(other) === toCanonicalTypeId(written);
      const owner = others.find((webhook) => webhook.event_type_ids.some(isIt));
      if (owner !== undefined) throw refuseTakenType(written, owner.id);
    }
  }

  return {
    async insert(webhook) {
      companies.assertHas(webhook.company_id, 'company');
      const id = webhooks.nextId();
      refuseTakenTypes({ ...webhook, id });
      held.hold(id);
      return webhooks.set(id, { ...webhook, id });
    },

    async find(company_id, id, options) {
      if (options?.for_update) held.hold(id);
      return of(company_id, id);
    },

    async list(company_id, page) {
      const listed = webhooks.values().filter((webhook) => webhook.company_id === company_id);
      return newestFirst('webhooks', listed, page);
    },

    async listStates({ company_id, failing }, page) {
      const listed = webhooks.values().filter(({ id, company_id: owner_id, status }) => {
        const is_failing = isFailing(status, healthOf(state, id));
        return (company_id ?? owner_id) === owner_id && (failing ?? is_failing) === is_failing;
      });
      const { items, next } = newestFirst('webhook-states', listed, page);
      return { items: items.map(stateOf), next };
    },

    async update(webhook) {
      held.assertHeld(webhook.id);
      refuseTakenTypes(webhook);
      const { company_id, callback_url } = webhooks.get(webhook.id)!;
      webhooks.set(webhook.id, { ...webhook, company_id, callback_url });
    },

    async delete(company_id, id) {
      if (of(company_id, id) === null) return false;
      webhooks.delete(id);
      webhook_sequences.delete(id);
      webhook_health.delete(id);
      const dropped = new Set<number>();
      for (const delivery of deliveries.values()) {
        if (delivery.webhook_id !== id) continue;
        dropped.add(delivery.id);
        dropDelivery(state, delivery.id);
      }
      for (const [key, { delivery_id }] of delivery_attempts.entries())
        if (dropped.has(delivery_id)) delivery_attempts.delete(key);
      return true;
    },

    async listAfter(after_id, limit) {
      const later = webhooks.values().filter(({ id }) => id > after_id);
      const listed = later.sort((a, b) => a.id - b.id).slice(0, limit);
      for (const { id } of listed) held.hold(id);
      return listed;
    },
  };
}

/** How the last attempts to reach the webhook ended. */
export function healthOf({ webhook_health }: State, webhook_id: number): WebhookHealth {
  return webhook_health.get(webhook_id) ?? { failures_in_a_row: 0, failing_since_ms: null };
}
