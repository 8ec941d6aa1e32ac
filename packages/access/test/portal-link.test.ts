import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPortalLink, endPortalVisit, findPortalVisit, isPortalLinkOpen, openPortalLink } from '../src/index.ts';
import { AccessStorage, random, sha256 } from './access-storage.ts';

const noon_ms = Date.UTC(2030, 0, 1, 12);
const minute_ms = 60_000;
const ports = { random, sha256 };
const asked_by = { request_id: 'r', source_address: '192.0.2.1' };

/** A link of a company, made at noon of the service and opened at time 0 of the machine. */
async function withLink(read_only = false, expires_in_s = 300) {
  const storage = new AccessStorage();
  const { id: company_id } = await storage.run(({ companies }) =>
    companies.insert({
      name: 'A',
      customer_number: 'A',
      full_details_in_mail: false,
      hold_days: null,
      status: 'active',
      rate_limit_per_minute: null,
      four_eyes: null,
      endpoint_version: 0,
      created_at_ms: noon_ms,
    }),
  );
  const call = { ...asked_by, company_id, actor: 'person:anna', now_ms: noon_ms };
  const { link, token } = await storage.run((tx) => createPortalLink(tx, ports, call, { read_only, expires_in_s }));
  const isOpen = (now_ms: number, with_token = token) =>
    storage.read((tx) => isPortalLinkOpen(tx, ports, with_token, now_ms));
  const open = (now_ms: number, with_token = token) =>
    storage.run((tx) => openPortalLink(tx, ports, { ...asked_by, token: with_token, now_ms, machine_ms: 0 }));
  const find = (session_token: string, machine_ms: number) =>
    storage.read((tx) => findPortalVisit(tx, ports, session_token, machine_ms));
  return { storage, company_id, link, token, isOpen, open, find };
}

describe('a portal link', () => {
  it('begins one visit of its company, which the audit log names', async () => {
    const { storage, company_id, link, isOpen, open, find } = await withLink(true);
    assert.ok(await isOpen(noon_ms + 299_999));
    const { token } = (await open(noon_ms + 299_999))!;
    const visit = (await find(token, 1))!;
    const grants = [{ role: 'portal_reader', company_id }];
    assert.deepEqual(visit.visitor, { actor: `portal:${link.id}`, grants });
    assert.equal(await open(noon_ms + 299_999), null, 'used');
    assert.ok(!(await isOpen(noon_ms)));
    await storage.run((tx) => endPortalVisit(tx, visit, { ...asked_by, now_ms: noon_ms }));
    assert.equal(await find(token, 1), null, 'ended');
    assert.deepEqual(
      storage.tables.audit.values().map((entry) => [entry.actor, entry.action, entry.company_id, entry.details]),
      [
        ['person:anna', 'portal_link.created', company_id, { read_only: true }],
        [`portal:${link.id}`, 'portal_link.opened', company_id, {}],
        [`portal:${link.id}`, 'portal_link.ended', company_id, {}],
      ],
    );
  });

  it('opens nothing when it expired, is another or no token', async () => {
    const { token, isOpen, open, find } = await withLink(false, 60);
    assert.equal(await open(noon_ms + 60_000), null);
    for (const other of ['', 'x', `${token}A`, 'A'.repeat(43)]) {
      assert.equal(await open(noon_ms, other), null);
      assert.equal(await isOpen(noon_ms, other), false);
      assert.equal(await find(other, 0), null);
    }
    const begun = (await open(noon_ms))!;
    assert.equal(await find(token, 0), null, 'the token of the link is not that of the visit');
    assert.equal((await find(begun.token, 0))?.visitor.grants[0]?.role, 'portal');
  });

  it('ends its visit after an hour however much it is used, and after 30 minutes without use', async () => {
    const { storage, open, find } = await withLink();
    const { token, session } = (await open(noon_ms))!;
    assert.notEqual(await find(token, 30 * minute_ms - 1), null);
    assert.equal(await find(token, 30 * minute_ms), null);
    for (const minutes of [20, 40, 59]) {
      await storage.run((tx) => tx.console_sessions.touch(session.id, minutes * minute_ms));
    }
    assert.notEqual(await find(token, 60 * minute_ms - 1), null);
    assert.equal(await find(token, 60 * minute_ms), null);
  });

  it('leaves no secret in the storage', async () => {
    const { storage, token, open } = await withLink();
    const begun = (await open(noon_ms))!;
    const { portal_links, console_sessions, audit } = storage.tables;
    const stored = JSON.stringify([portal_links, console_sessions, audit].map((table) => table.values()));
    for (const secret of [token, begun.token]) assert.ok(!stored.includes(secret));
  });
});
