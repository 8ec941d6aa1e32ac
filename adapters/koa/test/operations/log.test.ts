import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { Fault } from '@tallystick/kernel';
import pino from 'pino';
import { logOptions } from '../../src/index.ts';

/** What a logger with our options writes. */
function written(write: (logger: pino.Logger) => void): string {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  write(pino(logOptions('info'), sink));
  return text;
}

const number = '4111111111111111';
/** Letters: a process id or a time holds any three digits sooner or later. */
const code = 'ninety-eight';
const key = `tly_test_12_${'A'.repeat(43)}`;

describe('a log line', () => {
  it('shows no card number, code, Authorization header, key or body, wherever they stand', () => {
    const text = written((logger) => {
      logger.info({ card_number: number, cvc: code }, 'top');
      logger.info({ data: { card_number: number, cvc: code } }, 'nested');
      logger.info({ req: { headers: { authorization: `Bearer ${key}` } } }, 'headers');
      logger.info(
        { req: { body: `{"cvc":"${code}"}` }, url: `/x?filter[payload.card_number]=${number}` },
        `number ${number}`,
      );
      logger.error({ err: new Error(`no row with ${number} for ${key}`) }, 'failed');
    });
    assert.ok(!text.includes(number));
    assert.ok(!text.includes(code));
    assert.ok(!text.includes('AAAA'));
    assert.ok(text.includes('************1111'));
    for (const line of text.trim().split('\n')) assert.doesNotThrow(() => JSON.parse(line));
  });

  it('tells of an error its kind, message, stack and cause, and none of its other properties', () => {
    const cause = Object.assign(new Error('connection lost'), { parameters: [code] });
    const fault = Object.assign(new Fault('the database is away', { retryable: true, cause }), {
      query: `select ${code}`,
    });
    const line = JSON.parse(written((logger) => logger.error({ err: fault }, 'failed')));
    assert.equal(line.err.type, 'Fault');
    assert.equal(line.err.message, 'the database is away');
    assert.equal(line.err.cause.message, 'connection lost');
    assert.ok(line.err.stack.includes('log.test'));
    assert.ok(!JSON.stringify(line).includes(code));
  });

  it('tells the time as text, so that no digits of it are taken for a number', () => {
    assert.match(JSON.parse(written((logger) => logger.info('x'))).time, /^\d{4}-\d\d-\d\dT/);
  });
});
