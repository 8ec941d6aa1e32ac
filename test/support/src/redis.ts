import { connect } from 'node:net';

/** The Redis server of the queue tests: `TEST_REDIS_URL`, or the server of this machine. */
export const redis_url: string = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/**
 * Whether the suites on Redis run. Always, unless the test runner found that there is no Redis and
 * reported it (it sets `TALLYSTICK_TEST_REDIS=none`). A test file that is run alone without Redis
 * fails; it is not skipped.
 */
export const redis_expected: boolean = process.env.TALLYSTICK_TEST_REDIS !== 'none';

const answer_time_ms_max = 20_000;

/** Returns null if the Redis server answers a PING, otherwise the reason why it does not. */
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
    // A server that requires a password also answers. The tests then report that TEST_REDIS_URL
    // must contain it.
    socket.on('data', (data) =>
      end(/^(\+PONG|-NOAUTH)/.test(data.toString('latin1')) ? null : 'it is not a Redis server'),
    );
  });
}
