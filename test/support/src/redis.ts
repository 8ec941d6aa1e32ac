import { connect } from 'node:net';

/** The Redis server that queue tests use: `TEST_REDIS_URL`, or the machine's own. */
export const redis_url: string = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/**
 * Whether the suites on Redis run. Always, unless the test runner found that there is none and said so (it sets
 * `TALLYSTICK_TEST_REDIS=none`): a test file run by itself without Redis fails, it does not pass by.
 */
export const redis_expected: boolean = process.env.TALLYSTICK_TEST_REDIS !== 'none';

const answer_time_ms_max = 20_000;

/** Null when the Redis server answers a PING, else why it does not. */
export function redisProblem(url: string = redis_url): Promise<string | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 6379) }, () => socket.write('PING\r\n'));
    const end = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(answer_time_ms_max, () => end(`no answer within ${answer_time_ms_max} ms`));
    socket.on('error', (error) => end(error.message || 'connection refused'));
    // A server that wants a password answers too: the tests then tell that TEST_REDIS_URL must have it.
    socket.on('data', (data) =>
      end(/^(\+PONG|-NOAUTH)/.test(data.toString('latin1')) ? null : 'it is no Redis server'),
    );
  });
}
