import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { event_types } from '@tallystick/events';
import {
  migratedDatabase,
  refusing_port,
  type ScratchDatabase,
  type ServerProcess,
  send,
  startExitCleanup,
  startServer,
} from '@tallystick/test-support';
import { verifyDelivery } from '@tallystick/webhook-signature';

const environment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
const pathOf = (file: string): string => fileURLToPath(new URL(`../../src/devtools/${file}`, import.meta.url));

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

function run(file: string, words: readonly string[]): Promise<Ended> {
  return runNode(['--conditions=source', pathOf(file), ...words]);
}

function runNode(words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env: environment }, (error, out, err) =>
      resolve({ status: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

class Listening {
  readonly child: ChildProcess;
  out = '';
  err = '';

  constructor(words: readonly string[]) {
    this.child = spawn(process.execPath, ['--conditions=source', pathOf('listen.ts'), ...words], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const cleanup = startExitCleanup('kill -KILL "$1"', String(this.child.pid));
    this.child.once('exit', () => cleanup.revoke());
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.out += chunk;
      this.child.emit('output');
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.err += chunk;
      this.child.emit('output');
    });
    this.child.once('close', () => this.child.emit('output'));
  }

  /** Resolves with the match of the pattern; rejects if the process ends without one. */
  async until(words: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = words.exec(this.out) ?? words.exec(this.err);
      if (found !== null) return found;
      assert.ok(!this.child.stdout?.closed, `it ended without ${words}:\n${this.out}${this.err}`);
      await once(this.child, 'output');
    }
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const closed = once(this.child, 'close');
      this.child.kill(signal);
      await closed;
    }
    return this.child.exitCode;
  }
}

