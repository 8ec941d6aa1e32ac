import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import {
  authoriseConsent,
  changeThirdParty,
  rejectConsent,
  setThirdPartyStatus,
  type ThirdParty,
  withdrawConsent,
} from '@tallystick/consents';
import { otherSpellings } from '@tallystick/test-support';
import * as client from 'openid-client';
import {
  actionOf,
  authorisePlain,
  configure,
  type Landing,
  type UserAgent,
  userAgent,
} from './authorisation-client.ts';
import { bank, day_ms, newConsent, password, startWorld, type World } from './authorisation-world.ts';

const minute_ms = 60_000;

describe('the user’s step', () => {
  let world: World;
  let third_party: ThirdParty;
  let config: client.Configuration;
  before(async () => {
    world = await startWorld();
    third_party = await world.register({ name: 'Budget <App> & "Co"' });
    config = await configure(world, third_party);
  });
  after(() => world.close());

  const errorOf = (callback: URL) => callback.searchParams.get('error');
  const statusOf = (consent_id: string) =>
    world.unitOfWork.read(async (tx) => (await tx.consents.find(consent_id))?.status);
  const request = async (consent_id: string) => (await authorisePlain(config, consent_id)).url;
  const newRequest = async (changes = {}) => request(await newConsent(world, third_party, changes));

  it('takes at most 200 parameters in an address', async () => {
    const ask = async (count: number) =>
      await (await fetch(`${world.issuer}/oauth/authorize?${'a&'.repeat(count - 1)}a`)).text();
    assert.doesNotMatch(await ask(200), /cannot be read/);
    assert.match(await ask(201), /cannot be read/);
  });

  it('shows who asks for what, until when, and which accounts there are, and escapes all names', async () => {
    const url = await newRequest({
      expires_at_ms: Date.UTC(2099, 0, 31, 12),
      transaction_from_date_time: '2026-01-01T00:00:00+00:00',
    });
    const { html, headers } = await userAgent(world).logIn(url, 'alice');
    assert.match(html!, /Allow Budget &lt;App&gt; &amp; &quot;Co&quot;\?/);
    assert.match(html!, /Your balances and credit lines/);
    assert.match(html!, /Money that you received/);
    assert.match(html!, /Until 31 January 2099 at 12:00 UTC/);
    assert.match(html!, /Only transactions from 1 January 2026/);
    assert.match(html!, /Savings &lt;b&gt;, GBP, number 1000000002/);
    assert.doesNotMatch(html!, /<script|<b>|onload=|style=/);
    assert.match(
      headers.get('content-security-policy')!,
      /^default-src 'none'; style-src 'sha256-[^']+'; .*form-action 'self' https:\/\/localhost; frame-ancestors 'none'$/,
    );
    assert.match(headers.get('cache-control')!, /no-store/);
  });

  it('grants the accounts that the user chose, and no others', async () => {
    const consent_id = await newConsent(world, third_party);
    await userAgent(world).approve(await request(consent_id), 'alice', ['1000000002']);
    const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.deepEqual(
      [consent?.status, consent?.user_id, consent?.account_numbers],
      ['Authorised', 'alice', ['1000000002']],
    );
  });

  it('asks again when no account was chosen', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const page = await agent.logIn(await request(consent_id), 'alice');
    const action = /action="([^"]+decide)"/.exec(page.html!)![1]!;
    const again = await agent.submit(page, action, [['decision', 'approve']]);
    assert.equal(again.status, 400);
    assert.match(again.html!, /role="alert">Choose at least one account/);
    const foreign = await agent.submit(again, action, [
      ['decision', 'approve'],
      ['account', '9999999999'],
    ]);
    assert.equal(foreign.status, 400);
    assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
    const done = await agent.submit(foreign, action, [
      ['decision', 'approve'],
      ['account', '1000000001'],
    ]);
    assert.notEqual(done.url.searchParams.get('code'), null);
  });

  it('rejects the consent when the user refuses', async () => {
    const consent_id = await newConsent(world, third_party);
    const url = await request(consent_id);
    const callback = await userAgent(world).refuse(url, 'alice');
    assert.equal(errorOf(callback), 'access_denied');
    assert.equal(callback.searchParams.get('state'), url.searchParams.get('state'));
    assert.equal(await statusOf(consent_id), 'Rejected');
    assert.equal(errorOf((await userAgent(world).get(await request(consent_id))).url), 'access_denied');
  });

  it('shows the fixed accounts when the user confirms again, and a refusal then keeps the consent', async () => {
    const consent_id = await newConsent(world, third_party);
    await userAgent(world).approve(await request(consent_id), 'alice', ['1000000002']);
    world.advance(89 * day_ms);
    const page = await userAgent(world).logIn(await request(consent_id), 'alice');
    assert.match(page.html!, /Confirm access of .* again/);
    assert.match(page.html!, /Savings/);
    assert.doesNotMatch(page.html!, /<input type="checkbox"|Current account/);
    assert.equal(errorOf(await userAgent(world).refuse(await request(consent_id), 'alice')), 'access_denied');
    assert.equal(await statusOf(consent_id), 'Authorised');
    const again = await authorisePlain(config, consent_id);
    const callback = await userAgent(world).approve(again.url, 'alice', []);
    const tokens = await client.authorizationCodeGrant(config, callback, again.checks);
    world.advance(89 * day_ms);
    assert.notEqual((await client.refreshTokenGrant(config, tokens.refresh_token!)).access_token, undefined);
  });

  it('says that the access goes on when the user refuses to confirm again, and offers to withdraw it', async () => {
    const consent_id = await newConsent(world, third_party, { expires_at_ms: world.nowMs() + 400 * day_ms });
    const first_page = await userAgent(world).logIn(await request(consent_id), 'alice');
    assert.doesNotMatch(first_page.html!, /goes on|value="withdraw"/);
    const forged = await userAgent(world).logIn(await request(consent_id), 'alice');
    const asked = await authorisePlain(config, consent_id);
    const callback = await userAgent(world).approve(asked.url, 'alice', ['1000000002']);
    const tokens = await client.authorizationCodeGrant(config, callback, asked.checks);
    const end = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
      (await world.unitOfWork.read((tx) => tx.consents.find(consent_id)))!.authorised_at_ms! + 90 * day_ms,
    );

    const agent = userAgent(world);
    const page = await agent.logIn(await request(consent_id), 'alice');
    const goes_on = 'If you refuse, the access that Budget &lt;App&gt; &amp; &quot;Co&quot; has goes on';
    assert.ok(page.html!.includes(goes_on), page.html!);
    assert.ok(page.html!.includes(`until ${end}`), page.html!);
    const refused = await agent.submit(page, actionOf(page, 'decide'), [['decision', 'refuse']]);
    assert.equal(errorOf(refused.url), 'access_denied');
    assert.notEqual(await world.nodes[0]!.server.find(tokens.access_token, null), null, 'the access goes on');

    const again = await agent.logIn(await request(consent_id), 'alice');
    assert.match(again.html!, /<button type="submit" name="decision" value="withdraw" [^>]*>Withdraw access now</);
    const withdrawn = await agent.submit(again, actionOf(again, 'decide'), [['decision', 'withdraw']]);
    assert.equal(errorOf(withdrawn.url), 'access_denied');
    assert.equal(await world.nodes[0]!.server.find(tokens.access_token, null), null);
    await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' });
    const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.deepEqual([consent?.status, consent?.withdrawn_at_ms === null], ['Authorised', false]);

    const third = await agent.logIn(await request(consent_id), 'alice');
    assert.match(third.html!, /At present Budget .* has no access. If you refuse, it stays so/);
    assert.doesNotMatch(third.html!, /goes on|value="withdraw"/);

    // Another user cannot withdraw it, whatever the form says.
    await userAgent(world).approve(await request(consent_id), 'alice', []);
    const bob = userAgent(world);
    const step = await bob.get(await request(consent_id));
    await bob.submit(step, `${step.url.pathname}/login`, [
      ['user_name', 'bob'],
      ['password', password],
    ]);
    const token = /name="form_token" value="([^"]+)"/.exec(forged.html!)![1]!;
    const answer = await bob.submit(step, `${step.url.pathname}/decide`, [
      ['form_token', token],
      ['decision', 'withdraw'],
    ]);
    assert.equal(answer.status, 403);
    const kept = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.equal(kept?.withdrawn_at_ms, null);
  });

  it('takes no refusal of an older page for one of the access that the user gave meanwhile', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const older = await agent.logIn(await request(consent_id), 'alice');
    const asked = await authorisePlain(config, consent_id);
    const callback = await userAgent(world).approve(asked.url, 'alice', ['1000000002']);
    const tokens = await client.authorizationCodeGrant(config, callback, asked.checks);
    const hasAccess = async () => (await world.nodes[0]!.server.find(tokens.access_token, null)) !== null;

    const shown = await agent.submit(older, actionOf(older, 'decide'), [['decision', 'refuse']]);
    assert.equal(shown.status, 409);
    assert.match(shown.html!, /role="alert">You allowed this access meanwhile, on another page. It goes on/);
    assert.match(shown.html!, /If you refuse, the access that .* has goes on/);
    assert.match(shown.html!, /value="withdraw"/);
    assert.equal(await hasAccess(), true);
    const refused = await agent.submit(shown, actionOf(shown, 'decide'), [['decision', 'refuse']]);
    assert.equal(errorOf(refused.url), 'access_denied', 'the user has read that it goes on');
    assert.equal(await hasAccess(), true);
  });

  it('takes no fewer accounts of an older page for those of the access that the user gave meanwhile', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const older = await agent.logIn(await request(consent_id), 'alice');
    await userAgent(world).approve(await request(consent_id), 'alice', ['1000000001', '1000000002']);
    const fewer = [
      ['decision', 'approve'],
      ['account', '1000000002'],
    ] as const;
    const shown = await agent.submit(older, actionOf(older, 'decide'), fewer);
    assert.equal(shown.status, 409);
    assert.match(shown.html!, /role="alert">You allowed this access meanwhile, on another page. It goes on/);
    assert.match(shown.html!, /number 1000000001.*number 1000000002/s);
    const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
    await world.unitOfWork.run((tx) => withdrawConsent(tx, call, { consent_id }));
    const ended = await agent.submit(older, actionOf(older, 'decide'), fewer);
    assert.equal(ended.status, 409);
    assert.match(ended.html!, /role="alert">You allowed this access meanwhile, on another page. It has ended since/);
    const allowed = await agent.submit(shown, actionOf(shown, 'decide'), [['decision', 'approve']]);
    assert.notEqual(allowed.url.searchParams.get('code'), null, 'the user has read which accounts they are');
  });

  it('offers to withdraw the access that the user gave meanwhile', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const older = await agent.logIn(await request(consent_id), 'alice');
    await userAgent(world).approve(await request(consent_id), 'alice', ['1000000002']);
    const shown = await agent.submit(older, actionOf(older, 'decide'), [['decision', 'refuse']]);
    // The older page let choose an account that is not of the access.
    const chosen = [
      ['decision', 'approve'],
      ['account', '1000000001'],
    ] as const;
    assert.equal((await agent.submit(older, actionOf(older, 'decide'), chosen)).status, 409);
    const withdrawn = await agent.submit(shown, actionOf(shown, 'decide'), [['decision', 'withdraw']]);
    assert.equal(errorOf(withdrawn.url), 'access_denied');
    const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.notEqual(consent?.withdrawn_at_ms, null);
  });

  it('withdraws nothing that awaits its user', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const page = await agent.logIn(await request(consent_id), 'alice');
    const answer = await agent.submit(page, actionOf(page, 'decide'), [['decision', 'withdraw']]);
    assert.match(answer.html!, /Allow Budget/);
    assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
  });

  it('shows the one account of a funds-confirmation consent', async () => {
    const cbpii = await world.register({ scopes: ['fundsconfirmations'] });
    const its_config = await configure(world, cbpii);
    const debtor = {
      scheme_name: 'Tallystick.AccountNumber',
      identification: '1000000001',
      name: null,
      secondary_identification: null,
    };
    const consent_id = await newConsent(world, cbpii, {
      kind: 'funds_confirmation',
      debtor_account: debtor,
      permissions: undefined,
    });
    const asked = await authorisePlain(its_config, consent_id, { scope: 'openid fundsconfirmations' });
    const page = await userAgent(world).logIn(asked.url, 'alice');
    assert.match(page.html!, /Current account, GBP, number 1000000001/);
    assert.match(page.html!, /only yes or no/);
    assert.doesNotMatch(page.html!, /<input type="checkbox"|Savings/);
    const callback = await userAgent(world).approve(asked.url, 'alice', []);
    const tokens = await client.authorizationCodeGrant(its_config, callback, asked.checks);
    const grant = await world.nodes[0]!.server.find(tokens.access_token, null);
    assert.deepEqual(grant?.scopes, ['fundsconfirmations']);
  });

  /** The page says why and the third party does not learn it. */
  async function assertUndecidable(agent: UserAgent, page: Landing, reason: RegExp): Promise<void> {
    assert.equal(page.status, 403);
    assert.match(page.html!, /<h1>You cannot decide about this request<\/h1>/);
    assert.match(page.html!, reason);
    assert.match(page.html!, /Nothing was shared with Budget &lt;App&gt; &amp; &quot;Co&quot;/);
    assert.equal(page.html!.match(/<button/g)?.length, 1);
    assert.match(page.headers.get('content-security-policy')!, /form-action 'self' https:\/\/localhost;/);
    const callback = await agent.leave(page);
    assert.deepEqual(
      [errorOf(callback), callback.searchParams.get('error_description')],
      ['access_denied', 'the consent cannot be authorised'],
    );
    assert.deepEqual([...callback.searchParams.keys()].toSorted(), ['error', 'error_description', 'iss', 'state']);
  }

  it('says why a user cannot decide, and sends back with access_denied', async () => {
    const agent = userAgent(world);
    const frozen = await agent.logIn(await newRequest(), 'frozen');
    await assertUndecidable(agent, frozen, /You or your company cannot use this service.*Contact your bank/s);

    const consent_id = await newConsent(world, third_party);
    await userAgent(world).approve(await request(consent_id), 'alice', ['1000000001']);
    const other = await agent.logIn(await request(consent_id), 'bob');
    await assertUndecidable(agent, other, /Another user allowed this access/);
    assert.doesNotMatch(other.html!, /alice/);
    assert.equal(await statusOf(consent_id), 'Authorised');
  });

  it('says the same of an account that does not exist, and of one that the user may not view', async () => {
    const cbpii = await world.register({ name: third_party.name, scopes: ['fundsconfirmations'] });
    const its_config = await configure(world, cbpii);
    const [agent, texts] = [userAgent(world), new Set<string>()];
    for (const [identification, user_name] of [
      ['9999999999', 'alice'],
      ['1000000001', 'carol'],
    ] as const) {
      const scheme_name = 'Tallystick.AccountNumber';
      const debtor_account = { scheme_name, identification, name: null, secondary_identification: null };
      const changes = { kind: 'funds_confirmation', debtor_account, permissions: undefined };
      const consent_id = await newConsent(world, cbpii, changes);
      const asked = await authorisePlain(its_config, consent_id, { scope: 'openid fundsconfirmations' });
      const page = await agent.logIn(asked.url, user_name);
      texts.add(page.html!.replace(/action="[^"]*"|value="[^"]*"/g, ''));
      await assertUndecidable(agent, page, /No account that you may view fits this request/);
      assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
    }
    assert.equal(texts.size, 1);
  });

  it('leads back without a log-in or a decision, and the consent still awaits authorisation', async () => {
    const consent_id = await newConsent(world, third_party);
    const url = await request(consent_id);
    const agent = userAgent(world);
    for (const page of [await agent.get(url), await agent.logIn(url, 'alice')]) {
      const callback = await agent.leave(page);
      assert.equal(errorOf(callback), 'access_denied');
      assert.equal(callback.searchParams.get('error_description'), 'the user did not decide');
      assert.equal(callback.searchParams.get('state'), url.searchParams.get('state'));
      assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
      assert.match((await agent.get(page.url)).html!, /This step is over/);
    }
    const later = await userAgent(world).approve(await request(consent_id), 'alice', ['1000000001']);
    assert.notEqual(later.searchParams.get('code'), null);
  });

  it('leads back only by the form of its own page', async () => {
    const agent = userAgent(world);
    const [other, page] = [await agent.get(await newRequest()), await agent.get(await newRequest())];
    const leave = actionOf(page, 'leave');
    assert.equal((await agent.submit(other, leave, [])).status, 403, 'a form of another step');
    assert.equal((await agent.submit({ ...page, html: '' }, leave, [])).status, 403, 'no token');
    assert.equal((await agent.submit(page, leave, [], { origin: 'https://evil.example' })).status, 403);
    assert.match((await agent.get(new URL(leave, page.url))).html!, /Log in/, 'an address alone leads to the step');
    assert.equal(errorOf(await agent.leave(page)), 'access_denied');
  });

  it('ends before the log-in when the consent expired, and says so when it was deleted during the step', async () => {
    const expired = await newRequest({ expires_at_ms: world.nowMs() - 1 });
    assert.equal(errorOf((await userAgent(world).get(expired)).url), 'access_denied');
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const page = await agent.logIn(await request(consent_id), 'alice');
    await world.unitOfWork.run(async (tx) => {
      const consent = (await tx.consents.lock(consent_id))!;
      await tx.consents.update({ ...consent, deleted_at_ms: world.nowMs() });
    });
    const action = /action="([^"]+decide)"/.exec(page.html!)![1]!;
    const done = await agent.submit(page, action, [
      ['decision', 'approve'],
      ['account', '1000000001'],
    ]);
    await assertUndecidable(agent, done, /The request is no longer open/);
  });

  it('is over when the third party is suspended', async () => {
    const suspended = await world.register();
    const its_config = await configure(world, suspended);
    const asked = await authorisePlain(its_config, await newConsent(world, suspended));
    const agent = userAgent(world);
    const page = await agent.get(asked.url);
    const call = { actor: 'test', request_id: null, now_ms: world.nowMs() };
    await world.unitOfWork.run((tx) => setThirdPartyStatus(tx, call, suspended.id, 'suspended'));
    assert.match((await agent.get(page.url)).html!, /This step is over/);
    assert.equal((await userAgent(world).get(asked.url)).status, 400);
  });

  it('says the same of an unknown user and a wrong password', async () => {
    const url = await newRequest();
    const wrong = await userAgent(world).logIn(url, 'alice', 'wrong');
    assert.equal(wrong.status, 401);
    const unknown = await userAgent(world).logIn(await newRequest(), 'nobody', 'wrong');
    const problem = ({ html }: Landing) => /<p class="problem"[^>]*>([^<]+)/.exec(html!)![1];
    assert.equal(problem(wrong), problem(unknown));
    assert.match(wrong.html!, /id="user_name" name="user_name" [^>]* value="alice">/);
    assert.match(unknown.html!, /id="user_name" name="user_name" [^>]* value="nobody">/);
    // Only the name is kept, and only in its field.
    assert.doesNotMatch(wrong.html!.replace('value="alice"', ''), /alice|wrong"/);
    const formOf = ({ html }: Landing) => html!.replace(/ value="[^"]*"| action="[^"]*"/g, '');
    assert.equal(formOf(wrong), formOf(unknown));
  });

  it('keeps the name as it was typed after a wrong password, escaped, on both pages', async () => {
    const typed = `  "><script>alert('1')</script>&amp; Ä\u{1f600} `;
    const kept = '  &quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp; Ä\u{1f600} ';
    for (const address of [await newRequest(), `${world.issuer}/consents`]) {
      const agent = userAgent(world);
      const first = await agent.get(address);
      assert.match(first.html!, /name="user_name" [^>]*required>/, 'nothing is kept before an attempt');
      const again = await agent.logIn(address, typed, 'wrong');
      assert.equal(again.status, 401);
      assert.ok(again.html!.includes(`maxlength="255" required value="${kept}">`), again.html!);
      assert.doesNotMatch(again.html!, /<script|type="password"[^>]*value/);
      const no_password = await agent.submit(again, actionOf(again, 'login'), [['user_name', 'alice']]);
      assert.ok(no_password.html!.includes('value="alice"'));
      const long = await agent.submit(again, actionOf(again, 'login'), [
        ['user_name', 'x'.repeat(1_000)],
        ['password', password],
      ]);
      assert.ok(long.html!.includes(`value="${'x'.repeat(255)}"`));
    }
  });

  it('says how long the next attempt takes, in words', async () => {
    const attempts: unknown[] = [];
    let pause_ms = 0;
    const own = await startWorld({
      logInPauseMs(attempt) {
        attempts.push(attempt);
        return pause_ms;
      },
    });
    try {
      const agent = userAgent(own);
      for (const [ms, words] of [
        [0, 'After several failed attempts each further one takes longer.'],
        [250, 'the next one takes up to 1 second. Press Log in once, and wait for the answer.'],
        [1_000, 'the next one takes up to 1 second.'],
        [2_000, 'the next one takes up to 2 seconds.'],
        [10_000, 'the next one takes up to 10 seconds.'],
      ] as const) {
        pause_ms = ms;
        for (const user_name of [' ALICE ', 'nobody']) {
          const { html } = await agent.logIn(`${own.issuer}/consents`, user_name, 'wrong');
          assert.ok(/<p class="problem" role="alert">([^<]*)/.exec(html!)![1]!.includes(words), html!);
        }
      }
      // It asks about the attempt as it is counted: by the name that the bank may take it for.
      assert.deepEqual(attempts.slice(0, 2), [
        { user_name: 'alice', step: null },
        { user_name: 'nobody', step: null },
      ]);
    } finally {
      await own.close();
    }
  });

  it('leads back with the code when the decision is sent twice', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const page = await agent.logIn(await request(consent_id), 'alice');
    const decision = [
      ['decision', 'approve'],
      ['account', '1000000001'],
    ] as const;
    // The browser drops the answer to the first one.
    assert.equal(await agent.statusOf(page, actionOf(page, 'decide'), decision), 303);
    const callback = (await agent.submit(page, actionOf(page, 'decide'), decision)).url;
    assert.notEqual(callback.searchParams.get('code'), null, callback.href);
    const over = await agent.submit(page, actionOf(page, 'decide'), decision);
    assert.deepEqual([over.status, over.html?.includes('This step is over')], [400, true]);
  });

  it('stays over when a log-in ends after the user has left', async () => {
    const begun = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const own = await startWorld({
      beforeLogin() {
        begun.resolve();
        return answered.promise;
      },
    });
    try {
      const theirs = await own.register();
      const { url } = await authorisePlain(await configure(own, theirs), await newConsent(own, theirs));
      const agent = userAgent(own);
      const page = await agent.get(url);
      const logging_in = agent.submit(page, `${page.url.pathname}/login`, [
        ['user_name', 'alice'],
        ['password', 'correct horse'],
      ]);
      await begun.promise;
      assert.equal((await agent.leave(page)).searchParams.get('error'), 'access_denied');
      answered.resolve();
      const late = await logging_in;
      assert.deepEqual([late.status, late.html?.includes('This step is over')], [400, true]);
    } finally {
      await own.close();
    }
  });

  it('goes on after failed log-ins, however many', async () => {
    const agent = userAgent(world);
    let page = await agent.get(await newRequest());
    for (let failed = 0; failed < 12; failed += 1) {
      page = await agent.submit(page, `${page.url.pathname.replace(/\/login$/, '')}/login`, [
        ['user_name', 'alice'],
        ['password', 'wrong'],
      ]);
      assert.equal(page.status, 401);
    }
    page = await agent.submit(page, page.url.pathname, [
      ['user_name', 'alice'],
      ['password', 'correct horse'],
    ]);
    assert.deepEqual([page.status, page.html?.includes('name="decision"')], [200, true]);
  });

  it('belongs to the browser that began it', async () => {
    const agent = userAgent(world);
    const page = await agent.get(await newRequest());
    const stranger = await userAgent(world).get(page.url);
    assert.equal(stranger.status, 400);
    assert.match(stranger.html!, /This step is over/);
  });

  it('is found by its cookie and its address together', async () => {
    const [one, other] = await Promise.all([
      fetch(await newRequest(), { redirect: 'manual' }),
      fetch(await newRequest(), { redirect: 'manual' }),
    ]);
    const cookie = one.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ');
    const at = (answer: Response) =>
      fetch(new URL(answer.headers.get('location')!, world.issuer), { headers: { cookie } });
    assert.equal((await at(one)).status, 200);
    assert.equal((await at(other)).status, 400);
  });

  it('takes a decision only with the form that the user was shown', async () => {
    const consent_id = await newConsent(world, third_party);
    const agent = userAgent(world);
    const login = await agent.get(await request(consent_id));
    const decision = await agent.logIn(await request(consent_id), 'alice');
    const action = /action="([^"]+decide)"/.exec(decision.html!)![1]!;
    const approve = [
      ['decision', 'approve'],
      ['account', '1000000001'],
    ] as const;
    assert.equal((await agent.submit({ ...decision, html: login.html }, action, approve)).status, 403);
    assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
  });

  it('refuses forms that it did not make, that are too long, or of another type', async () => {
    const agent = userAgent(world);
    const page = await agent.get(await newRequest());
    const login = `${page.url.pathname}/login`;
    const forged = {
      ...page,
      html: page.html!.replace(/name="form_token" value="[^"]+"/, 'name="form_token" value="x"'),
    };
    const credentials = [
      ['user_name', 'alice'],
      ['password', 'correct horse'],
    ] as const;
    assert.equal((await agent.submit(forged, login, credentials)).status, 403);
    assert.equal((await agent.submit(page, login, [['user_name', 'x'.repeat(66_000)]])).status, 413);
    const long = await agent.submit(page, login, [['user_name', 'x'.repeat(50_000)]]);
    assert.equal(long.status, 401, 'as long as a choice of 1,000 accounts');
    const decide = await agent.submit(page, `${page.url.pathname}/decide`, [['decision', 'approve']]);
    assert.match(decide.html!, /Log in/, 'no decision without a log-in');
  });

  it('refuses forms that another site sends', async () => {
    const agent = userAgent(world);
    const page = await agent.get(await newRequest());
    const credentials = [
      ['user_name', 'alice'],
      ['password', 'correct horse'],
    ] as const;
    const login = `${page.url.pathname}/login`;
    const headers: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const sent of headers) assert.equal((await agent.submit(page, login, credentials, sent)).status, 403);
    const own = { origin: world.issuer, 'sec-fetch-site': 'same-origin' };
    assert.equal((await agent.submit(page, login, credentials, own)).status, 200);
  });

  it('is at one name of loopback, so that its cookies are found again', async () => {
    const asked = new URL(await newRequest());
    const other = (await fetch(asked.href.replace('127.0.0.1', 'localhost'), { redirect: 'manual' })).headers;
    assert.equal(other.get('location'), asked.href);
    const consents = `${world.issuer.replace('127.0.0.1', 'localhost')}/consents`;
    const led = await fetch(consents, { redirect: 'manual' });
    assert.deepEqual([led.status, led.headers.get('location')], [303, `${world.issuer}/consents`]);
    const own = await fetch(asked, { redirect: 'manual' });
    assert.match(own.headers.get('location') ?? '', /^(http:\/\/127\.0\.0\.1:\d+)?\/authorise\//);
  });

  it('is over after 30 minutes of service time', async () => {
    const agent = userAgent(world);
    const page = await agent.get(await newRequest());
    world.advance(31 * minute_ms);
    assert.equal((await agent.get(page.url)).status, 400);
  });

  it('does not remember who logged in before', async () => {
    const agent = userAgent(world);
    await agent.approve(await newRequest(), 'alice', ['1000000001']);
    const next = await agent.get(await newRequest());
    assert.match(next.html!, /Log in/);
    const callback = await agent.approve(await newRequest(), 'bob', ['1000000001']);
    assert.notEqual(callback.searchParams.get('code'), null);
  });

  it('cannot be left out: prompt=none is refused', async () => {
    const url = await newRequest();
    url.searchParams.set('prompt', 'none');
    assert.equal(errorOf((await userAgent(world).get(url)).url), 'interaction_required');
  });

  it('ends at once, without a page, when the sandbox decided', async () => {
    const call = () => ({ actor: 'test', request_id: null, now_ms: world.nowMs() });
    const decided_ahead = true;
    const approved = await newConsent(world, third_party);
    const decision = { consent_id: approved, user_id: 'alice', account_numbers: ['1000000001'], decided_ahead };
    await world.unitOfWork.run((tx) => authoriseConsent(tx, { bank }, call(), decision));
    const asked = await authorisePlain(config, approved);
    const answer = await fetch(asked.url, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    const callback = new URL(answer.headers.get('location')!);
    const tokens = await client.authorizationCodeGrant(config, callback, asked.checks);
    assert.equal((await world.nodes[0]!.server.find(tokens.access_token, null))?.user_id, 'alice');
    assert.equal(tokens.claims()?.sub, approved);

    const rejected = await newConsent(world, third_party);
    await world.unitOfWork.run((tx) =>
      rejectConsent(tx, call(), { consent_id: rejected, user_id: 'alice', decided_ahead }),
    );
    const denied = await fetch(await request(rejected), { redirect: 'manual' });
    assert.equal(errorOf(new URL(denied.headers.get('location')!)), 'access_denied');
  });

  it('names the bank on every page, escaped', async () => {
    const agent = userAgent(world);
    const login = await agent.get(await newRequest());
    const pages = [
      login,
      await agent.logIn(await newRequest(), 'alice'),
      await agent.logIn(await newRequest(), 'frozen'),
      await agent.get(login.url.href.replace(/\w+$/, 'none')),
      await agent.get(`${world.issuer}/oauth/authorize`),
      await agent.get(`${world.issuer}/consents`),
      await agent.logIn(`${world.issuer}/consents`, 'alice'),
    ];
    for (const { html } of pages) {
      assert.match(html!, /<title>[^<]+ - Bank of &lt;Tests&gt; &amp; Co<\/title>/);
      assert.match(html!, /<header>Bank of &lt;Tests&gt; &amp; Co<\/header>\n<main>\n<h1>/);
    }
    assert.equal(new Set(pages.map(({ html }) => /<title>(.*) - /.exec(html!)![1])).size, 6);
  });

  it('logs no fault in all of that', () => {
    assert.deepEqual(world.logged, []);
  });
});

