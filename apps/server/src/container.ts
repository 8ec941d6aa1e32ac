import { createHttpApp, logOptions, type Metrics } from '@tallystick/koa';
import { type Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { type Logger, pino } from 'pino';
import { closeContainer as closeParts, createContainer as createParts, tokens as parts } from 'tallystick/inversify';
import { apiReferencePages } from './api-reference/pages.ts';
import type { Config } from './configuration/config.ts';
import { loadFormats } from './configuration/formats.ts';
import { loadUserLogin } from './configuration/user-login.ts';
import { openDeliveryQueue } from './delivery-queue.ts';
import { createLogOutput, type LogOutput, standardError } from './log-output.ts';

export const tokens = {
  ...parts,
  config: Symbol.for('tallystick.config') as ServiceIdentifier<Config>,
  log_output: Symbol.for('tallystick.log_output') as ServiceIdentifier<LogOutput>,
} as const;

export interface ContainerOptions {
  /** False: the database must have the schema of this version. True when absent: it is migrated. */
  readonly migrates?: boolean;
}

/**
 * The composition of the whole server: the modules of the library, with the parts of the
 * configuration. Each part is opened on first use. `closeContainer` closes the opened parts.
 */
export function createContainer(config: Config, { migrates = true }: ContainerOptions = {}): Container {
  const container = createParts(config);
  container.rebind(tokens.migrates).toConstantValue(migrates);
  container.load(configured(config));
  return container;
}

/** Closes the opened parts; the log last. */
export async function closeContainer(container: Container): Promise<void> {
  await closeParts(container);
  await container.get(tokens.log_output).close();
}

function configured(config: Config): ContainerModule {
  return new ContainerModule(({ bind, rebind }) => {
    bind(tokens.config).toConstantValue(config);
    bind(tokens.log_output).toResolvedValue(openLogOutput, [tokens.metrics]);
    bind(tokens.logger).toResolvedValue(openLog, [tokens.config, tokens.log_output]);
    rebind(tokens.delivery_queue)
      .toResolvedValue(openDeliveryQueue, [tokens.config, tokens.logger, tokens.timers])
      .onDeactivation((queue) => queue.close());
    rebind(tokens.http_app).toResolvedValue(
      (ports, console, { sandbox }) => createHttpApp({ ...ports, console, pages: apiReferencePages({ sandbox }) }),
      [tokens.http_ports, tokens.console, tokens.config],
    );
    rebind(tokens.formats).toResolvedValue(loadFormats, [tokens.config]);
    const { user_login_module } = config;
    if (user_login_module !== null) {
      rebind(tokens.user_login).toResolvedValue(() => loadUserLogin(user_login_module));
    }
  });
}

/** Structured lines on standard error. Standard output is for the person who starts the server. */
function openLog(config: Config, output: LogOutput): Logger {
  const logger = pino(logOptions(config.log_level), output);
  output.onResume((dropped) => logger.warn({ dropped }, 'lines of the log were dropped: they could not be written'));
  return logger;
}

function openLogOutput(metrics: Metrics): LogOutput {
  return createLogOutput(standardError(), (lines) => metrics.logDropped(lines));
}
