import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTallystick, isRefusal } from 'tallystick';

/** Every method of a group, as `cards.issue`. */
function methodsOf(group: object, path: string): readonly string[] {
  return Object.entries(group).flatMap(([name, member]) =>
    typeof member === 'function' ? [`${path}.${name}`] : methodsOf(member, `${path}.${name}`),
  );
}

/** The group with each call of a method written down. */
function recording<Group extends object>(group: Group, path: string, called: Set<string>): Group {
  return new Proxy(group, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const own_path = `${path}.${String(name)}`;
      // Proxies may not replace the members of a frozen object.
      if (typeof member === 'object' && member !== null) return recording({ ...member }, own_path, called);
      called.add(own_path);
      return member;
    },
  });
}

/** Resolves when the call is refused with this code. */
async function refused(call: Promise<unknown>, code: string): Promise<void> {
  const error = await call.then(
    () => new Error('was not refused'),
    (caught: unknown) => caught,
  );
  if (!isRefusal(error) || error.code !== code) throw error;
}

it('every method does its work, with the arguments in their order', async (t) => {
  const tally = await createTallystick({
    database: 'sqlite::memory:',
    sandbox: true,
    public_url: 'https://bank.example',
    webhooks: false,
  });
  t.after(() => tally.close());
  await tally.migrate();
  const called = new Set<string>();
  const company = recording({ ...tally.company(1) }, 'company', called);
  const network = recording({ ...tally.network }, 'network', called);
  const bank = recording({ ...tally.bank }, 'bank', called);
  const operator = recording({ ...tally.operator }, 'operator', called);
  const sandbox = recording({ ...tally.sandbox }, 'sandbox', called);

  // A company with a second real card, a template and a webhook.
  const other = await operator.companies.create({ name: 'Other', customer_number: '2' });
  assert.equal((await operator.companies.update(other.id, { name: 'Renamed' })).name, 'Renamed');
  assert.equal((await operator.companies.read(other.id)).name, 'Renamed');
  assert.equal((await operator.companies.list()).items.length, 2);
  await operator.realCards.create({
    company_id: 1,
    alias: 'Travel',
    billing_currency: 'USD',
    account_range: '545454',
  });
  assert.equal((await operator.realCards.list({ filter: { company_id: 1 } })).items.length, 2);
  const [real_card] = (await company.realCards.list()).items;
  assert.equal((await company.realCards.read(real_card!.id)).rcn_alias, 'Travel');
  const key = await operator.keys.create({ company_id: 1, role: 'client', name: 'a key' });
  assert.ok(key.key);
  assert.equal((await operator.keys.read(key.id)).key, undefined);
  assert.equal((await operator.keys.update(key.id, { name: 'the key' })).name, 'the key');
  assert.equal(await operator.keys.revoke(key.id), undefined);
  assert.ok((await operator.keys.list({ filter: { company_id: 1 } })).items[0]?.revoked_at);
  const { transaction_key } = await company.templates.request({
    name: 'Restaurants',
    description: 'Meals',
    mcc_list: ['5812'],
    mcc_rule: 'ALLOW',
    required_control: 'VELOCITY',
  });
  const [template] = (await company.templates.list({ filter: { transaction_key } })).items;
  assert.equal((await operator.templates.complete(template!.id)).status, 'ACTIVE');
  assert.equal((await company.templates.versions(template!.id)).items.length, 2);
  const webhook = await company.webhooks.create({ callback_url: 'https://127.0.0.1:9', event_type_ids: [7] });
  assert.ok(webhook.secret);
  assert.notEqual((await company.webhooks.rotateSecret(webhook.id)).secret, webhook.secret);
  assert.equal((await company.webhooks.read(webhook.id)).secret, null);
  assert.equal((await company.webhooks.list()).items[0]?.id, webhook.id);
  assert.equal((await company.webhooks.update(webhook.id, { event_type_ids: [1] })).event_type_ids[0], 1);
  assert.equal(typeof (await company.webhooks.test(webhook.id)).status, 'number');
  assert.equal((await operator.webhooks.list({ filter: { company_id: 1, failing: false } })).items.length, 1);

  // Cards, purchases and their clearings.
  const card = await company.cards.issue({ total_card_amount: 90_000, rcn_id: real_card!.rcn_id });
  await company.cards.update(card.id, { total_card_amount: 100_000 });
  assert.equal((await company.cards.read(card.id)).total_card_amount, 100_000);
  assert.equal((await company.cards.email(card.id, { email: 'ann@example.com' })).id, card.id);
  assert.equal((await company.cards.list({ show_realtime_auths: true })).items.length, 1);
  const bought = await company.sandbox.buy({ vcn_id: card.id, amount: 5_000 });
  const cleared = await company.sandbox.clear(bought.id!, { amount: 2_000 });
  assert.equal(cleared.billing_amount, 2_000);
  assert.equal((await company.sandbox.clear(bought.id!)).billing_amount, 3_000);
  assert.equal((await company.sandbox.refund(bought.id!)).clearing_type, 'CREDIT');
  const reversed = await company.sandbox.buy({ vcn_id: card.id, amount: 700 });
  await company.sandbox.reverse(reversed.id!);
  const held = await company.sandbox.buy({ vcn_id: card.id, amount: 900 });
  const open = await company.sandbox.buy({ vcn_id: card.id, amount: 300 });
  const released = await company.cards.releaseHold(card.id, held.id!, { note: 'will not come' });
  assert.equal(released.status, 'released');
  assert.equal((await company.cards.authorizations(card.id)).items.length, 5);
  assert.equal((await company.cards.clearings(card.id)).items.length, 3);
  const [found] = (await company.clearings.list({ filter: { authorization_id: bought.id! } })).items;
  assert.equal(found?.clearing_type, 'CREDIT');
  assert.equal((await company.authorizations.read(bought.id!)).id, bought.id);
  assert.equal((await company.cards.audit(card.id)).items[0]?.action, 'hold.released');
  assert.equal((await company.cards.mails(card.id)).items.length, 1);
  assert.equal((await operator.cards.resetCodeFailures(card.id)).code_failures, 0);

  // Why it was decided so, and what would be.
  assert.equal((await company.cards.tryDecision(card.id, { amount: 100_001 })).decision.code, 'E');
  assert.ok((await company.cards.freeze(card.id, { note: 'lost?' })).frozen);
  assert.equal((await company.cards.tryDecision(card.id, { amount: 1 })).decision.code === 'V', false);
  assert.equal((await company.cards.unfreeze(card.id, { note: 'found' })).frozen, false);
  assert.equal((await company.cards.explainDecision(card.id, held.id!)).decision.code, 'V');
  assert.equal((await company.cards.versions(card.id)).items[0]?.version, 4);
  assert.equal((await operator.cards.list({ filter: { id: Number(card.id) } })).items[0]?.id, card.id);
  assert.equal((await operator.cards.read(card.id)).id, card.id);
  assert.equal((await operator.cards.authorizations(card.id)).items.length, 5);
  assert.equal((await operator.cards.clearings(card.id)).items.length, 3);
  assert.equal((await operator.cards.explainDecision(card.id, held.id!)).decision.code, 'V');
  assert.equal((await operator.cards.versions(card.id)).items.length, 4);
  assert.ok((await operator.cards.deliveries(card.id)).items.length > 0);
  assert.equal((await operator.authorizations.list({ filter: { vcn_id: Number(card.id) } })).items.length, 5);
  const { items: searched } = await company.authorizations.list({ filter: { vcn_id: Number(card.id) } });
  assert.equal(searched.length, 5);
  const backtest = await company.backtests.create({ changes: { total_card_amount: 100_000 } });
  assert.equal((await company.backtests.list()).items.length, 1);
  assert.equal((await company.backtests.read(backtest.id)).id, backtest.id);
  assert.deepEqual((await company.backtests.differences(backtest.id)).items, []);
  assert.equal(await company.backtests.delete(backtest.id), undefined);
  const endpoint = company.decisionEndpoint;
  const { secret } = await endpoint.put({ url: 'https://127.0.0.1:9', timeout_ms: 200 });
  assert.equal((await endpoint.update({ timeout_ms: 300 })).timeout_ms, 300);
  assert.notEqual((await endpoint.rotateSecret()).secret, secret);
  assert.equal((await endpoint.read()).secret, null);
  assert.equal((await endpoint.test({ vcn_id: card.id, amount: 100 })).response, null);
  assert.equal((await company.sandbox.buy({ vcn_id: card.id, amount: 100 })).decline_reason, 'P');
  const [consultation] = (await endpoint.consultations.list()).items;
  assert.deepEqual(await endpoint.consultations.read(consultation!.id), consultation);
  assert.equal(await endpoint.delete(), undefined);
  for (const { company_id, hours } of [await company.activity(), await operator.activity()]) {
    const declined = hours.reduce((sum, hour) => sum + (hour.declined.P ?? 0), 0);
    const asked = hours.flatMap((hour) => Object.values(hour.asked));
    assert.deepEqual([hours.length, declined, asked], [48, 1, [1]], `the activity of ${company_id}`);
  }
  assert.equal((await operator.backlog()).webhooks_failing, 0);
  await refused(network.authorize({} as never), 'validation_failed');
  const clearing = {
    network_financial_transaction_id: 'F1',
    clearing_type: 'DEBIT',
    billing_amount: 1_250,
    billing_currency: 'USD',
    settlement_date: new Date().toISOString().slice(0, 10),
  } as const;
  await refused(network.clear({ ...clearing, card_number: '5454540000000005' }), 'not_found');
  const [quarantined] = (await operator.quarantine.list({ filter: { status: 'quarantined' } })).items;
  assert.equal((await operator.quarantine.read(quarantined!.id)).reason, 'unknown_card');
  await refused(operator.quarantine.replay(quarantined!.id), 'conflict');

  // Events and their deliveries.
  assert.ok((await company.events.types()).length > 5);
  const [newest] = (await company.events.list()).items;
  assert.deepEqual(await company.events.read(newest!.id), newest);
  const foreign = await operator.events.record({ company_id: 1, event_type: 'ach.status', payload: { id: 7 } });
  assert.equal(foreign.event_type, 'ach.status');
  const { deliveries } = company.webhooks;
  const [delivery] = (await deliveries.list(webhook.id, { filter: { state: 'pending' } })).items;
  const { body, ...same } = await deliveries.read(webhook.id, delivery!.id);
  assert.deepEqual(same, delivery);
  assert.equal(JSON.parse(body).data['event-id'], Number(delivery!.event_id));
  const [state] = (await company.webhooks.states({ filter: { failing: false } })).items;
  assert.ok(state!.recent.pending > 0);
  await refused(company.portalLinks.create(), 'conflict'); // there is no console
  assert.equal(await deliveries.retry(webhook.id, delivery!.id), undefined);
  const { recovered } = await deliveries.recover(webhook.id, { since: '2026-01-01T00:00:00Z' });
  assert.equal(recovered, 0);
  const everywhere = await Array.fromAsync(operator.deliveries.list({ filter: { webhook_id: webhook.id } }));
  assert.ok(everywhere.some(({ id }) => id === delivery!.id));
  assert.equal(await company.webhooks.delete(webhook.id), undefined);

  // Reconciliation.
  const items = company.reconciliation.items;
  const listed = await Array.fromAsync(items.list({ limit: 1 }));
  assert.ok(listed.length >= 2);
  const itemOf = ({ id }: { readonly id: number | null }) =>
    listed.find(({ authorization_ids }) => authorization_ids.includes(id!))!.id;
  const id = itemOf(open);
  const read = await items.read(id);
  assert.deepEqual(read.history, []);
  const note = 'seen';
  await items.ignore(id, { note, version: read.version });
  assert.equal((await items.reopen(id, { note })).status, read.status);
  assert.equal((await items.comment(id, { text: 'Asked the shop' })).note, 'Asked the shop');
  assert.equal((await items.assign(id, { assignee: 'anna' })).assignee, 'anna');
  await refused(items.confirm(id, { note, version: read.version + 100 }), 'conflict');
  await refused(items.accept(id, { note, version: read.version + 100 }), 'conflict');
  await refused(items.match(id, { note, with: { authorization_id: 999 } }), 'conflict');
  await items.unmatch(itemOf(bought), { note });
  assert.match((await Array.fromAsync(items.export({ filter: { currency: 'USD' } }))).join(''), /^id,/);
  assert.equal((await company.reconciliation.decisions.submit('id,version,decision,note\n')).rows, 0);
  assert.ok(Object.keys((await company.reconciliation.summary()).by_status).length > 0);
  const today = new Date().toISOString().slice(0, 10);
  const rules = await company.reconciliation.rules({ filter: { settlement_date: [null, today] } });
  assert.equal(typeof rules.matches, 'number');
  const bridge = await company.reconciliation.bridge({ filter: { account_id: '1000000001' } });
  assert.equal(bridge.account_id, '1000000001');
  const [booked] = await Array.fromAsync(company.reconciliation.lines.list({ filter: { amount: [null, 0] } }));
  if (booked === undefined) await refused(company.reconciliation.lines.read(1), 'not_found');
  else assert.deepEqual(await company.reconciliation.lines.read(booked.id), booked);
  const { approvals } = company.reconciliation;
  assert.deepEqual(await Array.fromAsync(approvals.list({ filter: { status: 'pending' } })), []);
  await refused(approvals.read(1), 'not_found');
  await refused(approvals.approve(1), 'not_found');
  await refused(approvals.refuse(1, { note }), 'not_found');
  await refused(approvals.withdraw(1), 'not_found');
  const period = await company.reconciliation.periods.close({ closed_through: '2026-01-31' });
  assert.equal((await company.reconciliation.periods.list()).items[0]?.id, period.id);
  assert.equal(await company.reconciliation.periods.reopen(period.id), undefined);
  assert.deepEqual(await company.reconciliation.tolerances.update({ USD: 5 }), { USD: 5 });
  assert.deepEqual(await company.reconciliation.tolerances.read(), { USD: 5 });

  // The bank.
  const { accounts, users } = bank;
  const account = await accounts.create({ company_id: 1, number: '77', currency: 'USD', kind: 'deposit' });
  assert.equal((await accounts.read('77')).id, account.id);
  assert.ok((await accounts.list({ filter: { company_id: 1 } })).items.length > 1);
  assert.equal((await accounts.profile.put('77', { nickname: 'Savings' })).nickname, 'Savings');
  assert.equal((await accounts.profile.read('77')).nickname, 'Savings');
  assert.equal((await accounts.balance.put('77', { booked: 5_000 })).available, 5_000);
  await assert.rejects(accounts.balance.put('77', { booked: 10 ** 15 }), { code: 'validation_failed' });
  assert.equal((await accounts.balance.read('77')).booked, 5_000);
  const line = { kind: 'transaction', account: '77', transaction_id: 'T1', booking_date: today, amount: -100 };
  const report = await bank.records.report(`${JSON.stringify({ ...line, bai_code: '495', text: 'Rent' })}\n`);
  assert.equal(report.lines, 1);
  const dates = { booking_date: [today, null] } as const;
  assert.equal((await accounts.transactions('77', { filter: dates })).items.length, report.applied);
  assert.deepEqual((await accounts.directDebits('77')).items, []);
  assert.deepEqual((await accounts.standingOrders('77')).items, []);
  assert.deepEqual((await accounts.scheduledPayments('77')).items, []);
  await users.put('ann', { company_id: 1, name: 'Ann', status: 'active' });
  assert.equal((await users.read('ann')).name, 'Ann');
  assert.ok((await Array.fromAsync(users.list({ filter: { company_id: 1 } }))).length > 1);
  assert.deepEqual((await users.consents('ann')).items, []);
  const settings = await bank.openBanking.put(1, { eligible_services: ['aisp'], is_configured: true });
  assert.deepEqual(await bank.openBanking.read(1), settings);
  await refused(bank.consents.read('none'), 'not_found');
  await refused(bank.consents.withdraw('none'), 'not_found');
  await assert.rejects(sandbox.consents.create({ client_id: 'none' }), { code: 'validation_failed' });
  await refused(sandbox.consents.decide('none', { decision: 'approve' }), 'not_found');

  // Third parties.
  const third_party = await operator.thirdParties.create({
    name: 'Budget App',
    scopes: ['accounts'],
    redirect_uris: ['https://budget.example/callback'],
    jwks_uri: 'https://budget.example/jwks.json',
  });
  await operator.thirdParties.update(third_party.id, { name: 'Budget' });
  assert.equal((await operator.thirdParties.read(third_party.id)).name, 'Budget');
  assert.equal((await operator.thirdParties.suspend(third_party.id)).status, 'suspended');
  assert.equal((await operator.thirdParties.activate(third_party.id)).status, 'active');
  assert.equal((await operator.thirdParties.list({ limit: 1 })).items[0]?.id, third_party.id);

  // Files.
  const { imports } = operator;
  assert.equal((await imports.preview('no format has this', { name: 'a.txt' })).status, 'refused');
  const imported = await imports.create('no format has this', { name: 'a.txt' });
  assert.equal((await imports.read(imported.id)).status, 'refused');
  assert.equal((await imports.list({ filter: { status: 'refused' } })).items.length, 1);
  assert.deepEqual((await imports.quarantine(imported.id)).items, []);
  assert.deepEqual((await imports.statements(imported.id)).items, []);
  await refused(imports.replay(imported.id), 'conflict');
  await refused(imports.release(imported.id, { note: 'seen' }), 'conflict');

  // What the sandbox and the operator see.
  assert.ok((await sandbox.clock.move({ advance: 'P1D' })).now > new Date().toISOString());
  const [mail] = (await operator.mails.list({ filter: { company_id: 1 } })).items;
  assert.equal((await operator.mails.read(mail!.id)).vcn_id, Number(card.id));
  await refused(operator.mails.retry(mail!.id), 'validation_failed');
  const [message] = (await sandbox.mailbox.list()).items;
  assert.match((await sandbox.mailbox.read(message!.id)).text, /https:/);
  assert.ok((await operator.audit.list({ filter: { action: 'company.updated', at: today } })).items.length > 0);
  let table = '';
  for await (const piece of operator.audit.export({ filter: { action: 'company.updated' }, format: 'ndjson' })) {
    table += piece;
  }
  assert.match(table, /^\{.*"action":"company\.updated"/);
  assert.ok((await operator.audit.verify()).intact);

  // Who may use the console.
  const { people } = operator;
  const grants = [{ role: 'support', company_id: null }] as const;
  const person = await people.create({ handle: 'anna', name: 'Anna', grants });
  assert.equal((await people.update(person.id, { name: 'Anna Meier' })).name, 'Anna Meier');
  assert.ok((await people.setPassword(person.id, { password: 'correct horse battery' })).has_password);
  assert.match((await people.resetTotp(person.id)).totp_uri ?? '', /^otpauth:/);
  assert.ok((await people.read(person.id)).has_totp);
  assert.equal(await people.endSessions(person.id), undefined);
  assert.ok((await people.list()).items.some(({ handle }) => handle === 'anna'));
  assert.equal(await company.cards.cancel(card.id), undefined);

  // Not the recording groups: to list their methods would be to call them.
  const groups = {
    company: tally.company(1),
    network: tally.network,
    bank: tally.bank,
    operator: tally.operator,
    sandbox: tally.sandbox,
  };
  const methods = Object.entries(groups).flatMap(([name, group]) => methodsOf(group, name));
  assert.deepEqual(
    methods.filter((name) => !called.has(name)),
    [],
  );
});
