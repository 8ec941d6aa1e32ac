import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { migratedDatabase, send, serverEnvironment } from '@tallystick/test-support';
import { createLogOutput, standardError } from '../src/log-output.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('several outputs of one process listen to standard error once', () => {
  standardError();
  const listeners = process.stderr.listenerCount('error');
  standardError();
  assert.equal(process.stderr.listenerCount('error'), listeners);
});

/** An output whose writes complete only when the test completes them. */
function heldOutput() {
  const writes: { readonly text: string; readonly done: (error?: Error) => void }[] = [];
  const dropped: number[] = [];
  const resumed: number[] = [];
  const output = createLogOutput(
    (text, done) => writes.push({ text, done }),
    (lines) => dropped.push(lines),
  );
  output.onResume((lines) => {
    resumed.push(lines);
    output.write(`${lines} were dropped\n`);
  });
  return { output, writes, dropped, resumed };
}

describe('the output of the log', () => {
  it('writes the lines of one turn together, and one text at a time', async () => {
    const { output, writes } = heldOutput();
    output.write('a\n');
    output.write('b\n');
    await turn();
    output.write('c\n');
    await turn();
    assert.deepEqual(
      writes.map(({ text }) => text),
      ['a\nb\n'],
    );
    writes[0]?.done();
    await turn();
    assert.equal(writes[1]?.text, 'c\n');
  });

  it('keeps at most 1 MiB waiting, counts what it drops, and reports it once when writing works again', async () => {
    const { output, writes, dropped, resumed } = heldOutput();
    const line = `${'x'.repeat(1023)}\n`;
    output.write('first\n');
    await turn();
    for (let i = 0; i < 1024 + 7; i += 1) output.write(line);
    assert.equal(dropped.length, 7);
    writes[0]?.done();
    await turn();
    assert.deepEqual(resumed, [7]);
    assert.equal(writes[1]?.text, `${line.repeat(1024)}7 were dropped\n`);
    writes[1]?.done();
    assert.deepEqual(resumed, [7]);
  });

  it('counts lines that could not be written, and goes on', async () => {
    const { output, writes, dropped, resumed } = heldOutput();
    output.write('a\nb\n');
    await turn();
    writes[0]?.done(new Error('no space'));
    output.write('c\n');
    await turn();
    assert.deepEqual(dropped, [2]);
    writes[1]?.done();
    assert.deepEqual(resumed, [2]);
  });

  it('closes when all lines are written, or after a second', async () => {
    const { output, writes } = heldOutput();
    await output.close();
    output.write('a\n');
    const closed = output.close();
    await turn();
    writes[0]?.done();
    await closed;
    output.write('never\n');
    // The timer of the output does not keep the process alive.
    const alive = setInterval(() => undefined, 1000);
    await output.close();
    clearInterval(alive);
  });
});

/** Makes about 600 long lines of the log, with requests that are pipelined, of a caller that nothing slows. */
async function requestMany(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const headers = ['Host: x', 'Authorization: Bearer tly_test_client_sandbox', `X-Request-Id: ${'x'.repeat(128)}`];
  const request = `GET /v1/realcards HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
  const sendSome = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    socket.end(request.repeat(30));
    await socket.toArray();
  };
  await Promise.all(Array.from({ length: 20 }, sendSome));
}

describe('a server whose standard error nobody reads', () => {
  it('answers, drops and counts lines of the log, reports it later, and ends at SIGTERM', async () => {
    const database = await migratedDatabase('sqlite');
    after(() => database.dispose());
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=source', main], {
      env: serverEnvironment({ database_url: database.database_url, env: { LOG_LEVEL: 'info' } }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    after(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    let greeting = '';
    while (!greeting.includes('\n')) greeting += String((await once(child.stdout, 'data'))[0]);
    child.stdout.resume();
    const url = /http\S+/.exec(greeting)?.[0] ?? '';

    const metric = async (): Promise<number> => {
      const { text } = await send(url, 'GET', '/metrics');
      return Number(/^tallystick_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
    };
    assert.equal(await metric(), 0);
    while ((await metric()) < 100) await requestMany(url);

    child.stderr.setEncoding('utf8');
    let log = '';
    child.stderr.on('data', (text: string) => {
      log += text;
    });
    while (!/"dropped":[1-9]/.test(log)) await send(url, 'GET', '/nowhere');
    child.stderr.removeAllListeners('data');
    child.stderr.pause();
    const before = await metric();
    while ((await metric()) === before) await requestMany(url);

    child.kill('SIGTERM');
    // Reading now would let a process end that waits for its reader.
    assert.deepEqual(await exited, [0, null]);
  });
});
