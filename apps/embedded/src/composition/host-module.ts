import { clearing_formats, csvFormat } from '@tallystick/clearing-files';
import { createFormats } from '@tallystick/imports';
import { statement_formats } from '@tallystick/statement-files';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import type { TallystickOptions } from '../options.ts';
import { mailerOfHost, senderOfHost } from './host-ports.ts';
import { tokens } from './tokens.ts';

/** The parts that the options replace. What a host has passed in is not closed with the rest. */
export function hostModule({ clock, ports = {} }: TallystickOptions, logger: Logger): ContainerModule {
  return new ContainerModule(({ bind, rebind }) => {
    bind(tokens.logger).toConstantValue(logger);
    const { numbers, mailer, sender, delivery_queue, bank, user_login, formats, archive } = ports;
    if (clock !== undefined) rebind(tokens.clock).toConstantValue(clock);
    if (numbers !== undefined) rebind(tokens.card_vault).toConstantValue(numbers);
    if (mailer !== undefined) {
      rebind(tokens.mailer).toConstantValue(mailer === null ? null : mailerOfHost(mailer, logger));
    }
    if (sender !== undefined) rebind(tokens.webhook_sender).toConstantValue(senderOfHost(sender, logger));
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