it('ends with a page that says so when the third party is suspended while the user decides', async (t) => {
  let until_suspension = -1;
  let suspended: Promise<unknown> | null = null;
  const world = await startWorld({
    beforeTransaction() {
      until_suspension -= 1;
      if (until_suspension === 0) suspended = setStatus('suspended');
    },
  });
  t.after(() => world.close());
  const third_party = await world.register();
  const setStatus = (status: 'active' | 'suspended') =>
    world.unitOfWork.run((tx) =>
      setThirdPartyStatus(tx, { actor: 'test', request_id: null, now_ms: world.nowMs() }, third_party.id, status),
    );
  const config = await configure(world, third_party);
  const statuses: number[] = [];
  for (const decision of ['approve', 'refuse']) {
    for (let transactions = 1, is_over = false; !is_over; transactions += 1) {
      const agent = userAgent(world);
      const page = await agent.logIn((await authorisePlain(config, await newConsent(world, third_party))).url, 'alice');
      until_suspension = transactions;
      const fields = [
        ['account', '1000000001'],
        ['decision', decision],
      ] as const;
      statuses.push((await agent.submit(page, actionOf(page, 'decide'), fields)).status);
      // The decision has ended before.
      is_over = suspended === null;
      until_suspension = -1;
      await suspended;
      suspended = null;
      await setStatus('active');
    }
  }
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
    `${statuses}`,
  );
  assert.deepEqual(world.logged, []);
});

