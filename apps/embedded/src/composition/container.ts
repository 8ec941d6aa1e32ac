import 'reflect-metadata';
import { Container, type ContainerModule } from 'inversify';
import { console_module } from './console-module.ts';
import { mail_module, subscriptions_module, webhooks_module } from './delivery-modules.ts';
import { http_module, open_banking_module } from './http-modules.ts';
import { imports_module, network_module } from './network-modules.ts';
import type { Settings } from './settings.ts';
import { keys_module, storage_module, time_module } from './storage-modules.ts';
import { tokens } from './tokens.ts';
import { work_module } from './work-module.ts';

/** Every module. Together they bind every token except `settings` and `logger`. */
export const modules: readonly ContainerModule[] = [
  keys_module,
  time_module,
  storage_module,
  network_module,
  imports_module,
  webhooks_module,
  subscriptions_module,
  mail_module,
  work_module,
  open_banking_module,
  http_module,
  console_module,
];

/**
 * A container with every module. Each part is opened on first use. The caller binds
 * `tokens.logger`, and rebinds what it replaces, before the first use. `closeContainer` closes the
 * opened parts.
 */
export function createContainer(settings: Settings): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(tokens.settings).toConstantValue(settings);
  container.load(...modules);
  return container;
}

/**
 * Closes the opened parts in the order of their dependencies: a caller before the parts that it
 * calls.
 */
export async function closeContainer(container: Container): Promise<void> {
  const logger = container.get(tokens.logger, { optional: true });
  const parts = [
    tokens.jobs,
    tokens.open_banking,
    tokens.subscriber,
    tokens.network,
    tokens.activity,
    tokens.deliveries,
    tokens.delivery_queue,
    tokens.webhook_sender,
    tokens.decision_poster,
    tokens.document_reader,
    tokens.mails,
    tokens.mailer,
    tokens.database,
  ];
  for (const token of parts) {
    // A part that could not be opened rejects here again. The reason is already logged.
    await container.unbindAsync(token).catch((err: unknown) => logger?.debug({ err }, 'could not be closed'));
  }
}
