import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type PageBrowser, type TlsReceiver, tlsReceiver } from '@tallystick/test-support';
import { type BrowsedConsole, browseConsole } from './browse.ts';

const page = '/companies/1/decision-endpoint';

describe('the decision endpoint in the console', () => {
  let world: BrowsedConsole;
  let receiver: TlsReceiver;
  let admin: PageBrowser;
  let vcn_id = 0;
  let answer = '';

  const company = () => world.tally.company(1);
  const buy = (amount: number) => company().sandbox.buy({ vcn_id, amount, merchant_name: 'Corner' });

  before(async () => {
    receiver = await tlsReceiver((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(answer);
    });
    world = await browseConsole();
    await world.tally.start();
    vcn_id = Number((await company().cards.issue({ total_card_amount: 900_000 })).id);
    admin = world.as('anna', { role: 'admin', company_id: 1 });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await receiver?.close();
  });

  it('is led to from the webhooks, also where there is none', async () => {
    assert.match((await admin.get('/companies/1/webhooks')).html, /href="\/ops\/companies\/1\/decision-endpoint"/);
    const { status, text } = await admin.get(page);
    assert.equal(status, 200);
    assert.match(text, /There is none The limits of the cards alone decide.*It was asked about no request yet/);
  });

  it('shows its state, the rules that stand in, and the outcome of each question', async () => {
    const stand_in = [
      { if: { amount_max: 5_000, currency: 'USD', merchant_names: ['<b>Corner'] }, decision: 'decline' },
      { if: { amount_max: 5_000 }, decision: 'approve' },
    ] as const;
    await company().decisionEndpoint.put({ url: `${receiver.origin}/decide`, timeout_ms: 2_000, stand_in });
    answer = '{"decision":"decline","note":"<i>closed"}';
    const declined = await buy(1_000);
    answer = 'nonsense';
    await buy(2_000);
    await buy(9_000);
    const { text, html } = await admin.get(page);
    assert.match(text, /State active Waits for an answer 2000 ms Questions below 1 of 3 answered/);
    assert.match(
      text,
      /Rule 1: at most 50\.00 USD, cards in USD, merchant <b>Corner : decline Rule 2: at most 5000 minor units : approve/,
    );
    assert.match(
      text,
      /answer did not fit Decided decline, as no rule fits .* answer did not fit Decided approve, by rule 2/,
    );
    assert.match(text, /Outcome answered Decided decline <i>closed Time \d+ ms/);
    assert.ok(!html.includes('<b>Corner') && !html.includes('<i>closed'));
    assert.ok(html.includes(`/companies/1/cards/${vcn_id}/decisions/${declined.id}"`));
  });

  it('is tested, left out and asked again, and gets another secret, which is shown once', async () => {
    answer = '{"decision":"approve","note":"fine"}';
    const test = (fields: Record<string, string>) => admin.post(`${page}/test`, fields);
    const tested = await test({ vcn_id: String(vcn_id), amount: '12.50' });
    assert.match(tested.text, /The test had this outcome after \d+ ms: answered: approve\./);
    assert.equal(JSON.parse(receiver.received.at(-1)!.body).data.amount, 1_250);
    answer = 'nonsense';
    assert.match((await test({ vcn_id: String(vcn_id), amount: '1' })).text, /answer did not fit \(/);
    const wrong = await test({ vcn_id: 'mine', amount: '1' });
    assert.deepEqual([wrong.status, /That was not done Card: /.test(wrong.text)], [422, true]);
    assert.match((await admin.post(`${page}/inactive`)).text, /is not asked any more.*State not asked/);
    assert.match((await admin.post(`${page}/active`)).text, /is asked again.*State active/);
    assert.match((await admin.post(`${page}/rotate`)).text, /Copy it now .*Secret whsec_\S+ To the decision endpoint/);
    assert.doesNotMatch((await admin.get(page)).text, /whsec_/);
  });

  it('of a viewer and of another company: no button, and no act', async () => {
    const viewer = world.as('vera', { role: 'viewer', company_id: 1 });
    assert.doesNotMatch((await viewer.get(page)).text, /Replace|Do not ask|Send a test/);
    const { id } = await world.tally.operator.companies.create({ name: 'B', customer_number: 'B' });
    const other = world.as('otto', { role: 'admin', company_id: Number(id) });
    assert.equal((await other.get(page)).status, 403);
    await other.get(`/companies/${id}/decision-endpoint`);
    for (const act of ['test', 'inactive', 'rotate']) {
      for (const browser of [viewer, other]) {
        const { status } = await browser.post(`${page}/${act}`, { vcn_id: String(vcn_id), amount: '1' });
        assert.equal(status, 403, act);
      }
    }
    assert.equal((await company().decisionEndpoint.read()).status, 'active');
  });
});
