import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import { chromium_expected, refusing_port, until } from '@tallystick/test-support';
import type { Page } from 'playwright-core';
import { type ConsoleWorld, startEmptyConsole } from './console-world.ts';

const cdf3 = clearing_formats.find(({ name }) => name === 'cdf3')!;

/** A file of clearings of a card that does not exist, of two parts: its import begins with the first. */
function slowFile(): readonly [Buffer, Buffer] {
  const clearings = Array.from({ length: 200 }, (_, at) => ({
    input: {
      vcn_id: 999_999,
      network_financial_transaction_id: `TX-${at}`,
      billing_amount: 2_400,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date: '2030-03-16',
    } as ClearingInput,
  }));
  const bytes = Buffer.concat([...cdf3.write!({ sequence: 1, created_on: '2030-03-16', mode: 'test', clearings })]);
  return [bytes.subarray(0, -10), bytes.subarray(-10)];
}

describe('a page of the console that stays open in Chromium', { skip: !chromium_expected }, () => {
  let world: ConsoleWorld;
  let origin: string;
  before(async () => {
    world = await startEmptyConsole();
    origin = new URL(world.url).origin;
  });
  after(() => world?.[Symbol.asyncDispose]());

  /** Opens a page, and returns a function that throws when it was loaded again. */
  async function stay(t: TestContext, path: string): Promise<{ readonly page: Page; assertStayed(): Promise<void> }> {
    const page = await world.open('admin');
    t.after(() => page.context().close());
    page.setDefaultTimeout(60_000);
    await page.goto(world.url + path);
    await page.evaluate('window.opened = true');
    return { page, assertStayed: async () => assert.equal(await page.evaluate('window.opened'), true) };
  }

  async function send(path: string, role: 'client' | 'operator', data?: object): Promise<string> {
    const reply = await fetch(origin + path, {
      method: 'POST',
      headers: { Authorization: `Bearer tly_test_${role}_sandbox`, 'Content-Type': 'application/json' },
      body: data === undefined ? null : JSON.stringify({ data }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, text);
    return text;
  }

  const happen = () =>
    send('/operator/v1/events', 'operator', { company_id: 1, event_type: 'ach.status', payload: { id: 7 } });

  it('shows a new import, how far it is, and its end', async (t) => {
    const { page, assertStayed } = await stay(t, '/imports');
    const [first, rest] = slowFile();
    const upload = request(`${origin}/operator/v1/imports?name=slow.xml`, {
      method: 'POST',
      headers: {
        Authorization: 'Bearer tly_test_operator_sandbox',
        'Content-Type': 'application/octet-stream',
        'Content-Length': first.length + rest.length,
      },
    });
    upload.write(first);
    await page.getByRole('link', { name: 'slow.xml' }).waitFor();
    await assertStayed();
    await page.getByRole('link', { name: 'slow.xml' }).click();
    await page.getByText(/records were read so far/).waitFor();
    await page.evaluate('window.opened = true');
    upload.end(rest);
    await once(upload, 'response');
    await page.getByText('applied in part').waitFor();
    await assertStayed();
  });

  it('shows a new attempt of a delivery', async (t) => {
    const callback_url = `https://127.0.0.1:${refusing_port}/`;
    const made = await send('/v1/webhooks', 'client', { callback_url, event_type_ids: [1] });
    const { id } = JSON.parse(made).data;
    const { page, assertStayed } = await stay(t, `/companies/1/webhooks/${id}`);
    await happen();
    await page.getByText(/no answer/).waitFor();
    await assertStayed();
    await page.locator('#deliveries table a').first().click();
    await page.getByRole('heading', { name: 'Attempt 1', exact: true }).waitFor();
    await page.evaluate('window.opened = true');
    await send(`/v1/webhooks/${id}/deliveries/1/retry`, 'client');
    await page.getByRole('heading', { name: 'Attempt 2', exact: true }).waitFor();
    await assertStayed();
  });

  it('sends a form once, however often its button is clicked, until a person comes back to it', async (t) => {
    const { page } = await stay(t, '/companies/1/cards/new');
    await page.getByLabel('Limit', { exact: true }).fill('500.00');
    const sent = await page.evaluate(`
      const sent = [];
      let name = 'clicked twice';
      addEventListener('submit', (event) => {
        if (!event.defaultPrevented) sent.push(name);
        event.preventDefault();
      });
      const button = document.querySelector('main form[method="post"] button');
      button.click();
      button.click();
      name = 'came back';
      dispatchEvent(new Event('pageshow'));
      button.click();
      sent`);
    assert.deepEqual(sent, ['clicked twice', 'came back']);
  });

  it('listens again after an answer that is no stream, as of a proxy whose server starts', async (t) => {
    const page = await world.open('viewer');
    t.after(() => page.context().close());
    await page.clock.install();
    let asked = 0;
    await page.route('**/live*', (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 503 }) : route.continue();
    });
    const opened = page.waitForResponse((response) => response.url().endsWith('/live') && response.ok());
    await page.goto(`${world.url}/companies/1/events`);
    await until(() => asked === 1);
    await until(async () => {
      await page.clock.runFor(15_000);
      return asked === 2;
    });
    await opened;
    await happen();
    await page.getByText(/new events?: show/).waitFor();
  });
});
