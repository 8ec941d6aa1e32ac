import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  database_names,
  migratedDatabase,
  PageBrowser,
  readRows,
  type ScratchDatabase,
  type ServerProcess,
  startServer,
} from '@tallystick/test-support';

const company = '/console/companies/1';
const card = { rcn_id: '1', total_card_amount: '500.00', recurring: 'Continuous' };

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

for (const name of database_names) {
  const processes = name === 'postgres' ? 2 : 1;
  describe(`a form that is sent again, ${processes} server process${processes === 1 ? '' : 'es'}, ${name}`, () => {
    let database: ScratchDatabase;
    const servers: ServerProcess[] = [];
    let browser: PageBrowser;
    before(async () => {
      database = await migratedDatabase(name);
      const { database_url } = database;
      for (let at = 0; at < processes; at += 1) servers.push(await startServer({ database_url }));
      browser = new PageBrowser(servers[0]!.url);
      await browser.post('/console/log-in/sandbox', { role: 'admin', back: '/account' });
    });
    after(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database?.dispose();
    });

    /** Opens a page, and returns what sends its form; each time to the next process. */
    async function formOf(page: string, path: string, fields: Readonly<Record<string, string>>) {
      await browser.get(page);
      const form_token = browser.token;
      let sent = 0;
      return async (changed: Readonly<Record<string, string>> = {}): Promise<Answer> => {
        const { url } = servers[sent++ % processes]!;
        const body = new URLSearchParams({ form_token, ...fields, ...changed });
        const headers = { cookie: browser.cookie_header, 'sec-fetch-site': 'same-origin' };
        const reply = await fetch(url + path, { method: 'POST', body, headers, redirect: 'manual' });
        return { status: reply.status, location: reply.headers.get('location'), text: await reply.text() };
      };
    }

    const newCard = () => formOf(`${company}/cards/new`, `${company}/cards`, card);

    async function countOf(table: string): Promise<number> {
      const [row] = await readRows<{ many: number }>(database, `select count(*) as many from tallystick_${table}`);
      return Number(row?.many);
    }

    it('makes one card of twenty that arrive at the same time, and leads each to it', async () => {
      const before_all = await countOf('virtual_cards');
      const send = await newCard();
      const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
      assert.equal(new Set(answers.map(({ location }) => location)).size, 1);
      assert.equal(await countOf('virtual_cards'), before_all + 1);
    });

    it('makes another card for other fields, and for a page that is opened again', async () => {
      const before_all = await countOf('virtual_cards');
      const send = await newCard();
      await send();
      await send({ total_card_amount: '600.00' });
      await (await newCard())();
      assert.equal(await countOf('virtual_cards'), before_all + 3);
    });

    it('can be corrected after a refusal, on the page that shows it, or on the one before', async () => {
      const before_all = await countOf('virtual_cards');
      const send = await newCard();
      assert.equal((await send({ transactions_max: 'x' })).status, 422);
      await browser.post(`${company}/cards`, { ...card, total_card_amount: '0.00' });
      assert.equal(browser.page.status, 422, browser.page.text);
      await browser.post(`${company}/cards`, card);
      assert.match(browser.page.path, /\/cards\/\d+$/);
      assert.equal((await send()).status, 303);
      assert.equal(await countOf('virtual_cards'), before_all + 2);
    });

    it('buys once, also where a repeat arrives before the answer', async () => {
      const before_all = await countOf('authorizations');
      const { location } = await (await newCard())();
      const id = /\d+$/.exec(location ?? '')![0];
      const send = await formOf(`${company}/sandbox`, `${company}/sandbox`, { do: 'buy', card: id, amount: '1.00' });
      const codeOf = ({ text }: Answer) => /approval code (\w+)/.exec(text)?.[1];
      const answers = await Promise.all(Array.from({ length: 10 }, () => send()));
      for (const { status, text } of answers.filter((answer) => codeOf(answer) === undefined)) {
        assert.equal(status, 409);
        assert.match(text, /this form was sent twice/);
      }
      const codes = new Set([...answers, await send()].flatMap((answer) => codeOf(answer) ?? []));
      assert.equal(codes.size, 1);
      assert.equal(await countOf('authorizations'), before_all + 1);
    });

    it('shows the same secret again, of which nothing is stored in plain', async () => {
      for (const [path, table, fields, shown] of [
        ['/console/keys', 'api_keys', { name: 'till', role: 'operator' }, /<code>(tly_[\w-]+)</],
        [`${company}/portal-link`, 'portal_links', { expires_in_s: '300' }, /portal#([\w-]+)</],
      ] as const) {
        const before_all = await countOf(table);
        const send = await formOf(path, path, fields);
        const secrets = [await send(), await send()].map(({ text }) => shown.exec(text)?.[1]);
        assert.ok(secrets[0] !== undefined && secrets[0] === secrets[1]);
        assert.equal(await countOf(table), before_all + 1);
        const kept = await readRows<{ answer_sealed: Uint8Array }>(
          database,
          'select answer_sealed from tallystick_idempotency_records',
        );
        assert.ok(kept.every(({ answer_sealed }) => !Buffer.from(answer_sealed).includes(secrets[0]!)));
      }
    });
  });
}
