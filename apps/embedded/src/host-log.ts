import { Writable } from 'node:stream';
import { logOptions } from '@tallystick/koa';
import { type Logger, pino } from 'pino';
import type { TallystickLogger } from './options.ts';

/** The methods of a logger by the levels of pino. */
const methods: Readonly<Record<number, keyof TallystickLogger>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'error',
};

/**
 * Passes lines on to the host's logger after everything is masked that may be a card number or a
 * secret. Without a logger, warnings and errors go to standard error. A line that the host's logger
 * throws on is lost.
 */
export function openHostLog(logger: TallystickLogger | undefined): Logger {
  if (logger === undefined) return pino(logOptions('warn'), pino.destination({ fd: 2, sync: true }));
  const passOn = new Writable({
    write(line: Buffer, _encoding, done) {
      const { level, time, pid, hostname, msg, ...fields } = JSON.parse(line.toString()) as LogLine;
      try {
        logger[methods[level] ?? 'info'](fields, msg);
      } catch {
        // The work that logs goes on without the line.
      }
      done();
    },
  });
  return pino(logOptions('debug'), passOn);
}

interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly msg: string;
}
