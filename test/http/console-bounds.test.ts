import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { createConsole } from '@tallystick/console';
import type { HttpAppPorts } from '@tallystick/koa';
import { until } from '@tallystick/test-support';
import { startService } from './service.ts';
import { callsOf } from './useful-calls.ts';

type ConsoleEndpoint = NonNullable<HttpAppPorts['console']>;

/** Ports with a console that answers by itself. */
const withConsole =
  (handle: ConsoleEndpoint['handle'], others: Partial<HttpAppPorts> = {}) =>
  (ports: HttpAppPorts): HttpAppPorts => ({ ...ports, ...others, console: { path: '/console', handle } });

/** Returns a search in the company 1, which resolves with the number of its transactions. */
async function searching(t: TestContext) {
  let transactions = 0;
  let ports: HttpAppPorts | undefined;
  await startService(t, 'sqlite', (given) => {
    const { run, read } = given.unitOfWork;
    const counting: HttpAppPorts['unitOfWork'] = {
      run,
      read(work) {
        transactions += 1;
        return read(work);
      },
    };
    ports = { ...given, unitOfWork: counting };
    return ports;
  });
  const { clock, timers, random } = ports!;
  const { fetch } = createConsole({
    calls: callsOf(ports!),
    identify: async () => ({
      actor: 'person:anna',
      name: 'Anna',
      secret: 'secret',
      grants: [{ role: 'viewer', company_id: 1 }],
    }),
    openSessions: () => assert.fail('a search asks for no sessions'),
    clock,
    timers,
    random,
    sandbox: false,
    stop: new AbortController().signal,
    log: { error: (_, message) => assert.fail(message) },
  });
  return async (text: string): Promise<number> => {
    const before = transactions;
    const request = new Request(`https://cards.example/companies/1/search?q=${encodeURIComponent(text)}`);
    const page = await fetch(request, {
      request_id: 'r',
      source_address: null,
      is_https: true,
      base: '',
      welcome: () => null,
      leavePlace: () => undefined,
      isGone: () => false,
      transaction: (work) => work(),
      logIn: () => assert.fail('nobody logs in'),
      logInPauseMs: () => 0,
    });
    assert.ok([200, 303].includes(page.status), text);
    return transactions - before;
  };
}

describe('the console', () => {
  it('searches in six transactions, however many things a text may be', async (t) => {
    const search = await searching(t);
    // The real cards, four groups of lists, and whether items are behind.
    for (const text of ['100031', '1234', '7', '12.00', 'Merchant 7', '12.00 at Grand Hotel', 'MCC1000311120']) {
      assert.equal(await search(text), 6, text);
    }
    assert.equal(await search('webhook 7'), 2);
  });

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
