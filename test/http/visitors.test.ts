import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Grant, person_roles, type Visitor, type VisitorRole } from '@tallystick/access';
import { Refusal, Violation } from '@tallystick/kernel';
import type { HttpAppPorts } from '@tallystick/koa';
import type { Calls, Operation, Parameter, VisitorCall } from '@tallystick/operations';
import { propertyParameters, repeatableRandom } from '@tallystick/test-support';
import fc from 'fast-check';
import { authorization, type Service, startService } from './service.ts';
import { callsOf, usefulCall } from './useful-calls.ts';

const roles: readonly VisitorRole[] = [...person_roles, 'portal', 'portal_reader'];

/** Every operation that changes something, by the roles that may call it. */
const changes: Readonly<Record<string, string>> = {
  'support, risk, admin': `virtualCards.update virtualCards.freeze virtualCards.unfreeze
    backtests.create backtests.delete`,
  'support, admin': `virtualCards.create virtualCards.cancel virtualCards.email virtualCards.authorizations.release
    purchaseTemplates.request operator.templates.complete operator.mails.retry portalLinks.create`,
  'finance, admin': `reconciliation.items.match reconciliation.items.unmatch reconciliation.items.ignore
    reconciliation.items.accept reconciliation.items.confirm reconciliation.items.reopen
    reconciliation.items.comment reconciliation.items.assign reconciliation.decisions.create
    reconciliation.approvals.approve reconciliation.approvals.refuse reconciliation.approvals.withdraw
    reconciliation.periods.close reconciliation.periods.reopen reconciliation.tolerances.update
    operator.imports.create operator.imports.preview operator.imports.replay operator.imports.release
    operator.quarantine.replay bank.accounts.create`,
  'admin, portal': `webhooks.create webhooks.update webhooks.delete webhooks.test webhooks.rotateSecret
    webhooks.deliveries.retry webhooks.deliveries.recover`,
  admin: `decisionEndpoint.put decisionEndpoint.update decisionEndpoint.delete decisionEndpoint.rotateSecret
    decisionEndpoint.test operator.virtualCards.codeFailures.reset operator.companies.create operator.companies.update
    operator.realCards.create operator.keys.create operator.keys.update operator.keys.revoke
    operator.people.create operator.people.update operator.people.setPassword operator.people.resetTotp
    operator.people.endSessions operator.thirdParties.create operator.thirdParties.update
    operator.thirdParties.suspend operator.thirdParties.activate
    bank.accounts.profile.put bank.accounts.balance.put bank.users.put bank.records.report
    bank.companies.openBanking.put bank.consents.withdraw sandbox.consents.create sandbox.consents.decide`,
  'support, risk, finance, admin': `sandbox.purchases.create sandbox.authorizations.clear
    sandbox.authorizations.reverse sandbox.authorizations.refund sandbox.clock.move`,
  '': 'network.authorizations.decide network.clearings.record operator.events.record',
};

/** Of those that only read, the ones that not every person may call. */
const reads: Readonly<Record<string, string>> = {
  'support, admin': 'sandbox.mailbox.list sandbox.mailbox.read',
  'viewer, support, risk, finance, admin, portal, portal_reader': `events.list events.read events.types.list
    webhooks.list webhooks.read webhooks.states.list webhooks.deliveries.list webhooks.deliveries.read`,
};

const people = person_roles.join(', ');
const listed = new Map(
  [changes, reads].flatMap((table) =>
    Object.entries(table).flatMap(([by, ids]) => ids.split(/\s+/).map((id) => [id, by] as const)),
  ),
);

/** A text of the other company. */
const marked = (name: string) => `ZEBRA.${name}`;

let service: Service;
let calls: Calls;
let operations: readonly Operation[];
/** Those that only read, so far. */
let transactions = 0;
const cleanups: (() => unknown)[] = [];

