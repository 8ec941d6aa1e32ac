import type { Mailer } from '@tallystick/cards';
import type { WebhookSender } from '@tallystick/events';
import type { Logger } from 'pino';

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
export function senderOfHost(sender: WebhookSender, logger: Pick<Logger, 'error'>): WebhookSender {
  return {
    async send(request) {
      const started_ms = performance.now();
      try {
        return await sender.send(request);
      } catch (err) {
        logger.error({ err }, 'ports.sender rejected, which it must not: the attempt counts as failed');
        const duration_ms = performance.now() - started_ms;
        return { kind: 'unanswered', error: 'connection_failed', detail: 'sender rejected', duration_ms };
      }
    },
    close: () => sender.close(),
  };
}
