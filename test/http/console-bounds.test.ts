import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import type { HttpAppPorts } from '@tallystick/koa';
import { until } from '@tallystick/test-support';
import { startService } from './service.ts';

type ConsoleEndpoint = NonNullable<HttpAppPorts['console']>;

/** Ports with a console that answers by itself. */
const withConsole =
  (handle: ConsoleEndpoint['handle'], others: Partial<HttpAppPorts> = {}) =>
  (ports: HttpAppPorts): HttpAppPorts => ({ ...ports, ...others, console: { path: '/console', handle } });

describe('the console', () => {
  it('leaves transactions to others, however many people browse', async (t) => {
    const held = Promise.withResolvers<void>();
    let inside = 0;
    let begun = 0;
    const { url, send } = await startService(
      t,
      'sqlite',
      withConsole(
        async (_, response, { transaction, welcome }) => {
          welcome('person:anna');
          begun += 1;
          await transaction(async () => {
            inside += 1;
            await held.promise;
          });
          response.end('page');
        },
        { transactions_max: 4 },
      ),
    );
    const browsing = Array.from({ length: 20 }, async () => (await fetch(`${url}/console/`)).text());
    await until(() => begun === 20);
    assert.equal(inside, 2);
    assert.equal((await send('GET', '/v1/virtualcards')).status, 200);
    assert.equal(inside, 2);
    held.resolve();
    assert.deepEqual(new Set(await Promise.all(browsing)), new Set(['page']));
  });

  it('lets only a visitor who has sent too many requests wait', async (t) => {
    const { url } = await startService(
      t,
      'sqlite',
      withConsole(
        async ({ headers }, response, { welcome }) => {
          response.end(JSON.stringify(welcome(`person:${headers['x-person']}`)));
        },
        { rate_limit_per_minute: 2 },
      ),
    );
    const waitOf = async (person: string): Promise<number | null> =>
      JSON.parse(await (await fetch(`${url}/console/`, { headers: { 'x-person': person } })).text());
    assert.deepEqual([await waitOf('anna'), await waitOf('anna')], [null, null]);
    assert.ok((await waitOf('anna'))! > 0);
    assert.equal(await waitOf('otto'), null);
  });

  it('knows when a browser has left', async (t) => {
    let isGone: (() => boolean) | undefined;
    const { url } = await startService(
      t,
      'sqlite',
      withConsole(async (_, response, facts) => {
        ({ isGone } = facts);
        await until(facts.isGone);
        response.end();
      }),
    );
    const browser = request(`${url}/console/`).on('error', () => undefined);
    browser.end();
    await until(() => isGone !== undefined);
    assert.equal(isGone?.(), false);
    browser.destroy();
    await until(() => isGone?.() === true);
  });
});
