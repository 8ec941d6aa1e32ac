import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createMailCourier } from '@tallystick/cards';
import { memoryMailer } from '@tallystick/memory';
import { type DatabaseName, database_names, readRows } from '@tallystick/test-support';
import { type Service, start, startService } from './service.ts';

const path = '/operator/v1/mails';

/**
 * Starts a service. `sendDue` sends the due mails and returns how many were attempted. A mail to a
 * refused recipient fails permanently.
 */
async function withMails(t: TestContext, database: DatabaseName) {
  const service = await startService(t, database);
  const { persistence, vault } = service;
  const sent_to: string[] = [];
  const sendDue = async (refused: readonly string[]) => {
    const clock = { nowMs: () => Date.parse(start) };
    const mailer = memoryMailer({
      answer({ to }) {
        if (refused.includes(to)) return { kind: 'not_taken', error: 'refused 550', for_good: true };
        sent_to.push(to);
        return { kind: 'taken' };
      },
    });
    const ports = { ...vault, vault: vault.card_vault, unitOfWork: persistence.unitOfWork, mailer };
    const linkOf = (token: string) => `https://cards.example/card-details/${token}`;
    let count = 0;
    const ended = () => {
      count += 1;
    };
    await createMailCourier({ ...ports, clock, machine_clock: clock, linkOf, ended }).settled();
    return count;
  };
  const issue = async (...emails: string[]): Promise<string> => {
    const body = { data: { total_card_amount: 5000, emails } };
    return (await service.send('POST', '/v1/virtualcards', { body })).json.data.id;
  };
  return { service, sent_to, sendDue, issue };
}

const operator = ({ send }: Service, method: string, target: string) => send(method, target, { key: 'operator' });

for (const database of database_names) {
  describe(`an operator, over ${database}`, () => {
    it('reads the state of each mail, and no address', async (t) => {
      const { service, sendDue, issue } = await withMails(t, database);
      const vcn_id = Number(await issue('ann@example.com', 'Jürgen@example.org', '𝒷@example.net'));
      await sendDue(['ann@example.com']);
      await issue('late@example.com');
      const { data } = (await operator(service, 'GET', path)).json;
      assert.deepEqual(
        data.map(({ recipient, state, error }: Record<string, unknown>) => [recipient, state, error]),
        [
          ['l***@example.com', 'pending', null],
          ['𝒷***@example.net', 'sent', null],
          ['J***@example.org', 'sent', null],
          ['a***@example.com', 'failed', 'refused 550'],
        ],
      );
      const at = '2030-03-15T10:00:00.000Z';
      const failed = {
        id: '1',
        company_id: service.company_id,
        vcn_id,
        recipient: 'a***@example.com',
        state: 'failed',
        attempts: 1,
        error: 'refused 550',
        created_at: at,
        next_attempt_at: null,
        queued_by: 'key:sandbox:client',
        finished_at: at,
        type: 'mail',
        url: `${path}/1`,
      };
      assert.deepEqual(data[3], failed);
      assert.deepEqual((await operator(service, 'GET', failed.url)).json.data, failed);
      assert.equal(data[0].next_attempt_at, at);
      assert.ok(!service.log().includes('@example'));
    });

    it('lists mails by state and company, page by page', async (t) => {
      const { service, sendDue, issue } = await withMails(t, database);
      await issue('a@example.com', 'b@example.com', 'c@example.com', 'd@example.com');
      await sendDue(['a@example.com', 'b@example.com', 'd@example.com']);
      const seen: string[] = [];
      let next: string | null = `${path}?filter[state]=failed&filter[company_id]=${service.company_id}&page[limit]=2`;
      while (next !== null) {
        const { data, links }: { data: { id: string }[]; links: { next: string | null } } = (
          await operator(service, 'GET', next)
        ).json;
        assert.ok(data.length <= 2);
        seen.push(...data.map(({ id }) => id));
        next = links.next;
      }
      assert.deepEqual(seen, ['4', '2', '1']);
      const ids = async (query: string) =>
        (await operator(service, 'GET', `${path}?${query}`)).json.data.map(({ id }: { id: string }) => id);
      assert.deepEqual(await ids('filter[state]=sent'), ['3']);
      assert.deepEqual(await ids('filter[state]=pending'), []);
      assert.deepEqual(await ids('filter[company_id]=77'), []);
      const minimal = await service.send('GET', `${path}?filter[state]=sent`, {
        key: 'operator',
        headers: { Prefer: 'return-minimal' },
      });
      assert.deepEqual(minimal.json.data, [{ id: '3', type: 'mail', url: `${path}/3` }]);
      for (const query of ['filter[state]=lost', 'filter[company_id]=x', 'filter[recipient]=a@example.com']) {
        assert.equal((await operator(service, 'GET', `${path}?${query}`)).status, 400, query);
      }
    });

    it('sends a failed mail again, from the start, with an entry in the audit log', async (t) => {
      const { service, sent_to, sendDue, issue } = await withMails(t, database);
      await issue('ann@example.com');
      await sendDue(['ann@example.com']);
      const retried = (await operator(service, 'POST', `${path}/1/retry`)).json.data;
      assert.deepEqual(
        [retried.state, retried.attempts, retried.error, retried.finished_at],
        ['pending', 0, null, null],
      );
      assert.equal(retried.next_attempt_at, '2030-03-15T10:00:00.000Z');
      assert.equal(await sendDue([]), 1);
      assert.deepEqual(sent_to, ['ann@example.com']);
      assert.equal((await operator(service, 'GET', `${path}/1`)).json.data.state, 'sent');
      const entries = await readRows<object>(
        service.database,
        "select actor, object, company_id from tallystick_audit_entries where action = 'mail.retried'",
      );
      assert.deepEqual(
        entries.map((entry) => ({ ...entry })),
        [{ actor: 'key:sandbox:operator', object: 'mail:1', company_id: service.company_id }],
      );
    });

    it('cannot retry a mail that is sent, in transit, or about a Canceled card', async (t) => {
      const { service, sendDue, issue } = await withMails(t, database);
      const id = await issue('sent@example.com', 'canceled@example.com');
      await sendDue(['canceled@example.com']);
      await issue('pending@example.com');
      const refusal = async (mail_id: number) => {
        const { status, json } = await operator(service, 'POST', `${path}/${mail_id}/retry`);
        return `${status} ${json.error}`;
      };
      assert.equal((await service.send('DELETE', `/v1/virtualcards/${id}`)).status, 204);
      assert.equal(await refusal(1), '400 mail 1 is sent: only one that failed can be sent again');
      assert.equal(await refusal(2), `400 virtual card ${id} is Canceled and cannot be mailed`);
      assert.equal(await refusal(3), '400 mail 3 is pending: only one that failed can be sent again');
      assert.equal(await refusal(4), '404 there is no mail 4');
      assert.equal((await operator(service, 'GET', `${path}/4`)).status, 404);
    });

    it('is the only role with these permissions', async (t) => {
      const { service, issue } = await withMails(t, database);
      await issue('ann@example.com');
      for (const key of ['client', 'network', 'bank'] as const) {
        for (const [method, target] of [
          ['GET', path],
          ['GET', `${path}/1`],
          ['POST', `${path}/1/retry`],
        ] as const) {
          assert.equal((await service.send(method, target, { key })).status, 403, `${key} ${method} ${target}`);
        }
      }
    });
  });
}
