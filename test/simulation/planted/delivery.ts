import type { Webhook } from '@tallystick/events';
import { type PlantedBug, withStores } from './planted-bug.ts';

export const job_never_queued: PlantedBug = {
  name: 'a row committed whose job never got queued',
  persistence: withStores(({ outbox }) => ({
    outbox: { ...outbox, enqueue: (deliveries) => outbox.enqueue(deliveries.slice(1)) },
  })),
};

export const sequence_with_a_gap: PlantedBug = {
  name: 'a sequence with a gap',
  persistence: withStores(({ outbox }) => ({
    outbox: {
      ...outbox,
      enqueue: (deliveries) =>
        outbox.enqueue(deliveries.map((one) => ({ ...one, sequence: one.sequence + (one.event_id % 2) }))),
    },
  })),
};

export const delivery_to_an_inactive_webhook: PlantedBug = {
  name: 'a delivery to an inactive webhook',
  persistence(persistence) {
    const seen = new Map<number, { readonly webhook: Webhook; readonly last_sequence: number }>();
    return withStores(({ outbox }) => ({
      outbox: {
        ...outbox,
        async activeWebhooks(company_ids) {
          for (const one of await outbox.activeWebhooks(company_ids)) seen.set(one.webhook.id, one);
          return [...seen.values()].filter(({ webhook }) => company_ids.includes(webhook.company_id));
        },
        async enqueue(deliveries) {
          for (const { webhook_id, sequence } of deliveries) {
            const one = seen.get(webhook_id);
            if (one !== undefined) seen.set(webhook_id, { ...one, last_sequence: sequence });
          }
          return await outbox.enqueue(deliveries);
        },
      },
    }))(persistence);
  },
};

export const lease_taken_over: PlantedBug = {
  name: 'a lease taken over while its holder writes',
  persistence(persistence) {
    const { delivery_desk: desk } = persistence;
    const hour_ms = 3_600_000;
    return {
      ...persistence,
      delivery_desk: {
        ...desk,
        claim: (ids, now_ms, lease) => desk.claim(ids, now_ms, { ...lease, machine_ms: lease.machine_ms + hour_ms }),
        due: (now_ms, machine_ms, bounds) => desk.due(now_ms, machine_ms + hour_ms, bounds),
      },
    };
  },
};

export const retry_at_the_wrong_minute: PlantedBug = {
  name: 'a retry at the wrong minute',
  persistence(persistence) {
    const { delivery_desk: desk } = persistence;
    return {
      ...persistence,
      delivery_desk: {
        ...desk,
        record: (results) =>
          desk.record(
            results.map(({ delivery, ...result }) => ({
              ...result,
              delivery:
                delivery.round_attempts === 2 && delivery.due_at_ms !== null
                  ? { ...delivery, due_at_ms: delivery.due_at_ms - 10 * 60_000 }
                  : delivery,
            })),
          ),
      },
    };
  },
};

export const signature_of_another_body: PlantedBug = {
  name: 'a signature of another body',
  sender: (sender) => ({ ...sender, send: (request) => sender.send({ ...request, body: `${request.body} ` }) }),
};

export const failure_taken_for_success: PlantedBug = {
  name: 'a failure taken for a success',
  sender: (sender) => ({
    ...sender,
    async send(request) {
      const answer = await sender.send(request);
      return answer.kind === 'answered' ? { ...answer, status: 200 } : answer;
    },
  }),
};

export const mail_sent_twice: PlantedBug = {
  name: 'a mail sent again after it was recorded',
  mailer: (mailer, timers) => ({
    ...mailer,
    async send(message) {
      timers.after(10 * 60_000, () => void mailer.send(message));
      return await mailer.send(message);
    },
  }),
};

export const mail_never_queued: PlantedBug = {
  name: 'a card that was notified without a mail',
  persistence: withStores(({ mails }) => ({ mails: { ...mails, queue: async () => {} } })),
};
