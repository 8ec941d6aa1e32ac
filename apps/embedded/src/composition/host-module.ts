import { hostDecisionMaker, type Mailer } from '@tallystick/cards';
import { clearing_formats, csvFormat } from '@tallystick/clearing-files';
import type { WebhookSender } from '@tallystick/events';
import { createFormats } from '@tallystick/imports';
import type { Timers } from '@tallystick/kernel';
import { statement_formats } from '@tallystick/statement-files';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import type { TallystickOptions } from '../options.ts';
import { readAuthorizationTerms } from '../read-options.ts';
import { tokens } from './tokens.ts';

/** The parts that the options replace. What a host has passed in is not closed with the rest. */
export function hostModule(options: TallystickOptions, logger: Logger): ContainerModule {
  const { clock, ports = {}, onAuthorization } = options;
  return new ContainerModule(({ bind, rebind }) => {
    bind(tokens.logger).toConstantValue(logger);
    const { numbers, mailer, sender, delivery_queue, bank, user_login, formats, archive } = ports;
    if (onAuthorization !== undefined) {
      const failed = (err: unknown) => logger.error({ err }, 'onAuthorization rejected: what stands in decides');
      const maker = hostDecisionMaker(
        onAuthorization,
        readAuthorizationTerms(options, () => undefined),
        failed,
      );
      rebind(tokens.decision_maker).toConstantValue(maker);
    }
    if (clock !== undefined) rebind(tokens.clock).toConstantValue(clock);
    if (numbers !== undefined) rebind(tokens.card_vault).toConstantValue(numbers);
    if (mailer !== undefined) {
      rebind(tokens.mailer).toConstantValue(mailer === null ? null : mailerOfHost(mailer, logger));
    }
    if (sender !== undefined) {
      rebind(tokens.webhook_sender).toResolvedValue((timers) => senderOfHost(sender, logger, timers), [tokens.timers]);
    }
    if (delivery_queue !== undefined) rebind(tokens.delivery_queue).toConstantValue(delivery_queue);
    if (bank !== undefined) rebind(tokens.bank_data).toConstantValue(bank);
    if (user_login !== undefined) rebind(tokens.user_login).toConstantValue(user_login);
    if (archive !== undefined) rebind(tokens.archive).toConstantValue(archive);
    if (formats !== undefined) {
      const all = [...clearing_formats, ...statement_formats, csvFormat([]), ...formats];
      rebind(tokens.formats).toResolvedValue(() => createFormats(all));
    }
  });
}

/** A mailer never rejects. One of a host that does has not taken the mail, which is sent again. */
export function mailerOfHost(mailer: Mailer, logger: Pick<Logger, 'error'>): Mailer {
  return {
    async send(message) {
      try {
        return await mailer.send(message);
      } catch (err) {
        logger.error({ err }, 'ports.mailer rejected, which it must not: the mail counts as not taken');
        return { kind: 'not_taken', error: 'mailer rejected', for_good: false };
      }
    },
    close: () => mailer.close(),
  };
}

/** A sender never rejects. One of a host that does has not reached the endpoint. */
export function senderOfHost(
  sender: WebhookSender,
  logger: Pick<Logger, 'error'>,
  { monotonicNow }: Pick<Timers, 'monotonicNow'>,
): WebhookSender {
  return {
    async send(request) {
      const started_ms = monotonicNow();
      try {
        return await sender.send(request);
      } catch (err) {
        logger.error({ err }, 'ports.sender rejected, which it must not: the attempt counts as failed');
        const duration_ms = monotonicNow() - started_ms;
        return { kind: 'unanswered', error: 'connection_failed', detail: 'sender rejected', duration_ms };
      }
    },
    close: () => sender.close(),
  };
}
