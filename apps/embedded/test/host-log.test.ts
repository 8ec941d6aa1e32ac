import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openHostLog } from '../src/host-log.ts';

const silent = (): void => undefined;

describe('the logger of a host', () => {
  it('receives each line at its level, with its fields and without those of the process', () => {
    const lines: unknown[] = [];
    const log = openHostLog({
      debug: (fields, message) => void lines.push(['debug', fields, message]),
      info: silent,
      warn: (fields, message) => void lines.push(['warn', fields, message]),
      error: (fields, message) => void lines.push(['error', fields, message]),
    });
    log.debug({ at: 1 }, 'one');
    log.warn({ at: 2 }, 'two');
    log.fatal('three');
    assert.deepEqual(lines, [
      ['debug', { at: 1 }, 'one'],
      ['warn', { at: 2 }, 'two'],
      ['error', {}, 'three'],
    ]);
  });

  it('may throw, and the work that logs goes on', () => {
    const lines: string[] = [];
    const error = (): void => {
      throw new Error('the logger is closed');
    };
    const log = openHostLog({ debug: silent, info: silent, warn: (_, message) => void lines.push(message), error });
    log.error('lost');
    log.warn('later');
    assert.deepEqual(lines, ['later']);
  });
});