before(async () => {
  let ports: HttpAppPorts | undefined;
  const after_all = { after: (cleanup: () => unknown) => void cleanups.push(cleanup) };
  service = await startService(after_all, 'sqlite', (given) => {
    const { run, read } = given.unitOfWork;
    const unitOfWork: HttpAppPorts['unitOfWork'] = {
      run,
      read(work) {
        transactions += 1;
        return read(work);
      },
    };
    ports = { ...given, unitOfWork, random: repeatableRandom(1) };
    return ports;
  });
  calls = callsOf(ports!);
  // Posts to a receiver.
  operations = [...calls.operations.values()].filter(({ id }) => !/^(webhooks|decisionEndpoint)\.test$/.test(id));
  await fill();
});
after(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

/** Things of two companies, with ids from 1 to 9: the texts of the second company are marked. */
async function fill(): Promise<void> {
  const operator = { role: 'operator', actor: 'job:fill' } as const;
  const make = async (id: string, call: object = {}) => (await calls.call(id, { ...operator, ...call })) as Made;
  await make('operator.companies.create', { data: { name: marked('company'), customer_number: 'C-2' } });
  await make('operator.realCards.create', {
    data: { company_id: 2, alias: marked('alias'), billing_currency: 'USD', account_range: '54545455' },
  });
  for (const company_id of [1, 2]) {
    const named = company_id === 1 ? (name: string) => name : marked;
    const client = { role: 'client', company_id, actor: `job:${named('fill')}` } as const;
    for (let at = 0; at < 2; at += 1) {
      const { card_number } = await make('virtualCards.create', {
        ...client,
        data: { total_card_amount: 10_000, metadata: { trip: named('trip') }, emails: ['a@example.com'] },
        options: { show_card_number: true },
      });
      const { id } = await make('sandbox.purchases.create', {
        ...client,
        data: { vcn_id: 2 * company_id - 1 + at, amount: 1_200, merchant_name: named('shop') },
      });
      await make('sandbox.authorizations.clear', { ...client, parameters: { id }, data: { amount: 1_300 } });
      await make('network.authorizations.decide', {
        role: 'network',
        ...authorization(card_number, { billing_amount: 20_000, merchant_name: named('declined') }),
      });
    }
    const useful = async (id: string, change: object = {}) =>
      await make(id, { ...usefulCall(calls.operations.get(id)!), ...client, ...change });
    await useful('purchaseTemplates.request', {
      data: {
        name: named('template'),
        mcc_list: ['4511'],
        mcc_rule: 'ALLOW',
        description: named('d'),
        required_control: 'VELOCITY',
      },
    });
    await useful('webhooks.create', {
      data: { callback_url: `https://127.0.0.1/${encodeURIComponent(named('hook'))}`, event_type_ids: [3] },
    });
    await useful('decisionEndpoint.put', {
      data: { url: `https://127.0.0.1/${encodeURIComponent(named('ask'))}`, stand_in: [] },
    });
    await useful('backtests.create', { data: { vcn_id: 2 * company_id, changes: { total_card_amount: 900 } } });
    await make('bank.accounts.create', {
      role: 'bank',
      data: { company_id, number: `100000000${company_id}`, currency: 'USD', kind: 'deposit', name: named('account') },
    });
    await make('bank.users.put', {
      role: 'bank',
      parameters: { user_id: named('user') },
      data: { company_id, name: named('user'), status: 'active' },
    });
    const { items = [] } = await make('reconciliation.items.list', client);
    assert.ok(items.length > 0);
    await make('reconciliation.items.comment', {
      ...client,
      parameters: { id: items[0]!.id },
      data: { text: named('comment') },
    });
    await make('operator.keys.create', { data: { role: 'client', company_id, name: named('key') } });
  }
  // Counts what has happened.
  await make('operator.activity.read');
}

interface Made {
  readonly id: string;
  readonly card_number: string;
  readonly items?: readonly { readonly id: string }[];
}

function visitor(...grants: readonly Grant[]): Visitor {
  return { actor: 'person:anna', grants };
}

/** What came of a call: its result as text, or the code of its refusal. */
async function outcome(
  who: Visitor,
  id: string,
  call: VisitorCall,
  by: Pick<Calls, 'callAs'> = calls,
): Promise<string> {
  try {
    const result = await by.callAs(who, id, call);
    if (typeof result === 'object' && result !== null && 'pieces' in result) {
      return (await Array.fromAsync(result.pieces as AsyncIterable<string>)).join('');
    }
    return JSON.stringify(result ?? null);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** A call about these ids, with data that the operation accepts. */
function callOf(operation: Operation, company_id: number | null, ids: readonly (string | number)[]): VisitorCall {
  const { role: _, query, options, ...useful } = usefulCall(operation);
  const names = operation.parameters ?? [];
  const parameters = Object.fromEntries(names.map((name, at) => [name, ids[at] ?? ids[0]!]));
  return { ...useful, options: { ...query, ...options }, parameters, company_id, source_address: null };
}

/** The company for which an operation is called: none for those of the operator. */
function companyOf({ id }: Operation): number | null {
  return /^(operator|network|sandbox\.(clock|mailbox))\b/.test(id) ? null : 1;
}

/** Lists know no `page`, and a call without filters finds most. */
function plain(call: VisitorCall): VisitorCall {
  return { ...call, options: {} };
}

describe('a visitor of the console', () => {
  it('may call what the role permits for the company of the grant, and nothing else', async () => {
    const changing = new Set(Object.values(changes).flatMap((ids) => ids.split(/\s+/)));
    const unlisted = operations.filter((one) => {
      const only_reads = 'read' in one || ('only_reads' in one && one.only_reads === true);
      return only_reads === changing.has(one.id);
    });
    assert.deepEqual(
      unlisted.map(({ id }) => id),
      [],
      'who may change something by a new operation stands in the table above',
    );
    const stored = service.stored();
    for (const operation of operations) {
      const company_id = companyOf(operation);
      const permitted = roles.filter((role) => (listed.get(operation.id) ?? people).split(', ').includes(role));
      for (const role of roles) {
        const given: readonly (readonly [Grant[], boolean])[] = [
          [[{ role, company_id: null }], true],
          [[{ role, company_id: 1 }], company_id === 1],
          [[{ role, company_id: 2 }], false],
          [[], false],
        ];
        for (const [grants, reaches] of given) {
          const expected = reaches && permitted.includes(role);
          const what = `${role} ${JSON.stringify(grants)} ${operation.id}`;
          assert.equal(calls.may(visitor(...grants), operation.id, company_id), expected, what);
          if (expected) continue;
          const came = await outcome(visitor(...grants), operation.id, plain(callOf(operation, company_id, [1])));
          assert.equal(came, 'forbidden', what);
        }
      }
    }
    assert.ok(service.stored() === stored, 'what is refused changes nothing');
  });

  it('may do exactly what is not refused as forbidden, with any grants', async () => {
    const any_grant = fc.record({
      role: fc.constantFrom(...roles),
      company_id: fc.constantFrom(null, 1, 2),
    });
    const any_operation = fc.constantFrom(...operations.filter(({ parameters }) => parameters !== undefined));
    await fc.assert(
      fc.asyncProperty(
        fc.array(any_grant, { maxLength: 3 }),
        any_operation,
        fc.constantFrom(null, 1, 2),
        async (grants, operation, company_id) => {
          const who = visitor(...grants);
          const came = await outcome(who, operation.id, plain(callOf(operation, company_id, [77_777])));
          assert.equal(calls.may(who, operation.id, company_id), came !== 'forbidden', came);
        },
      ),
      propertyParameters({ short: 300, full: 3_000 }),
    );
  });

  it('reads in one transaction what it reads in one each', async () => {
    const reading = operations.filter((one) => 'read' in one);
    const ids = reading.map(({ id }) => id);
    for (const who of [visitor({ role: 'admin', company_id: null }), visitor({ role: 'viewer', company_id: 1 })]) {
      const expected: string[] = [];
      for (const one of reading) {
        expected.push(await outcome(who, one.id, plain(callOf(one, companyOf(one), [1]))));
      }
      const before = transactions;
      const came = await calls.readAs(who, ids, 1, async (read) => {
        assert.equal(transactions - before, 2, 'one of its own, after one that asks whether items are behind');
        const as = { callAs: (_: Visitor, id: string, call: VisitorCall) => read(id, call) };
        return await Promise.all(
          reading.map((one) => outcome(who, one.id, plain(callOf(one, companyOf(one), [1])), as)),
        );
      });
      assert.deepEqual(came, expected);
      assert.equal(transactions - before, 2);
    }
  });

  it('reads nothing else in that transaction, nothing after it, and no number of a card', async () => {
    const who = visitor({ role: 'admin', company_id: null });
    const card = { company_id: 1, source_address: null, parameters: { id: 1 } };
    await assert.rejects(
      calls.readAs(who, ['virtualCards.freeze'], 1, async () => null),
      Violation,
    );
    let later: ((id: string, call: VisitorCall) => Promise<unknown>) | undefined;
    await calls.readAs(who, ['virtualCards.read'], 1, async (read) => {
      later = read;
      await assert.rejects(read('webhooks.read', card), Violation);
      await assert.rejects(read('virtualCards.read', { ...card, options: { show_card_number: true } }), Violation);
    });
    await assert.rejects(later!('virtualCards.read', card), Violation);
  });

  it('sees a card number only in a role that permits it, on reading and on changing', async () => {
    for (const role of roles) {
      const who = visitor({ role, company_id: 1 });
      const show = { company_id: 1, source_address: null, options: { show_card_number: true } };
      const read = await outcome(who, 'virtualCards.read', { ...show, parameters: { id: 1 } });
      const changed = await outcome(who, 'virtualCards.update', { ...show, parameters: { id: 1 }, data: {} });
      const sees = role === 'support' || role === 'admin';
      for (const text of [read, changed]) assert.equal(/"card_number":"\d{16}"/.test(text), sees, `${role} ${text}`);
      if (!sees) assert.deepEqual([read, changed], ['forbidden', 'forbidden']);
    }
  });

  it('lets nobody do by a link what the role does not permit', async () => {
    const call = { company_id: 1, source_address: null };
    const come = (role: VisitorRole, read_only: boolean) =>
      outcome(visitor({ role, company_id: 1 }), 'portalLinks.create', { ...call, data: { read_only } });
    assert.equal(await come('support', false), 'forbidden');
    for (const made of [await come('support', true), await come('admin', false)]) assert.match(made, /"portal_link"/);
  });

  it('of one company neither reads nor changes anything of another one, whatever its id', async () => {
    const who = visitor(...person_roles.map((role) => ({ role, company_id: 1 })));
    const ofOther = () =>
      new Set(
        service
          .stored()
          .split('\n')
          .flatMap((table) => table.replace(/^\w+: \[\{?|\}?\]$/g, '').split('},{'))
          .filter((row) => /"company_id":2\b/.test(row) || row.includes('ZEBRA')),
      );
    const before = ofOther();
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const texts = [marked('user'), '1000000002'];
    let succeeded = 0;
    for (const operation of operations) {
      if (companyOf(operation) === null) continue;
      const [first, second] = operation.parameters ?? [];
      const valuesOf = (name: Parameter | undefined) =>
        name === undefined ? [0] : /^(number|user_id)$/.test(name) ? texts : ids;
      for (const one of valuesOf(first)) {
        for (const other of valuesOf(second)) {
          for (const call of [callOf(operation, 1, [one, other]), plain(callOf(operation, 1, [one, other]))]) {
            const came = await outcome(who, operation.id, call);
            assert.doesNotMatch(came, /ZEBRA/, `${operation.id} ${JSON.stringify(call)}`);
            succeeded += came.startsWith('{') || came === 'null' ? 1 : 0;
          }
        }
      }
    }
    assert.ok(succeeded > 100);
    assert.deepEqual([...before.symmetricDifference(ofOther())], []);
  });
});