/** A program that answers with each status in turn, and then always with the last one. */
async function program(statuses: readonly number[]) {
  const received: { readonly url: string; readonly headers: Record<string, string>; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      response.writeHead(statuses[received.length] ?? statuses.at(-1)!).end('from the program');
      received.push({ url: request.url ?? '', headers: request.headers as Record<string, string>, body });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('npm run listen and npm run trigger', () => {
  let scratch: ScratchDatabase;
  let server: ServerProcess;
  const listeners: Listening[] = [];
  const listen = (...words: string[]): Listening => {
    const listening = new Listening(['--url', server.url, ...words]);
    listeners.push(listening);
    return listening;
  };
  const trigger = (...words: string[]): Promise<Ended> => run('trigger.ts', [...words, '--url', server.url]);
  const webhooks = async (): Promise<{ id: string }[]> => (await send(server.url, 'GET', '/v1/webhooks')).json.data;

  before(async () => {
    scratch = await migratedDatabase('sqlite');
    server = await startServer({ database_url: scratch.database_url });
  });
  after(async () => {
    await Promise.all(listeners.map((listening) => listening.stop('SIGKILL')));
    await server?.kill();
    await scratch?.dispose();
  });

  it('prints every event as it is delivered, verified and numbered, and deletes its webhook at the end', async () => {
    const listening = listen();
    await listening.until(/Listening for type 1 \(all\)/);
    const triggered = await trigger('all');
    assert.equal(triggered.status, 0, triggered.err);
    const made = [...triggered.out.matchAll(/^(\S+): event (\d+) /gm)].map(([, type = '', id]) => ({ type, id }));
    assert.deepEqual(
      made.map(({ type }) => type),
      [
        'virtualcard.created',
        'virtualcard.deleted',
        'onboarding.company.status',
        'ach.status',
        'virtualcard.realtime.auths',
        'virtualcard.clearings',
        'virtualcard.purchasetemplate.created',
        'ach.status.advice',
      ],
    );
    for (const { type, id } of made)
      await listening.until(new RegExp(`#\\d+ +${type.replaceAll('.', '\\.')} +event ${id}  .*verified`));
    await listening.until(/virtualcard\.clearings +event \d+ {2}DEBIT 123\.45 USD at Corner Grocer, card \d+/);
    // In any order: some events are made on the way to others, and `trigger` prints no line for
    // them.
    for (let sequence = 1; sequence <= 12; sequence += 1) await listening.until(new RegExp(`#${sequence} .*verified`));
    assert.equal((await webhooks()).length, 1);
    assert.equal(await listening.stop('SIGINT'), 0, listening.err);
    assert.match(listening.out, /SIGINT: webhook \d+ is deleted\. 12 events received\.\n$/);
    assert.deepEqual(
      [...listening.out.matchAll(/^\S+ {2}#(\d+) /gm)]
        .map(([, sequence]) => Number(sequence))
        .toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    );
    assert.ok(!listening.out.includes('\u001b'), 'no colour where there is no terminal');
    assert.doesNotMatch(listening.out, /\d{12,}/, 'no card number is printed');
    assert.deepEqual(await webhooks(), []);
  });

  it('forwards body and signature to a local program, and returns its answer: a failure is retried', async () => {
    const local = await program([503, 200]);
    const secret = 'a secret that the program knows';
    const listening = listen('--types', 'virtualcard.created', '--forward', local.url, '--secret', secret, '--json');
    const [, callback_url] = await listening.until(/callback URL (\S+)/);
    assert.equal((await trigger('2')).status, 0);
    await listening.until(/"forwarded":\{"status":503/);
    await send(server.url, 'POST', '/sandbox/v1/clock', { key: 'operator', body: { data: { advance: 'PT10M' } } });
    await listening.until(/"forwarded":\{"status":200/);
    assert.equal(await listening.stop('SIGTERM'), 0, listening.err);

    assert.equal(local.received.length, 2);
    const [first, second] = local.received;
    assert.equal(first?.url, '/hook');
    assert.equal(second?.body, first?.body);
    for (const request of local.received) {
      const { verified } = await verifyDelivery(request, { secrets: secret, callback_url: callback_url! });
      assert.ok(verified);
      assert.equal(request.headers['x-webhook-sequence'], '1');
      assert.match(request.headers['webhook-signature'] ?? '', /^v1,/);
    }
    const lines = listening.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ sequence, is_new, verified, data }) => [sequence, is_new, verified, data.type]),
      [
        [1, true, true, 'virtualcard.created'],
        [1, false, true, 'virtualcard.created'],
      ],
    );
    await local.close();
  });

  it('answers 502 while the local program is unavailable', async () => {
    const listening = listen('--types', '2', '--forward', `http://127.0.0.1:${refusing_port}/hook`);
    await listening.until(/forwarding to/);
    const id = (await webhooks())[0]?.id;
    assert.equal((await trigger('virtualcard.created')).status, 0);
    await listening.until(/http\S+: no answer: connect ECONNREFUSED.*; the delivery was answered with 502/);
    const tested = await trigger('webhooks.test');
    assert.match(tested.out, /webhooks\.test: event 0 {2}webhook \d+ \(https:\S+\) answered 502/);
    await listening.until(/#0 +webhooks\.test/);
    // The server records the attempt once it has the answer. The listener prints the delivery
    // before it answers.
    let attempts: readonly { readonly status: number }[] = [];
    while (attempts.length === 0) {
      await delay(5);
      attempts = (await send(server.url, 'GET', `/v1/webhooks/${id}/deliveries`)).json.data[0].attempts;
    }
    assert.equal(attempts[0]?.status, 502);
    assert.equal(await listening.stop('SIGTERM'), 0);
  });

  it('answers 401 to a delivery that is not signed with the secret, and forwards nothing', async () => {
    const local = await program([200]);
    const listening = listen('--types', '3', '--forward', local.url, '--secret', 'one secret of listen');
    const [, callback_url] = await listening.until(/callback URL (\S+)/);
    // A second webhook to the same URL, which signs with another secret.
    const body = { data: { callback_url, event_type_ids: [5], secret: 'another secret than that' } };
    const other = (await send(server.url, 'POST', '/v1/webhooks', { body })).json.data;
    const answer = await send(server.url, 'GET', `/v1/webhooks/${other.id}/test`);
    assert.equal(answer.json.data.status, 401);
    await listening.until(
      /invalid signature was answered with 401 \(sequence 0\): x-signature was made with another secret/,
    );
    assert.equal(local.received.length, 0);
    assert.equal(await listening.stop('SIGTERM'), 0);
    await send(server.url, 'DELETE', `/v1/webhooks/${other.id}`);
    await local.close();
  });

  it('reports the webhook that already has a type, and the free types', async () => {
    const listening = listen('--types', '6');
    await listening.until(/Stop: Ctrl-C/);
    const second = await run('listen.ts', ['--url', server.url, '--types', '10,7']);
    assert.equal(second.status, 1);
    assert.match(second.err, /^Webhook \d+ \(https:\/\/127\.0\.0\.1:\d+\/tallystick-listen\) already has type 10 \(/);
    const free = event_types.map(({ id }) => id).filter((id) => id !== 6 && id !== 10);
    assert.ok(second.err.includes(`npm run listen -- --types ${free} --url ${server.url}\n`), second.err);
    assert.equal((await webhooks()).length, 1);
    assert.doesNotMatch(listening.out, /webhooks\.test/, 'the first listener heard nothing of it');
    assert.equal(await listening.stop('SIGTERM'), 0);
  });

  it('deletes its webhook when nobody reads its output any more', async () => {
    const listening = listen('--json');
    await listening.until(/Stop: Ctrl-C/);
    const closed = once(listening.child, 'exit');
    listening.child.stdout?.destroy();
    assert.equal((await trigger('ach.$$limit.exceeded')).status, 0);
    assert.deepEqual(await closed, [0, null], listening.err);
    assert.match(listening.err, /standard output is closed: webhook \d+ is deleted/);
    assert.deepEqual(await webhooks(), []);
  });

  it('deletes the webhook of a listener that was killed', async () => {
    const killed = listen();
    await killed.until(/Stop: Ctrl-C/);
    await killed.stop('SIGKILL');
    const listening = listen();
    await listening.until(/Webhook \d+ of an earlier listener was left behind; it is deleted/);
    await listening.until(/Stop: Ctrl-C/);
    assert.equal((await webhooks()).length, 1);
    assert.equal(await listening.stop('SIGTERM'), 0);
  });

  it('also makes events of types without an id, and reports that there is no webhook to test', async () => {
    const limit = await trigger('ach.$$limit.exceeded', '--json');
    assert.equal(limit.status, 0, limit.err);
    const [{ event_id }] = JSON.parse(limit.out);
    const event = await send(server.url, 'GET', `/v1/events/${event_id}`);
    assert.equal(event.json.data.event_type, 'ach.$$limit.exceeded');
    assert.match((await trigger('virtualcard.updated')).out, /event \d+ {2}card \d+: Approved, 1000\.00 in total/);
    const tested = await trigger('webhooks.test');
    assert.equal(tested.status, 1);
    assert.match(tested.err, /there is no webhook to test/);
  });

  it('is the decision endpoint of the company with --decide, and puts the former one back', async () => {
    const path = '/v1/decision-endpoint';
    const issued = await send(server.url, 'POST', '/v1/virtualcards', {
      body: { data: { total_card_amount: 100_000 } },
    });
    const buy = async () => {
      const data = { vcn_id: issued.json.data.id, amount: 1_250 };
      return (await send(server.url, 'POST', '/sandbox/v1/purchases', { body: { data } })).json.data.decline_reason;
    };
    const outcome = async () =>
      (await send(server.url, 'GET', `${path}/consultations`)).json.data[0].concluded.outcome as string;
    const first = listen('--decide', 'decline');
    await first.until(/Stop: Ctrl-C/);
    assert.equal(await buy(), 'P');
    await first.until(/dec_\w+ {2}12\.50 USD at Corner Grocer {2}verified {2}decline/);
    assert.equal(await first.stop('SIGTERM'), 0);
    assert.match(first.out, /the decision endpoint is deleted\. 1 request received/);
    assert.equal((await send(server.url, 'GET', path)).status, 404);

    const url = 'https://decisions.example.com/own';
    await send(server.url, 'PUT', path, { body: { data: { url, timeout_ms: 500, status: 'inactive' } } });
    const expected = { late: ['P', 'timeout'], garbage: ['P', 'garbage'], twice: [null, 'answered'] } as const;
    for (const [way, [decline_reason, came]] of Object.entries(expected)) {
      const listening = listen('--decide', way);
      await listening.until(/Stop: Ctrl-C/);
      assert.equal(await buy(), decline_reason, way);
      assert.equal(await outcome(), came, way);
      assert.equal(await listening.stop('SIGTERM'), 0, listening.err);
      const { data } = (await send(server.url, 'GET', path)).json;
      assert.deepEqual([data.url, data.status, data.timeout_ms], [url, 'inactive', 500]);
    }
    await send(server.url, 'DELETE', path);
  });

  it('reports that a server does not reach this machine, with status 1, and leaves no webhook behind', async () => {
    const own = await migratedDatabase('sqlite');
    const env = { WEBHOOK_NETWORKS: '203.0.113.0/24' };
    const guarded = await startServer({ database_url: own.database_url, env });
    const { status, err } = await run('listen.ts', ['--url', guarded.url]);
    assert.equal(status, 1);
    assert.match(err, /does not reach this machine's loopback: callback_url names 127\.0\.0\.1/);
    assert.deepEqual((await send(guarded.url, 'GET', '/v1/webhooks')).json.data, []);
    await guarded.stop();
    await own.dispose();
  });
});

/** In a process with this, a program that loads the service ends with an error. */
const without_service = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^(tallystick|selfsigned)(\\/|$)/.test(specifier)) throw new Error('it loads ' + specifier);
      return next(specifier, context);
    },
  });
`)}`;

describe('the options of npm run listen and npm run trigger', () => {
  it('prints its usage with status 0 without loading the service', async () => {
    for (const file of ['listen.ts', 'trigger.ts', 'purchase.ts']) {
      const words = ['--conditions=source', '--import', without_service, pathOf(file), '--help'];
      const { status, out, err } = await runNode(words);
      assert.equal(status, 0, err);
      assert.match(out, /^Usage: npm run /);
    }
  });

  it('lists every type', async () => {
    const { status, out } = await run('trigger.ts', ['--list']);
    assert.equal(status, 0);
    assert.match(out, /^ {3}7 {2}virtualcard\.clearings +issues a card, authorizes a purchase and clears it$/m);
    assert.match(out, /^ {6}webhooks\.test /m);
  });

  it('exits with status 2 for invalid words, and names them', async () => {
    const cases: [string, string[], RegExp][] = [
      ['listen.ts', ['--uri', 'x'], /--uri/],
      ['listen.ts', ['--url', 'nowhere'], /--url nowhere is not an address/],
      ['listen.ts', ['--forward', 'ftp://x'], /--forward ftp:\/\/x is not an address/],
      ['listen.ts', ['--types', '2,99'], /--types has "99"/],
      ['listen.ts', ['--port', '70000'], /--port 70000 is not a port/],
      ['listen.ts', ['--secret', 'short'], /--secret must be text of 16 to 256 characters/],
      ['listen.ts', ['--secret', 'whsec_this is not base64'], /after whsec_, the padded base64/],
      ['trigger.ts', [], /<event type> is missing/],
      [
        'trigger.ts',
        ['virtualcard.exploded'],
        /"virtualcard.exploded" is not an event type; choose one of:\n +1 {2}all/,
      ],
      ['trigger.ts', ['2', '3'], /"3" is an unexpected word/],
    ];
    for (const [file, words, expected] of cases) {
      const { status, err } = await run(file, words);
      assert.equal(status, 2, words.join(' '));
      assert.match(err, expected);
    }
  });

  it('exits with status 1 without an answer', async () => {
    for (const words of [['listen.ts'], ['trigger.ts', '2']]) {
      const [file = '', ...rest] = words;
      const { status, err } = await run(file, [...rest, '--url', 'http://127.0.0.1:1']);
      assert.equal(status, 1);
      assert.match(err, /no answer from http:\/\/127\.0\.0\.1:1/);
    }
  });

  it('reports a key that is refused', async () => {
    const scratch = await migratedDatabase('sqlite');
    const server = await startServer({ database_url: scratch.database_url });
    const { status, err } = await run('listen.ts', ['--url', server.url, '--key', 'tly_test_1_unknown']);
    assert.equal(status, 1);
    assert.match(err, /refuses the key of --key/);
    await server.stop();
    await scratch.dispose();
  });
});