describe('the user’s consents', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  async function authorised(user_name: string) {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    const consent_id = await newConsent(world, third_party);
    const asked = await authorisePlain(config, consent_id);
    const callback = await userAgent(world).approve(asked.url, user_name, ['1000000001']);
    const tokens = await client.authorizationCodeGrant(config, callback, asked.checks);
    return { third_party, config, consent_id, tokens };
  }

  it('are listed to their user only', async () => {
    const [its, other] = [await authorised('alice'), await authorised('bob')];
    const agent = userAgent(world);
    const { html } = await agent.logIn(`${world.issuer}/consents`, 'alice');
    assert.ok(html!.includes(its.third_party.name) && !html!.includes(other.third_party.name));
    assert.match(html!, /Current account, GBP, number 1000000001/);
    assert.equal((await agent.get(`${world.issuer}/consents/${other.consent_id}`)).status, 404);
  });

  it('have older ones behind a link, each on one page', async () => {
    const third_party = await world.register();
    const ids: string[] = [];
    const authorised_at_ms = world.nowMs();
    for (let at = 0; at < 120; at += 1) {
      const authorised = { status: 'Authorised', user_id: 'many', company_id: 1, authorised_at_ms } as const;
      const withdrawn_at_ms = at % 6 === 0 ? authorised_at_ms : null;
      ids.unshift(await newConsent(world, third_party, { ...authorised, withdrawn_at_ms }));
    }
    const wanted = ids.filter((_, place) => (ids.length - 1 - place) % 6 !== 0);
    const agent = userAgent(world);
    let page = await agent.logIn(`${world.issuer}/consents`, 'many');
    assert.doesNotMatch(page.html!, />Newest</);
    const listed: string[][] = [];
    for (;;) {
      listed.push([...page.html!.matchAll(/href="\/consents\/([^"]+)">Withdraw/g)].map(([, id]) => id!));
      const older = /<a href="([^"]+)">Older</.exec(page.html!)?.[1];
      if (older === undefined) break;
      page = await agent.get(`${world.issuer}${older}`);
    }
    assert.deepEqual(
      listed.map(({ length }) => length),
      [50, 50],
    );
    assert.deepEqual(listed.flat(), wanted);
    assert.match(page.html!, /<a href="\/consents">Newest</);
    assert.equal((await agent.get(`${world.issuer}/consents?after=x`)).status, 404);

    // The 20 that have ended: the newest 10 beside the others, and the rest behind a link of its
    // own.
    const first = await agent.get(`${world.issuer}/consents`);
    const endedOn = ({ html }: Landing) => html!.match(/<strong>Withdrawn on/g)?.length ?? 0;
    assert.equal(endedOn(first), 10);
    assert.equal(endedOn(page), 0);
    const link = /<a href="([^"]+)">Older access that has ended</.exec(first.html!)![1]!;
    const rest = await agent.get(`${world.issuer}${link}`);
    assert.equal(endedOn(rest), 10);
    assert.doesNotMatch(rest.html!, /Older access|>Withdraw access of|Access now/);
    assert.match(rest.html!, /<a href="\/consents">Newest</);
    assert.equal((await agent.get(`${world.issuer}/consents?ended=x`)).status, 404);
  });

  it('show access that has ended as what it is, with the day, and do not offer to withdraw it', async () => {
    const agent = userAgent(world);
    const now_ms = world.nowMs();
    const daysAgo = (days: number) => now_ms - days * day_ms;
    const given = { status: 'Authorised', user_id: 'carol', company_id: 1, account_numbers: ['1000000002'] } as const;
    const on = (at_ms: number) =>
      new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(at_ms);
    const cases = [
      {
        name: 'Lapsed & "Co"',
        fields: { authorised_at_ms: daysAgo(95) },
        text: `Ended on ${on(daysAgo(5))}.*not confirmed again within 90 days`,
      },
      {
        name: 'Expired App',
        fields: { authorised_at_ms: daysAgo(10), expires_at_ms: daysAgo(2) },
        text: `Expired on ${on(daysAgo(2))}`,
      },
      {
        name: 'Withdrawn App',
        fields: { authorised_at_ms: daysAgo(9), withdrawn_at_ms: daysAgo(3) },
        text: `Withdrawn on ${on(daysAgo(3))}.*log in and confirm it`,
      },
      {
        name: 'Deleted App',
        fields: { authorised_at_ms: daysAgo(8), deleted_at_ms: daysAgo(4) },
        text: `Ended by Deleted App on ${on(daysAgo(4))}`,
      },
      // What came first ended it.
      {
        name: 'Both App',
        fields: { authorised_at_ms: daysAgo(200), withdrawn_at_ms: daysAgo(120), deleted_at_ms: daysAgo(2) },
        text: `Withdrawn on ${on(daysAgo(120))}`,
      },
    ];
    const ids: string[] = [];
    for (const { name, fields } of cases) {
      const third_party = await world.register({ name });
      ids.push(await newConsent(world, third_party, { ...given, ...fields }));
    }
    const current = await world.register({ name: 'Current App' });
    await newConsent(world, current, { ...given, authorised_at_ms: daysAgo(89) });
    // Nobody gave access: it is on neither list.
    const refused = await world.register({ name: 'Refused App' });
    const refused_id = await newConsent(world, refused);
    await userAgent(world).refuse((await authorisePlain(await configure(world, refused), refused_id)).url, 'carol');

    const { html } = await agent.logIn(`${world.issuer}/consents`, 'carol');
    const [now, ended] = html!.split('<h2>Access that has ended</h2>') as [string, string];
    assert.deepEqual(
      [...now.matchAll(/<h3>([^<]*)/g)].map(([, name]) => name),
      ['Current App'],
    );
    const shown = ended.split('<h3>').slice(1);
    assert.deepEqual(
      shown.map((item) => item.slice(0, item.indexOf('<'))),
      cases.map(({ name }) => name.replace('&', '&amp;').replaceAll('"', '&quot;')).toReversed(),
    );
    for (const [at, { text }] of cases.toReversed().entries()) {
      assert.match(shown[at]!, new RegExp(`<strong>.*${text}`, 's'));
      assert.match(shown[at]!, /What it could see.*Savings &lt;b&gt;/s);
      assert.doesNotMatch(shown[at]!, /Withdraw access|Until when/);
    }
    assert.doesNotMatch(html!, /Refused App|"Co"/);
    for (const id of ids) assert.equal((await agent.get(`${world.issuer}/consents/${id}`)).status, 404);

    // After 90 days it is no access either. The list needs a log-in again then.
    world.advance(2 * day_ms);
    const later = await agent.logIn(`${world.issuer}/consents`, 'carol');
    assert.match(later.html!, /Nobody has access.*<h3>Current App<\/h3>\n<p><strong>Ended on/s);
  });

  const listOf = async (user_name: string): Promise<{ readonly active: string; readonly ended: string }> => {
    const { html } = await userAgent(world).logIn(`${world.issuer}/consents`, user_name);
    const [active, ended = ''] = html!.split('<h2>Access that has ended</h2>') as [string, string?];
    return { active, ended };
  };
  /** How the page says that the access of a third party ended; null: it goes on. */
  const endOf = async ({ name }: ThirdParty, user_name = 'alice'): Promise<string | null> => {
    const { active, ended } = await listOf(user_name);
    assert.notEqual(active.includes(`<h3>${name}</h3>`), ended.includes(`<h3>${name}</h3>`), name);
    return new RegExp(`<h3>${name}</h3>\n<p>(.*)</p>`).exec(ended)?.[1] ?? null;
  };
  const operator = () => ({ actor: 'test', request_id: null, now_ms: world.nowMs() });

  it('show that the bank stopped a third party at once, and also after it is admitted again', async () => {
    const { third_party, config, consent_id } = await authorised('alice');
    const other = await authorised('alice');
    const setStatus = (status: 'active' | 'suspended') =>
      world.unitOfWork.run((tx) => setThirdPartyStatus(tx, operator(), third_party.id, status));
    assert.equal(await endOf(third_party), null);
    await setStatus('suspended');
    const stopped =
      /^<strong>Stopped by the bank on \d.*<\/strong> .* only get access again if the bank admits it and you log in and confirm it\.$/;
    assert.match((await endOf(third_party)) ?? '', stopped);
    const agent = userAgent(world);
    await agent.logIn(`${world.issuer}/consents`, 'alice');
    assert.equal((await agent.get(`${world.issuer}/consents/${consent_id}`)).status, 404, 'nothing to withdraw');
    assert.equal(await endOf(other.third_party), null, 'of another third party');
    await setStatus('active');
    assert.match((await endOf(third_party)) ?? '', stopped, 'its tokens are gone');
    await userAgent(world).approve((await authorisePlain(config, consent_id)).url, 'alice', []);
    assert.equal(await endOf(third_party), null, 'the user confirmed it');
  });

  it('show that the bank stopped a third party by a scope that it lost', async () => {
    const { third_party } = await authorised('alice');
    await world.unitOfWork.run(async (tx) => {
      await tx.third_parties.update({ ...third_party, scopes: ['accounts', 'fundsconfirmations'] });
      await changeThirdParty(tx, { url_policy: () => null }, operator(), third_party.id, { scopes: ['accounts'] });
    });
    assert.match((await endOf(third_party)) ?? '', /^<strong>Stopped by the bank on \d/);
  });

  it('show that the tokens were revoked at once, unless another authorisation goes on', async () => {
    const { third_party, config, consent_id, tokens } = await authorised('alice');
    await client.tokenRevocation(config, tokens.access_token);
    assert.equal(await endOf(third_party), null, 'the refresh token gets another one');
    const asked = await authorisePlain(config, consent_id);
    const callback = await userAgent(world).approve(asked.url, 'alice', []);
    const later = await client.authorizationCodeGrant(config, callback, asked.checks);
    await client.tokenRevocation(config, tokens.refresh_token!);
    assert.equal(await endOf(third_party), null, 'the later tokens are valid');
    assert.notEqual(await world.nodes[0]!.server.find(later.access_token, null), null);
    await client.tokenRevocation(config, later.refresh_token!);
    const revoked =
      /^<strong>Ended on \d.*: .* gave it up, or its use was not safe any more\.<\/strong> .* if you log in and confirm it\.$/;
    assert.match((await endOf(third_party)) ?? '', revoked);

    // The second use of a code ends what the first one got.
    const again = await authorisePlain(config, consent_id);
    const code = await userAgent(world).approve(again.url, 'alice', []);
    await client.authorizationCodeGrant(config, code, again.checks);
    assert.equal(await endOf(third_party), null, 'the user confirmed it');
    await assert.rejects(client.authorizationCodeGrant(config, code, again.checks), { error: 'invalid_grant' });
    assert.match((await endOf(third_party)) ?? '', revoked);
  });

  describe('of a third party with two authorisations', () => {
    async function twice(t: TestContext, { expires_in_days }: { readonly expires_in_days?: number } = {}) {
      const later = await startWorld();
      t.after(() => later.close());
      const third_party = await later.register();
      const config = await configure(later, third_party);
      const expires_at_ms = expires_in_days === undefined ? null : later.nowMs() + expires_in_days * day_ms + 500;
      const consent_id = await newConsent(later, third_party, { expires_at_ms });
      const authorise = async () => {
        const asked = await authorisePlain(config, consent_id);
        const callback = await userAgent(later).approve(asked.url, 'alice', ['1000000001']);
        return await client.authorizationCodeGrant(config, callback, asked.checks);
      };
      /** How the access ended; null: it goes on. */
      const end = async () => {
        const { html } = await userAgent(later).logIn(`${later.issuer}/consents`, 'alice');
        return html!.split('<h2>Access that has ended</h2>')[1] ?? null;
      };
      return { later, config, authorise, end };
    }

    it('show the end of the tokens that are left when those of the last one are revoked', async (t) => {
      const { later, config, authorise, end } = await twice(t);
      const first = await authorise();
      later.advance(60 * day_ms);
      const second = await authorise();
      await client.tokenRevocation(config, second.refresh_token!);
      await client.refreshTokenGrant(config, first.refresh_token!);
      assert.equal(await end(), null, 'the first tokens are valid');
      later.advance(31 * day_ms);
      await assert.rejects(client.refreshTokenGrant(config, first.refresh_token!), { error: 'invalid_grant' });
      assert.match((await end()) ?? '', /not confirmed again within 90 days/);

      await authorise();
      later.advance(89 * day_ms);
      assert.equal(await end(), null, 'the user confirmed it, for 90 days');
    });

    it('show that the consent expired, when that ends the tokens that are left', async (t) => {
      const { later, config, authorise, end } = await twice(t, { expires_in_days: 30 });
      const first = await authorise();
      later.advance(day_ms);
      await authorise();
      await client.tokenRevocation(config, first.refresh_token!);
      later.advance(30 * day_ms);
      assert.match((await end()) ?? '', /<strong>Expired on/);
    });
  });

  it('are withdrawn after a question, and their tokens end at once', async () => {
    const { consent_id, config, tokens, third_party } = await authorised('alice');
    const agent = userAgent(world);
    await agent.logIn(`${world.issuer}/consents`, 'alice');
    const question = await agent.get(`${world.issuer}/consents/${consent_id}`);
    assert.match(question.html!, /The access ends at once/);
    assert.notEqual(await world.nodes[0]!.server.find(tokens.access_token, null), null);
    const done = await agent.submit(question, `/consents/${consent_id}/withdraw`, []);
    assert.match(done.html!, /The access was withdrawn/);
    assert.ok(!done.html!.includes(`Withdraw access of ${third_party.name}<`));
    assert.match(done.html!, new RegExp(`has ended</h2>.*<h3>${third_party.name}</h3>\n<p><strong>Withdrawn on`, 's'));
    assert.equal(await world.nodes[0]!.server.find(tokens.access_token, null), null);
    await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' });
  });

  it('cannot be withdrawn by another user, nor with a form of another session', async () => {
    const { consent_id, tokens } = await authorised('alice');
    const stranger = userAgent(world);
    const list = await stranger.logIn(`${world.issuer}/consents`, 'bob');
    assert.equal((await stranger.submit(list, `/consents/${consent_id}/withdraw`, [])).status, 404);
    const agent = userAgent(world);
    await agent.logIn(`${world.issuer}/consents`, 'alice');
    assert.equal((await agent.submit(list, `/consents/${consent_id}/withdraw`, [])).status, 403);
    assert.notEqual(await world.nodes[0]!.server.find(tokens.access_token, null), null);
  });

  it('need a log-in again after 15 minutes, and after a log-out', async () => {
    const agent = userAgent(world);
    const list = await agent.logIn(`${world.issuer}/consents`, 'alice');
    assert.match((await agent.submit(list, '/consents/logout', [])).html!, /Log in/);
    await agent.logIn(`${world.issuer}/consents`, 'alice');
    world.advance(16 * minute_ms);
    assert.match((await agent.get(`${world.issuer}/consents`)).html!, /Log in/);
  });
});

