import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import * as client from 'openid-client';
import { authorisePlain, configure, userAgent } from './authorisation-client.ts';
import { day_ms, newConsent, startWorld, type World } from './authorisation-world.ts';

const refresh_end = 'http://openbanking.org.uk/refresh_token_expires_at';
const minute_ms = 60_000;

describe('what the authorisation server issues', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const find = (token: string) => world.nodes[0]!.server.find(token, null);

  async function authorised(changes: Readonly<Record<string, unknown>> = {}) {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    const consent_id = await newConsent(world, third_party, changes);
    const request = await authorisePlain(config, consent_id);
    const callback = await userAgent(world).approve(request.url, 'alice', ['1000000001', '1000000002']);
    const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
    return { config, consent_id, tokens, refresh_token: tokens.refresh_token! };
  }

  it('ends an access token after 10 minutes of service time', async () => {
    const { tokens } = await authorised();
    assert.equal(tokens.expires_in, 600);
    world.advance(9 * minute_ms);
    assert.notEqual(await find(tokens.access_token), null);
    world.advance(minute_ms + 1_000);
    assert.equal(await find(tokens.access_token), null);
  });

  it('refreshes after 89 days of service time, and not after 91', async () => {
    const { config, refresh_token } = await authorised();
    world.advance(89 * day_ms);
    const refreshed = await client.refreshTokenGrant(config, refresh_token);
    assert.notEqual(await find(refreshed.access_token), null);
    world.advance(2 * day_ms);
    await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token!), { error: 'invalid_grant' });
    assert.equal(await find(refreshed.access_token), null);
  });

  it('does not lengthen the 90 days with a refresh', async () => {
    const { config, refresh_token } = await authorised();
    let latest = refresh_token;
    for (let days = 30; days < 90; days += 30) {
      world.advance(30 * day_ms - minute_ms);
      latest = (await client.refreshTokenGrant(config, latest)).refresh_token!;
    }
    world.advance(29 * day_ms);
    latest = (await client.refreshTokenGrant(config, latest)).refresh_token!;
    world.advance(day_ms + 3 * minute_ms);
    await assert.rejects(client.refreshTokenGrant(config, latest), { error: 'invalid_grant' });
  });

  it('refreshes exactly as long as less than 90 days have passed since the authorisation', async () => {
    const pauses = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });
    const rule = fc.asyncProperty(pauses, async (days) => {
      const { config, refresh_token } = await authorised();
      let latest = refresh_token;
      let passed = 0;
      for (const pause of days) {
        world.advance(pause * day_ms);
        passed += pause;
        const refreshed = await client.refreshTokenGrant(config, latest).catch(() => null);
        assert.equal(refreshed !== null, passed < 90, `after ${passed} days`);
        if (refreshed === null) return;
        latest = refreshed.refresh_token!;
      }
    });
    await fc.assert(rule, propertyParameters({ short: 10, full: 30 }));
  });

  it('ends an access token with the 90 days, when less than 10 minutes are left', async () => {
    const { config, refresh_token } = await authorised();
    world.advance(90 * day_ms - 2 * minute_ms);
    const refreshed = await client.refreshTokenGrant(config, refresh_token);
    assert.ok(refreshed.expires_in! <= 120, `lasts ${refreshed.expires_in} s`);
    world.advance(2 * minute_ms);
    assert.equal(await find(refreshed.access_token), null);
  });

  it('states the end of the refresh token in service time, the same after a refresh', async () => {
    world.advance(10 * day_ms);
    const begun_s = world.nowMs() / 1_000;
    const { config, tokens, refresh_token } = await authorised();
    const ended_s = world.nowMs() / 1_000;
    const end_s = tokens.claims()![refresh_end] as number;
    const authorised_s = end_s - 90 * 86_400;
    assert.ok(begun_s - 1 <= authorised_s && authorised_s <= ended_s + 1, `${begun_s}, ${authorised_s}, ${ended_s}`);
    world.advance(40 * day_ms);
    const refreshed = await client.refreshTokenGrant(config, refresh_token);
    assert.ok(Math.abs((refreshed.claims()![refresh_end] as number) - end_s) <= 2);
  });

  it('ends all that was granted when the consent expires', async () => {
    const expires_at_ms = world.nowMs() + 5 * minute_ms;
    const { config, tokens, refresh_token } = await authorised({ expires_at_ms });
    assert.ok(tokens.expires_in! <= 300, `lasts ${tokens.expires_in} s`);
    world.advance(5 * minute_ms + 1_000);
    assert.equal(await find(tokens.access_token), null);
    await assert.rejects(client.refreshTokenGrant(config, refresh_token), { error: 'invalid_grant' });
  });

  it('answers any number of refreshes with one refresh token, and every access token lasts its time', async () => {
    const { config, tokens, refresh_token } = await authorised();
    const issued = [tokens.access_token];
    for (let refresh = 0; refresh < 5; refresh += 1) {
      world.advance(minute_ms);
      const refreshed = await client.refreshTokenGrant(config, refresh_token);
      assert.equal(refreshed.refresh_token, refresh_token);
      issued.push(refreshed.access_token);
    }
    assert.equal(new Set(issued).size, issued.length);
    for (const token of issued) assert.notEqual(await find(token), null);
  });

  it('accepts a refresh token again whose answer was lost', async () => {
    const { config, refresh_token } = await authorised();
    const delivered = config[client.customFetch];
    config[client.customFetch] = async (url, init) => {
      const answer = await fetch(url, init as RequestInit);
      assert.equal(answer.status, 200, await answer.text());
      throw new Error('the answer was lost');
    };
    await assert.rejects(client.refreshTokenGrant(config, refresh_token));
    config[client.customFetch] = delivered ?? ((url, init) => fetch(url, init as RequestInit));
    const refreshed = await client.refreshTokenGrant(config, refresh_token);
    assert.notEqual(await find(refreshed.access_token), null);
  });

  it('accepts a code once, and a second use ends the grant', async () => {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    const request = await authorisePlain(config, await newConsent(world, third_party));
    const callback = await userAgent(world).approve(request.url, 'alice', ['1000000001']);
    const tokens = await client.authorizationCodeGrant(config, callback, request.checks);
    await assert.rejects(client.authorizationCodeGrant(config, callback, request.checks), { error: 'invalid_grant' });
    assert.equal(await find(tokens.access_token), null);
  });

  it('ends a code after a minute of service time', async () => {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    const request = await authorisePlain(config, await newConsent(world, third_party));
    const callback = await userAgent(world).approve(request.url, 'alice', ['1000000001']);
    world.advance(minute_ms + 1_000);
    await assert.rejects(client.authorizationCodeGrant(config, callback, request.checks), { error: 'invalid_grant' });
  });

  it('ends the tokens that a third party revokes, and only its own', async () => {
    const { config, tokens, refresh_token } = await authorised();
    const other = await configure(world, await world.register());
    await client.tokenRevocation(other, refresh_token);
    assert.notEqual(await find(tokens.access_token), null);
    await client.tokenRevocation(config, refresh_token);
    assert.equal(await find(tokens.access_token), null);
    await assert.rejects(client.refreshTokenGrant(config, refresh_token), { error: 'invalid_grant' });
  });

  it('ends only the access token that is revoked: other workers and the refresh token go on', async () => {
    const { config, tokens, refresh_token } = await authorised();
    const { access_token } = await client.refreshTokenGrant(config, refresh_token);
    await client.tokenRevocation(config, tokens.access_token);
    assert.equal(await find(tokens.access_token), null);
    assert.notEqual(await find(access_token), null);
    await client.refreshTokenGrant(config, refresh_token);
  });

  it('finds nothing for text that is no token', async () => {
    for (const token of ['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}=`, 'A'.repeat(100_000)]) {
      assert.equal(await find(token), null);
    }
  });
});
