import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultPublicUrl, parsePublicUrl } from 'tallystick/inversify';
import { ConfigError, readConfig } from '../../src/configuration/config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const smtp = { SMTP_URL: 'smtps://desk:hunter2@mail.example', MAIL_FROM: 'Cards <cards@mail.example>' };

function problems(environment: Record<string, string>): Record<string, string> {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.doesNotMatch(error.message, /hunter2/);
    return Object.fromEntries(error.problems.map(({ variable, message }) => [variable, message]));
  }
  return {};
}

describe('configuration of mail', () => {
  it('accepts a server, a sender and a public address', () => {
    const config = readConfig({ ...smtp, TALLYSTICK_KEYS: key, PUBLIC_URL: 'https://cards.example/tally/' });
    assert.equal(config.smtp?.host, 'mail.example');
    assert.deepEqual(config.mail_from, { name: 'Cards', address: 'cards@mail.example' });
    assert.equal(config.public_url, 'https://cards.example/tally');
  });

  it('requires nothing in the sandbox', () => {
    const config = readConfig({});
    assert.equal(config.smtp, null);
    assert.equal(config.public_url, null);
    assert.deepEqual(problems(smtp), {});
  });

  it('requires a sender with a server, and outside the sandbox a public address', () => {
    assert.deepEqual(Object.keys(problems({ SMTP_URL: smtp.SMTP_URL })), ['MAIL_FROM']);
    assert.deepEqual(Object.keys(problems({ ...smtp, TALLYSTICK_KEYS: key })), ['PUBLIC_URL']);
    const worker = { ...smtp, ROLE: 'worker', REDIS_URL: 'redis://127.0.0.1' };
    assert.deepEqual(Object.keys(problems(worker)), ['PUBLIC_URL']);
  });

  it('reports that mails wait if no server is configured', () => {
    assert.match(readConfig({ TALLYSTICK_KEYS: key }).notices.join(), /SMTP_URL is not set/);
    assert.deepEqual(readConfig({}).notices, []);
  });

  it('never repeats a server or an address that it refuses', () => {
    const problem_texts = problems({
      SMTP_URL: 'http://desk:hunter2@mail.example',
      MAIL_FROM: 'x',
      PUBLIC_URL: 'http://a:hunter2@b',
    });
    assert.deepEqual(Object.keys(problem_texts).toSorted(), ['MAIL_FROM', 'PUBLIC_URL', 'SMTP_URL']);
  });

  it('allows links only over https or loopback', () => {
    for (const url of ['https://cards.example', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1']) {
      assert.equal(parsePublicUrl(`${url}/`), url);
    }
    for (const url of [
      'http://cards.example',
      'ftp://x',
      'cards.example',
      'https://u:p@x',
      'https://x?a',
      'https://x#a',
      '',
    ]) {
      assert.throws(() => parsePublicUrl(url), /must be https/, url);
    }
    assert.equal(defaultPublicUrl('http://127.0.0.1:8080'), 'http://127.0.0.1:8080');
    assert.equal(defaultPublicUrl('http://[::1]:8080'), 'http://[::1]:8080');
    assert.equal(defaultPublicUrl('http://0.0.0.0:8080'), 'http://127.0.0.1:8080');
  });
});
