import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { idempotency_keep_ms } from '@tallystick/access';
import {
  backtest_kept_days,
  mailbox_kept_days,
  mails_kept_days_default,
  one_time_links_kept_days,
  unknown_numbers_kept_days_default,
} from '@tallystick/cards';
import { attempt_offsets_ms, deliveries_kept_days_default } from '@tallystick/events';
import { fixedClock } from '@tallystick/kernel';
import { mikroOrmPersistence } from '@tallystick/mikro-orm';
import { scratchDatabase, tableNames, testAuditMac } from '@tallystick/test-support';
import { signDelivery } from '@tallystick/webhook-signature';
import { variable_names } from '../src/configuration/config.ts';

const guide = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/decision-endpoint.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-guide-'));
  after(() => rmSync(folder, { recursive: true }));

  it('shows a receiver that decides signed requests, each once, and refuses all others', async () => {
    const code = /```ts\n(import \{ createHmac.*?)```/s.exec(guide('decision-endpoint.md'))?.[1];
    assert.ok(code !== undefined);
    const path = join(folder, 'receiver.mts');
    writeFileSync(path, code);
    const [url, secret] = ['https://decisions.example.com/', 'a secret of the guide'];
    process.env.DECISION_URL = url;
    process.env.DECISION_SECRET = secret;
    const { server } = (await import(path)) as { readonly server: Server };
    after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async (data: object, key = secret) => {
      const body = JSON.stringify({ data });
      const content = { id: 'dec_1', timestamp: Math.floor(Date.now() / 1_000), url, body };
      const headers = await signDelivery({ current: key, previous: null }, content);
      const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
      return answer.status === 200 ? ((await answer.json()) as object) : answer.status;
    };
    const request = { id: 'dec_1', test: false, amount: 100, authorization: { mcc: '5411' } };
    assert.deepEqual(await ask(request), { decision: 'approve' });
    assert.deepEqual(await ask({ ...request, amount: 90_000 }), { decision: 'approve' });
    assert.deepEqual(await ask({ ...request, id: 'dec_2', amount: 90_000 }), { decision: 'decline' });
    assert.deepEqual(await ask({ ...request, id: 'dec_3', authorization: { mcc: '7995' } }), {
      decision: 'decline',
      note: 'no gambling',
    });
    assert.equal(await ask(request, 'another secret of the guide'), 401);
  });
});

describe('docs/webhooks.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-guide-'));
  after(() => {
    mock.timers.reset();
    rmSync(folder, { recursive: true });
  });

  it('shows code that accepts signed deliveries and refuses all others', async () => {
    const code = /```ts\n(import \{ createHmac.*?)```/s.exec(guide('webhooks.md'))?.[1];
    assert.ok(code !== undefined);
    const path = join(folder, 'verify.mts');
    writeFileSync(path, code);
    const { isFromTallystick } = (await import(path)) as {
      isFromTallystick(headers: Record<string, string>, body: string, url: string, secret: string): boolean;
    };
    // Machine time is frozen, so that timestamps just within five minutes of it stay valid.
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 2, 15, 10) });
    const [url, body, secret] = ['https://example.com/hooks', '{"data":{}}', 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C'];
    const signed = (seconds: number, name = 'x-signature'): Record<string, string> => {
      const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
      const text = `${timestamp}\nPOST\n${url}\n${body}`;
      return { 'x-timestamp': timestamp, [name]: createHmac('sha256', secret).update(text).digest('hex') };
    };
    assert.equal(isFromTallystick(signed(0), body, url, secret), true);
    assert.equal(isFromTallystick(signed(0, 'x-signature-previous'), body, url, secret), true);
    for (const seconds of [-300, 300]) assert.equal(isFromTallystick(signed(seconds), body, url, secret), true);
    const refused: [Record<string, string>, string, string, string][] = [
      [signed(0), `${body} `, url, secret],
      [signed(0), body, `${url}/`, secret],
      [signed(0), body, url, `${secret}!`],
      [signed(-301), body, url, secret],
      [signed(301), body, url, secret],
      [{ ...signed(0), 'x-timestamp': '' }, body, url, secret],
      [{ ...signed(0), 'x-timestamp': 'now' }, body, url, secret],
      [{ ...signed(0), 'x-signature': '' }, body, url, secret],
      [{ ...signed(0), 'x-signature': 'zz' }, body, url, secret],
      [{}, body, url, secret],
    ];
    for (const words of refused) assert.equal(isFromTallystick(...words), false, JSON.stringify(words));
  });

  it('states the retry schedule of the code', () => {
    const rows = [...guide('webhooks.md').matchAll(/^\| (\d) \|(?: (\d+) minutes)? \|$/gm)];
    assert.deepEqual(
      rows.map(([, attempt, minutes]) => [Number(attempt), Number(minutes ?? 0) * 60_000]),
      attempt_offsets_ms.map((offset_ms, index) => [index + 1, offset_ms]),
    );
  });
});

describe('docs/operations-reference.md', () => {
  it('lists every variable that the server reads, and no other', () => {
    const section = guide('operations-reference.md')
      .split('\n## ')
      .find((part) => part.startsWith('Configuration\n'));
    const rows = [...(section ?? '').matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, variable]) => variable);
    assert.deepEqual(rows.toSorted(), [...variable_names].toSorted());
  });

  it('states how long the rows of every table are kept', async (t) => {
    const scratch = await scratchDatabase('sqlite');
    t.after(() => scratch.dispose());
    const persistence = await mikroOrmPersistence({
      audit_mac: testAuditMac,
      ...scratch,
      clock: fixedClock('2026-01-01T00:00:00Z'),
    });
    await persistence.migrate();
    await persistence.close();
    const section = guide('operations-reference.md')
      .split('\n## ')
      .find((part) => part.startsWith('Data retention\n'));
    const rows = [...(section ?? '').matchAll(/^\| [^|]+ \| (`[a-z_`, ]+) \| [^|]+ \|$/gm)];
    const listed = rows.flatMap(([, tables]) => [...(tables ?? '').matchAll(/`([a-z_]+)`/g)].map(([, table]) => table));
    const existing = (await tableNames(scratch)).flatMap((name) => /^tallystick_(.*)/.exec(name)?.[1] ?? []);
    assert.deepEqual(listed.toSorted(), existing.toSorted());
  });

  it('states the retention times of the packages', () => {
    const row = (table: string): string =>
      guide('operations-reference.md').match(new RegExp(`^.*\\| \`${table}\` \\|.*$`, 'm'))![0];
    const days: [string, string][] = [
      ['unknown_number_messages', `${unknown_numbers_kept_days_default} days`],
      ['idempotency_records', `${idempotency_keep_ms / 3_600_000} hours`],
      ['deliveries', `finished: ${deliveries_kept_days_default} days`],
      ['delivery_attempts', `${deliveries_kept_days_default} days`],
      ['mails', `sent: ${mails_kept_days_default} days`],
      ['one_time_links', `${one_time_links_kept_days} days`],
      ['backtests', `${backtest_kept_days} days`],
      ['mailbox_messages', `${mailbox_kept_days} days`],
    ];
    for (const [table, text] of days) assert.ok(row(table).includes(text), `${table}: ${text}`);
  });
});