describe('behind a proxy that terminates TLS', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ issuer: 'https://bank.example' });
  });
  after(() => world.close());

  const at = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${world.nodes[0]!.url}${path}`, { redirect: 'manual', headers });

  it('all addresses are those of the issuer, whatever the headers of a request say', async () => {
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const document = (await (await at('/.well-known/openid-configuration', forged)).json()) as Record<string, string>;
    assert.equal(document.issuer, 'https://bank.example');
    assert.equal(document.token_endpoint, 'https://bank.example/oauth/token');
  });

  it('cookies are secure, signed, and not for scripts', async () => {
    const third_party = await world.register();
    const consent_id = await newConsent(world, third_party);
    const query = new URLSearchParams({
      client_id: third_party.client_id,
      response_type: 'code',
      redirect_uri: 'https://localhost/callback',
      scope: 'openid accounts',
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
      claims: JSON.stringify({ id_token: { openbanking_intent_id: { value: consent_id, essential: true } } }),
    });
    const answer = await at(`/oauth/authorize?${query}`);
    const cookies = answer.headers.getSetCookie();
    assert.deepEqual(cookies.map((cookie) => cookie.split('=')[0]).sort(), [
      '__Secure-tallystick_resume',
      '__Secure-tallystick_resume.sig',
      '__Secure-tallystick_step',
      '__Secure-tallystick_step.sig',
    ]);
    for (const cookie of cookies) assert.match(cookie, /samesite=lax; secure; httponly/i);
    for (const cookie of cookies) assert.match(cookie, /path=\/(authorise|oauth\/authorize)\/[\w-]+;/, 'of one step');
    assert.match(answer.headers.get('location')!, /^\/authorise\//);
  });
});

it('the session of a user’s consents has a cookie of its host alone, and over http one without a prefix', async () => {
  for (const [issuer, name] of [
    ['https://bank.example', '__Host-tallystick_user'],
    [undefined, 'tallystick_user'],
  ] as const) {
    const world = await startWorld(issuer === undefined ? {} : { issuer });
    try {
      const { url } = world.nodes[0]!;
      const origin = issuer ?? url;
      const post = (path: string, form: Record<string, string>, cookie = '') =>
        fetch(`${url}/consents${path}`, {
          method: 'POST',
          body: new URLSearchParams(form),
          redirect: 'manual',
          headers: { origin, cookie },
        });
      const tokenOf = async (cookie: string): Promise<string> => {
        const html = await (await fetch(`${url}/consents`, { headers: { cookie } })).text();
        return /name="form_token" value="([^"]+)"/.exec(html)![1]!;
      };
      const entered = { user_name: 'alice', password, form_token: await tokenOf('') };
      const [set = ''] = (await post('/login', entered)).headers.getSetCookie();
      const secure = issuer === undefined ? '' : '; Secure';
      assert.match(set, new RegExp(`^${name}=[\\w-]{43}; Path=/; Max-Age=900; HttpOnly; SameSite=Strict${secure}$`));
      const [cookie = ''] = set.split(';');
      const list = await fetch(`${url}/consents`, { headers: { cookie: `a=b; ${cookie}` } });
      assert.match(await list.text(), /Log out/);
      const [cleared] = (await post('/logout', { form_token: await tokenOf(cookie) }, cookie)).headers.getSetCookie();
      assert.match(cleared!, new RegExp(`^${name}=; Path=/; Max-Age=0; .*${secure}$`));
    } finally {
      await world.close();
    }
  }
});

describe('requests that cannot be answered', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('get a page, without details of the service, when no third party is known', async () => {
    const landing = await userAgent(world).get(
      `${world.issuer}/oauth/authorize?client_id=<script>&redirect_uri=https://evil.example`,
    );
    assert.equal(landing.status, 400);
    assert.match(landing.html!, /This does not work/);
    assert.doesNotMatch(landing.html!, /<script|at .*\.js|node_modules/);
    assert.match(landing.headers.get('content-security-policy')!, /default-src 'none'/);
  });

  it('get the errors of OAuth at the token endpoint, also when the body is too long', async () => {
    const post = (body: string) =>
      fetch(`${world.issuer}/oauth/token`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    for (const body of ['', 'grant_type=x', `grant_type=${'x'.repeat(60_000)}`]) {
      const answer = await post(body);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { error: string }).error, 'invalid_request');
    }
  });

  it('get a page when a form to the authorization endpoint cannot be read', async () => {
    const post = (body: string, type = 'application/x-www-form-urlencoded', query = '') =>
      fetch(`${world.issuer}/oauth/authorize${query}`, { method: 'POST', body, headers: { 'content-type': type } });
    const { client_id } = await world.register();
    const form = `client_id=${client_id}`;
    const rows = [
      [await post(''), /client_id/],
      [await post('', undefined, `?${form}`), /client_id/],
      [await post(`${form}&redirect_uri=a&redirect_uri=b`), /redirect_uri/],
      [await post(`request=${'x'.repeat(60_000)}`), /failed to parse the request body/],
      [await post(JSON.stringify({ client_id }), 'application/json'), /only application\/x-www-form-urlencoded/],
    ] as const;
    for (const [answer, expected] of rows) {
      assert.equal(answer.status, 400);
      const html = await answer.text();
      assert.match(html, /This does not work/);
      assert.match(html, expected);
    }
  });

  it('are 404 where there is nothing', async () => {
    for (const path of ['/oauth/userinfo', '/oauth/register', '/oauth/introspect', '/oauth/end/confirm']) {
      assert.equal((await fetch(`${world.issuer}${path}`)).status, 404, path);
    }
  });

  it('have one spelling', () => {
    const { server } = world.nodes[0]!;
    for (const path of ['/oauth/token', '/oauth/authorize', '/oauth/par', '/.well-known/openid-configuration']) {
      assert.ok(server.handles(path), path);
      for (const spelling of otherSpellings(path)) assert.ok(!server.handles(spelling), spelling);
    }
  });
});
