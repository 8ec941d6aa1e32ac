// inversify-host.ts
import type { Mailer, TallystickOptions } from 'tallystick';
import {
  createContainer,
  openContainer,
  openHostLog,
  readOptions,
  tokens,
} from 'tallystick/inversify';

export async function openWithInversify(options: TallystickOptions, mailer: Mailer) {
  const container = createContainer(readOptions(options));
  container.bind(tokens.logger).toConstantValue(openHostLog(options.logger));
  container.rebind(tokens.mailer).toConstantValue(mailer);
  return await openContainer(container);
}
