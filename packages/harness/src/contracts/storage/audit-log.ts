import { type AuditEntry, type AuditFilter, assert, type RecordedAuditEntry } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { type ContractRule, rule } from '../rule.ts';
import { everyPage, makeCompany, type StorageUnderTest } from './storage.ts';

/** Records entries of a new company at these times. Returns the company and them, as recorded. */
async function recorded({ unitOfWork }: StorageUnderTest, at_ms: readonly number[]) {
  const { id: company_id } = await unitOfWork.run((tx) => makeCompany(tx));
  const entries = at_ms.map((_, place): AuditEntry => {
    const odd = place % 2 === 1;
    return {
      company_id,
      actor: odd ? `key:${company_id}` : `command ${company_id}`,
      action: odd ? `one.made ${company_id}` : `other.deleted ${company_id}`,
      object: `thing:${company_id}:${place % 3}`,
      request_id: odd ? 'r-1' : null,
      source_address: odd ? '203.0.113.7' : null,
      details: { place, nested: { text: 'é', list: [1, null] } },
    };
  });
  for (const [place, entry] of entries.entries()) {
    await unitOfWork.run((tx) => tx.audit.record(entry, at_ms[place]!));
  }
  return { company_id, entries };
}

function listed({ unitOfWork }: StorageUnderTest, filter: AuditFilter, limit = 100) {
  return unitOfWork.read((tx) => everyPage((page) => tx.audit.list(filter, page), limit));
}

function placesOf(entries: readonly RecordedAuditEntry[]): readonly unknown[] {
  return entries.map(({ details }) => details.place);
}

export const audit_log_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule(
    'entries are read as they were recorded, newest first by time and then by id, on pages that omit none',
    async (here) => {
      const { company_id, entries } = await recorded(here, [50, 70, 70, 60, 70, 40]);
      for (const limit of [1, 2, 100]) {
        const all = await listed(here, { company_id }, limit);
        assertEqual(placesOf(all), [4, 2, 1, 3, 0, 5], 'the order');
        const newest = all[0]!;
        assertEqual(newest, { ...entries[4]!, id: newest.id, at_ms: 70 }, 'an entry');
        assert(all[1]!.id < newest.id, 'ids rise in the order in which entries are recorded');
      }
      const page = await here.unitOfWork.read((tx) => tx.audit.list({ company_id }, { limit: 2, offset: 3 }));
      assertEqual(placesOf(page.items), [3, 0], 'with an offset');
    },
  ),
  rule('entries are filtered by company, actor, action, object and time, and by several together', async (here) => {
    const { company_id } = await recorded(here, [10, 20, 30, 40, 50, 60]);
    await recorded(here, [10, 20, 30]);
    const places = async (filter: AuditFilter) => placesOf(await listed(here, filter, 2));
    assertEqual(await places({ company_id }), [5, 4, 3, 2, 1, 0], 'of the company');
    assertEqual(await places({ actor: `key:${company_id}` }), [5, 3, 1], 'of an actor');
    assertEqual(await places({ action: `other.deleted ${company_id}` }), [4, 2, 0], 'of an action');
    assertEqual(await places({ object: `thing:${company_id}:0` }), [3, 0], 'on an object');
    assertEqual(await places({ actor: `key:${company_id}`, object: `thing:${company_id}:0` }), [3], 'of both');
    assertEqual(await places({ company_id, at: { from_ms: 20, to_ms: 40 } }), [3, 2, 1], 'in a time');
    assertEqual(await places({ company_id, at: { from_ms: 50 } }), [5, 4], 'from a time on');
    assertEqual(await places({ company_id, at: { to_ms: 10 } }), [0], 'up to a time');
    assertEqual(await places({ actor: 'key' }), [], 'an unknown actor');
  }),
  rule(
    'an entry is recorded with the transaction, or not at all; one without a company is found without it',
    async (here) => {
      const { id } = await here.unitOfWork.run((tx) => makeCompany(tx));
      const entry = {
        company_id: null,
        actor: `job ${id}`,
        action: 'done',
        object: 'o',
        request_id: null,
        source_address: null,
        details: {},
      };
      const lost = here.unitOfWork.run(async (tx) => {
        await tx.audit.record(entry, 5);
        throw new Error('rolled back');
      });
      await lost.catch(() => undefined);
      assertEqual(await listed(here, { actor: `job ${id}` }), [], 'after a rollback');
      await here.unitOfWork.run((tx) => tx.audit.record(entry, 6));
      const [found] = await listed(here, { actor: `job ${id}` });
      assertEqual(found, { ...entry, id: found?.id ?? 0, at_ms: 6 }, 'after a commit');
    },
  ),
  rule('text that is not a cursor of this list is refused', async (here) => {
    await recorded(here, [1, 2, 3]);
    const of_companies = await here.unitOfWork.run(async (tx) => {
      await makeCompany(tx);
      return (await tx.companies.list({ limit: 1 })).next;
    });
    assert(of_companies !== null, 'the list of companies has another page');
    for (const after of ['x', '', of_companies]) {
      const page = here.unitOfWork.read((tx) => tx.audit.list({}, { limit: 1, after }));
      assertEqual((await refusalOf(page, after)).code, 'invalid_query', after);
    }
  }),
];
