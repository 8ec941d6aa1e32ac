import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { Fault } from '@tallystick/kernel';
import pino from 'pino';
import { logOptions } from '../../src/index.ts';

/** Returns the output of a logger with our options. */
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
/** Letters: a process id or a time may contain any three digits. */
const code = 'ninety-eight';
const key = `tly_test_12_${'A'.repeat(43)}`;

describe('a log line', () => {
  it('shows no card number, code, Authorization header, key or body, at any place', () => {
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

  it('shows the kind, message, stack and cause of an error, and none of its other properties', () => {
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

  it('shows the time as text, so that its digits are not read as a card number', () => {
    assert.match(JSON.parse(written((logger) => logger.info('x'))).time, /^\d{4}-\d\d-\d\dT/);
  });
});
