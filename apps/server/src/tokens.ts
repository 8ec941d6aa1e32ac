import type { ServiceIdentifier } from 'inversify';
import { tokens as parts } from 'tallystick/inversify';
import type { Config } from './configuration/config.ts';
import type { LogOutput } from './log-output.ts';

/** The parts that the container of the server provides, by name. */
export const tokens = {
  ...parts,
  config: Symbol.for('tallystick.config') as ServiceIdentifier<Config>,
  log_output: Symbol.for('tallystick.log_output') as ServiceIdentifier<LogOutput>,
} as const;
