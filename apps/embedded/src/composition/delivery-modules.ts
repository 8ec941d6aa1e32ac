import { endpointDecisionMaker, type Mailer, mailboxMailer } from '@tallystick/cards';
import { embeddedQueue } from '@tallystick/embedded-queue';
import { createSubscriber, type Subscriber } from '@tallystick/events';
import type { Clock, Timers } from '@tallystick/kernel';
import type { Metrics } from '@tallystick/koa';
import { smtpMailer } from '@tallystick/mail';
import type { Persistence } from '@tallystick/mikro-orm';
import type { Vault } from '@tallystick/vault';
import { addressGuard, decisionPoster, documentReader, urlPolicy, webhookClient } from '@tallystick/webhook-client';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import { createDeliveries } from '../background/deliveries.ts';
import { deliveryObserver } from '../background/delivery-observer.ts';
import { createMails } from '../background/mails.ts';
import { publicUrl } from './public-url.ts';
import { isSqlite, type Settings } from './settings.ts';
import { tokens } from './tokens.ts';

/** The deliveries of events to webhooks, and what else is called at addresses that others named. */
export const webhooks_module = new ContainerModule(({ bind }) => {
  bind(tokens.address_guard).toResolvedValue(
    ({ webhook_networks }) => addressGuard(webhook_networks),
    [tokens.settings],
  );
  bind(tokens.url_policy).toResolvedValue(urlPolicy, [tokens.address_guard]);
  bind(tokens.document_reader)
    .toResolvedValue(
      (guard, { sandbox }, timers) => documentReader({ guard, trusts_loopback: sandbox, timers }),
      [tokens.address_guard, tokens.settings, tokens.timers],
    )
    .onDeactivation((reader) => reader.close());
  bind(tokens.webhook_sender)
    .toResolvedValue(
      (guard, { sandbox }, timers) => webhookClient({ guard, trusts_loopback: sandbox, timers }),
      [tokens.address_guard, tokens.settings, tokens.timers],
    )
    .onDeactivation((sender) => sender.close());
  bind(tokens.decision_poster)
    .toResolvedValue(
      (guard, { sandbox }, timers) => decisionPoster({ guard, trusts_loopback: sandbox, timers }),
      [tokens.address_guard, tokens.settings, tokens.timers],
    )
    .onDeactivation((poster) => poster.close());
  bind(tokens.decision_maker).toResolvedValue(
    (poster, { sealer, hmacSha256: hmac }, { unitOfWork }, clock, timers) =>
      endpointDecisionMaker({ poster, sealer, hmac, clock, machine_clock: timers }, unitOfWork),
    [tokens.decision_poster, tokens.vault, tokens.persistence, tokens.clock, tokens.timers],
  );
  bind(tokens.delivery_queue)
    .toResolvedValue(() => embeddedQueue())
    .onDeactivation((queue) => queue.close());
  bind(tokens.deliveries)
    .toResolvedValue(
      async (settings, persistence, vault, clock, timers, refresh, metrics, logger, queue, sender) => {
        metrics.watchWebhooksOn(() => settings.webhooks);
        if (!settings.webhooks) logger.warn('webhooks are off: deliveries are made and wait, and none is sent');
        metrics.watchDeliveries(
          async () => ({
            ...(await persistence.delivery_desk.backlog()),
            queue_depth: await queue.depth().catch(() => Number.NaN),
          }),
          clock,
        );
        return createDeliveries({
          persistence,
          vault,
          clock,
          timers,
          queue,
          sender,
          observer: deliveryObserver(metrics, logger, timers),
          refresh,
          sends: settings.role !== 'api' && settings.webhooks,
          is_off: !settings.webhooks,
        });
      },
      [
        tokens.settings,
        tokens.persistence,
        tokens.vault,
        tokens.clock,
        tokens.timers,
        tokens.refresh_clock,
        tokens.metrics,
        tokens.log,
        tokens.delivery_queue,
        tokens.webhook_sender,
      ],
    )
    .onDeactivation((deliveries) => deliveries.stop());
});

/** The handlers of events in this process. */
export const subscriptions_module = new ContainerModule(({ bind }) => {
  bind(tokens.subscriber)
    .toResolvedValue(openSubscriber, [
      tokens.settings,
      tokens.persistence,
      tokens.vault,
      tokens.clock,
      tokens.timers,
      tokens.metrics,
      tokens.log,
    ])
    .onDeactivation((subscriber) => subscriber.stop());
  bind(tokens.events_committed).toResolvedValue(
    (deliveries, subscriber) => () => {
      deliveries.nudge();
      subscriber.nudge();
    },
    [tokens.deliveries, tokens.subscriber],
  );
});

function openSubscriber(
  { database_url }: Settings,
  { unitOfWork, event_horizon, begin, joining }: Persistence,
  { random }: Vault,
  clock: Clock,
  timers: Timers,
  metrics: Metrics,
  logger: Logger,
): Subscriber {
  const subscriber = createSubscriber({
    unitOfWork,
    event_horizon,
    dialect: isSqlite(database_url) ? 'sqlite' : 'postgres',
    begin,
    joining,
    clock,
    random,
    machineNow: timers.nowMs,
    monotonicNow: timers.monotonicNow,
    after: timers.after,
    failed({ error: err, ...failure }) {
      logger.error({ err, ...failure }, 'a handler of events failed; its events are handled again');
    },
    removed: (name) => logger.info({ name }, 'the subscription was removed by another process'),
    listenerFailed: (err) => logger.error({ err }, 'a listener of events failed'),
  });
  metrics.watchSubscriptions(() => subscriber.list(), clock);
  return subscriber;
}

export const mail_module = new ContainerModule(({ bind }) => {
  bind(tokens.listening).toConstantValue({ url: null });
  bind(tokens.portal).toConstantValue({ url: null });
  bind(tokens.mailer)
    .toResolvedValue(openMailer, [tokens.settings, tokens.persistence, tokens.vault, tokens.clock, tokens.timers])
    .onDeactivation(async (mailer) => {
      await mailer?.close();
    });
  bind(tokens.mails)
    .toResolvedValue(
      (settings, persistence, mailer, vault, clock, timers, refresh, metrics, logger, listening) =>
        createMails({
          sends: settings.role !== 'api',
          persistence,
          mailer,
          vault,
          clock,
          timers,
          metrics,
          logger,
          refresh,
          publicUrl: () => publicUrl(settings, listening.url),
        }),
      [
        tokens.settings,
        tokens.persistence,
        tokens.mailer,
        tokens.vault,
        tokens.clock,
        tokens.timers,
        tokens.refresh_clock,
        tokens.metrics,
        tokens.log,
        tokens.listening,
      ],
    )
    .onDeactivation((mails) => mails.close());
});

/**
 * Mails are sent over SMTP when it is configured. Otherwise a sandbox puts them in its mailbox, and
 * outside a sandbox they wait.
 */
function openMailer(
  { smtp, mail_from, sandbox }: Settings,
  { unitOfWork }: Persistence,
  { sealer }: Vault,
  clock: Clock,
  timers: Timers,
): Mailer | null {
  if (smtp !== null) return smtpMailer({ server: smtp, from: mail_from, timers });
  return sandbox ? mailboxMailer({ unitOfWork, sealer, clock }) : null;
}
