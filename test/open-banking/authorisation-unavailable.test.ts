import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Fault } from '@tallystick/kernel';
import * as client from 'openid-client';
import { actionOf, authorisePlain, configure, type Landing, userAgent } from './authorisation-client.ts';
import { newConsent, password, redirect_uri, startWorld, type World } from './authorisation-world.ts';

describe('a transaction that fails for now, at any place of an authorisation', () => {
  let world: World;
  /** How many transactions succeed before one fails; null: none fails. */
  let until_failure: number | null = null;
  before(async () => {
    world = await startWorld({
      beforeTransaction() {
        if (until_failure === null) return;
        until_failure -= 1;
        if (until_failure >= 0) return;
        until_failure = null;
        throw new Fault('the database failed', { retryable: true, cause: null });
      },
    });
  });
  after(() => world.close());

  /** Where failures were answered; an id is a star. */
  const places = new Set<string>();

  /** Asks again when the answer is 503. Null: the library has ended the step, and the user begins again. */
  async function persist(ask: () => Promise<Landing>, get: (url: URL) => Promise<Landing>): Promise<Landing | null> {
    const landing = await ask();
    if (landing.status !== 503) return landing;
    assert.equal(landing.headers.get('retry-after'), '1');
    const place = landing.url.pathname.replace(/[\w-]{20,}/, '*');
    places.add(place);
    if (place === '/oauth/authorize/*') return null;
    return /login|decide/.test(place) ? await ask() : await get(landing.url);
  }

  /** The authorisation as far as it comes: where the browser is sent back to. */
  async function authorise(url: URL): Promise<URL | null> {
    const agent = userAgent(world);
    const login_page = await persist(() => agent.get(url), agent.get);
    if (login_page === null || login_page.html === null) return login_page?.url ?? null;
    const submit = (page: Landing, form: string, fields: readonly (readonly [string, string])[]) =>
      persist(() => agent.submit(page, actionOf(page, form), fields), agent.get);
    const page = await submit(login_page, 'login', [
      ['user_name', 'alice'],
      ['password', password],
    ]);
    const landing = await submit(page!, 'decide', [
      ['account', '1000000001'],
      ['decision', 'approve'],
    ]);
    return landing?.url ?? null;
  }

  it('is answered with 503 and Retry-After, or leads back with temporarily_unavailable', async () => {
    const third_party = await world.register();
    const config = await configure(world, third_party);
    for (let before_failure = 0, is_over = false; !is_over; before_failure += 1) {
      const { url, checks } = await authorisePlain(config, await newConsent(world, third_party));
      until_failure = before_failure;
      const callback = await authorise(url);
      if (callback === null) continue;
      assert.equal(callback.origin + callback.pathname, redirect_uri);
      const error = callback.searchParams.get('error') ?? new URLSearchParams(callback.hash.slice(1)).get('error');
      if (error !== null) {
        assert.equal(error, 'temporarily_unavailable');
        places.add('the third party');
        continue;
      }
      try {
        await client.authorizationCodeGrant(config, callback, checks);
      } catch (refused) {
        const { status, headers } = (refused as Error).cause as Response;
        assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
        places.add('/oauth/token');
      }
      is_over = until_failure !== null;
    }
    until_failure = null;
    assert.deepEqual([...places].sort(), [
      '/authorise/*',
      '/authorise/*/decide',
      '/authorise/*/login',
      '/oauth/authorize',
      '/oauth/authorize/*',
      '/oauth/token',
      'the third party',
    ]);
  });
});
