import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';
import { chromium_expected } from '@tallystick/test-support';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { authorisePlain, configure } from '../open-banking/authorisation-client.ts';
import {
  day_ms,
  newConsent,
  password,
  redirect_uri,
  startWorld,
  type World,
} from '../open-banking/authorisation-world.ts';
import { tabTo } from './keyboard.ts';
import { assertReadable, launchChromium } from './readable-page.ts';

/** A phone, without scripts, under the policy of the pages. */
const plain_phone: BrowserContextOptions = { javaScriptEnabled: false, viewport: { width: 360, height: 740 } };

describe('the pages of the bank’s users in Chromium', { skip: !chromium_expected }, () => {
  let browser: Browser;
  let world: World;
  before(async () => {
    world = await startWorld();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  async function newPage(t: TestContext, options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    t.after(() => context.close());
    return await context.newPage();
  }

  async function newRequest(name?: string) {
    const third_party = await world.register(name === undefined ? {} : { name });
    const consent_id = await newConsent(world, third_party);
    const config = await configure(world, third_party);
    const { url } = await authorisePlain(config, consent_id);
    return { url: url.href, consent_id, third_party };
  }

  /** Where the third party gets its answer. Nothing listens there. */
  async function answerTo(page: Page, act: () => Promise<void>): Promise<URL> {
    const sent = page.waitForRequest((request) => request.url().startsWith(redirect_uri));
    await act();
    return new URL((await sent).url());
  }

  const statusOf = (consent_id: string) =>
    world.unitOfWork.read(async (tx) => (await tx.consents.find(consent_id))?.status);

  async function logIn(page: Page, user_name: string): Promise<void> {
    await page.getByLabel('User name').fill(user_name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  it('a user logs in and approves on a phone, without scripts', async (t) => {
    const page = await newPage(t, plain_phone);
    const { url, consent_id } = await newRequest();
    await page.goto(url);
    await logIn(page, 'alice');
    await page.getByLabel('Current account').check();
    const answer = await answerTo(page, () =>
      page.getByRole('button', { name: 'Allow access' }).click({ noWaitAfter: true }),
    );
    assert.notEqual(answer.searchParams.get('code'), null);
    assert.equal(await statusOf(consent_id), 'Authorised');
  });

  it('a user who mistyped the password types only the password again', async (t) => {
    const page = await newPage(t, plain_phone);
    const { url } = await newRequest();
    for (const address of [url, `${world.issuer}/consents`]) {
      await page.goto(address);
      await page.getByLabel('User name').fill('alice');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('alert').waitFor();
      assert.equal(await page.getByLabel('User name').inputValue(), 'alice');
      assert.equal(await page.getByLabel('Password').inputValue(), '');
      await tabTo(page, page.getByRole('textbox', { name: 'Password' }));
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /^(Allow|Who has access)/ }).waitFor();
    }
  });

  it('a user refuses', async (t) => {
    const page = await newPage(t, plain_phone);
    const { url, consent_id } = await newRequest();
    await page.goto(url);
    await logIn(page, 'alice');
    const answer = await answerTo(page, () =>
      page.getByRole('button', { name: 'Refuse' }).click({ noWaitAfter: true }),
    );
    assert.equal(answer.searchParams.get('error'), 'access_denied');
    assert.equal(await statusOf(consent_id), 'Rejected');
  });

  it('a user who cannot decide reads why, and goes back', async (t) => {
    const page = await newPage(t, plain_phone);
    const { url, consent_id, third_party } = await newRequest();
    await page.goto(url);
    await logIn(page, 'frozen');
    await page.getByText('You or your company cannot use this service').waitFor();
    const back = page.getByRole('button', { name: `Back to ${third_party.name}` });
    const answer = await answerTo(page, () => back.click({ noWaitAfter: true }));
    assert.equal(answer.searchParams.get('error'), 'access_denied');
    assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
  });

  it('a user goes back without a log-in, or without a decision', async (t) => {
    const { url, consent_id, third_party } = await newRequest();
    for (const is_logged_in of [false, true]) {
      const page = await newPage(t, plain_phone);
      await page.goto(url);
      if (is_logged_in) await logIn(page, 'alice');
      const back = page.getByRole('button', { name: `Back to ${third_party.name}` });
      const answer = await answerTo(page, () => back.click({ noWaitAfter: true }));
      assert.equal(answer.searchParams.get('error'), 'access_denied');
    }
    assert.equal(await statusOf(consent_id), 'AwaitingAuthorisation');
  });

  it('a third party sends its request from a form of its own site', async (t) => {
    const { url } = await newRequest();
    const { origin, pathname, searchParams } = new URL(url);
    const fields = [...searchParams].map(([name, value]) => {
      return `<input type="hidden" name="${name}" value="${value.replaceAll('"', '&quot;')}">`;
    });
    const form = `<form method="post" action="${origin}${pathname}">${fields.join('')}<button>Go to the bank</button></form>`;
    const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(form));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    t.after(() => site.close());
    const page = await newPage(t, plain_phone);
    // The bank is at 127.0.0.1, which is another site.
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
    await page.getByRole('button', { name: 'Go to the bank' }).click();
    await logIn(page, 'alice');
    await page.getByLabel('Current account').check();
    const answer = await answerTo(page, () =>
      page.getByRole('button', { name: 'Allow access' }).click({ noWaitAfter: true }),
    );
    assert.notEqual(answer.searchParams.get('code'), null);
  });

  it('all of it works with the keyboard only', async (t) => {
    const page = await newPage(t, plain_phone);
    const { url, consent_id } = await newRequest();
    await page.goto(url);
    await tabTo(page, page.getByRole('textbox', { name: 'User name' }));
    await page.keyboard.type('alice');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Allow/ }).waitFor();
    await tabTo(page, page.getByRole('checkbox', { name: /Savings/ }));
    await page.keyboard.press('Space');
    await tabTo(page, page.getByRole('button', { name: 'Allow access' }));
    await answerTo(page, () => page.keyboard.press('Enter'));
    const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.deepEqual(consent?.account_numbers, ['1000000002']);
  });

  it('a user sees the consents, and withdraws one after a question', async (t) => {
    const page = await newPage(t, plain_phone);
    const { url, consent_id, third_party } = await newRequest();
    await page.goto(url);
    await logIn(page, 'bob');
    await page.getByLabel('Current account').check();
    await answerTo(page, () => page.getByRole('button', { name: 'Allow access' }).click({ noWaitAfter: true }));

    const list = await page.context().newPage();
    await list.goto(`${world.issuer}/consents`);
    await logIn(list, 'bob');
    await list.getByRole('link', { name: `Withdraw access of ${third_party.name}` }).click();
    await list.getByText('The access ends at once').waitFor();
    await list.getByRole('button', { name: 'Withdraw access' }).click();
    await list.getByRole('status').waitFor();
    await list.getByText('Nobody has access').waitFor();
    const ended = list.getByRole('listitem').filter({ hasText: third_party.name });
    await ended.getByText(/^Withdrawn on/).waitFor();
    assert.equal(await list.getByRole('link', { name: /^Withdraw/ }).count(), 0);
    const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.notEqual(consent?.withdrawn_at_ms, null);
  });

  it('a user who confirms again reads that a refusal keeps the access, and withdraws it, with the keyboard only', async (t) => {
    const { url, consent_id, third_party } = await newRequest();
    const approving = await newPage(t, plain_phone);
    await approving.goto(url);
    await logIn(approving, 'alice');
    await approving.getByLabel('Current account').check();
    await answerTo(approving, () => approving.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true }));
    for (const decision of ['Refuse', 'Withdraw access now']) {
      const page = await newPage(t, plain_phone);
      await page.goto(url);
      await logIn(page, 'alice');
      await page.getByText(`If you refuse, the access that ${third_party.name} has goes on`).waitFor();
      await tabTo(page, page.getByRole('button', { name: decision }));
      const answer = await answerTo(page, () => page.keyboard.press('Enter'));
      assert.equal(answer.searchParams.get('error'), 'access_denied');
      const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
      assert.equal(consent?.withdrawn_at_ms === null, decision === 'Refuse', decision);
    }
  });

  it('a user who refuses on an older page reads that the access goes on, and withdraws it', async (t) => {
    const { url, consent_id } = await newRequest();
    const older = await newPage(t, { bypassCSP: true });
    await older.goto(url);
    await logIn(older, 'alice');
    const newer = await older.context().newPage();
    await newer.goto(url);
    await logIn(newer, 'alice');
    await newer.getByLabel('Current account').check();
    await answerTo(newer, () => newer.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true }));
    await older.getByRole('button', { name: 'Refuse' }).click();
    await older.getByRole('alert').filter({ hasText: 'It goes on' }).waitFor();
    await assertReadable(older);
    const withdraw = older.getByRole('button', { name: 'Withdraw access now' });
    const answer = await answerTo(older, () => withdraw.click({ noWaitAfter: true }));
    assert.equal(answer.searchParams.get('error'), 'access_denied');
    const consent = await world.unitOfWork.read((tx) => tx.consents.find(consent_id));
    assert.notEqual(consent?.withdrawn_at_ms, null);
  });

  it('every page is readable on a phone and a laptop, light and dark, and has no accessibility problem', async (t) => {
    // The policy of the pages allows no script, and axe-core is one.
    const page = await newPage(t, { bypassCSP: true });
    const { url } = await newRequest(`A third party with a name that is ${'long'.repeat(40)}`);
    await page.goto(url);
    await assertReadable(page);
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    await assertReadable(page);
    await logIn(page, 'alice');
    await assertReadable(page);
    await page.getByRole('button', { name: 'Allow access' }).click();
    await page.getByRole('alert').waitFor();
    await assertReadable(page);
    await page.getByLabel('Charge card').check();
    await answerTo(page, () => page.getByRole('button', { name: 'Allow access' }).click({ noWaitAfter: true }));

    // The first page is at an address of the third party, where nothing listens.
    const later = await page.context().newPage();
    await later.goto(url);
    await logIn(later, 'alice');
    await later.getByRole('heading', { name: /^Confirm access/ }).waitFor();
    await assertReadable(later);

    const at_ms = world.nowMs();
    for (const ended of [
      { authorised_at_ms: at_ms - 95 * day_ms },
      { withdrawn_at_ms: at_ms },
      { stopped_at_ms: at_ms },
      { tokens_revoked_at_ms: at_ms },
      { deleted_at_ms: at_ms },
      { expires_at_ms: at_ms },
    ]) {
      const third_party = await world.register({ name: `An app with a name that is ${'long'.repeat(40)}` });
      const given = { status: 'Authorised', user_id: 'alice', company_id: 1, authorised_at_ms: at_ms } as const;
      await newConsent(world, third_party, { ...given, account_numbers: ['1000000001'], ...ended });
    }
    await later.goto(`${world.issuer}/consents`);
    await logIn(later, 'alice');
    await later.getByText('because it was not confirmed again within 90 days').waitFor();
    await assertReadable(later);
    await later.getByRole('link', { name: /Withdraw access of A third party/ }).click();
    await assertReadable(later);

    await later.goto(url);
    await logIn(later, 'bob');
    await later.getByText('Another user allowed this access').waitFor();
    await assertReadable(later);

    await later.goto(`${world.issuer}/authorise/none`);
    await assertReadable(later);
    await later.goto(`${world.issuer}/oauth/authorize`);
    await assertReadable(later);
  });

  it('the pages run no script and load nothing', async (t) => {
    const page = await newPage(t, {});
    const requested: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => problems.push(message.text()));
    const { url } = await newRequest('<script>alert(1)</script><img src=x onerror=alert(1)>');
    await page.goto(url);
    await logIn(page, 'alice');
    await page.getByRole('heading', { name: 'Allow <script>' }).waitFor();
    assert.deepEqual(problems, []);
    const elsewhere = requested.filter((address) => !/\/(oauth\/authorize|authorise)[/?]/.test(address));
    assert.deepEqual(
      elsewhere.filter((address) => !address.endsWith('/favicon.ico')),
      [],
    );
    assert.notEqual(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth'), 'none');
  });
});
