import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClearingInput } from '@tallystick/cards';
import { clearing_formats } from '@tallystick/clearing-files';
import {
  type AuthorizationMessage,
  type CompanyOperations,
  createKeys,
  createTallystick,
  type Import,
  type Tallystick,
  UnusableTransaction,
  type VirtualCard,
} from 'tallystick';

type Disposing = { after(cleanup: () => unknown): void };

/** A sandbox in memory, and its company. */
async function openSandbox(t: Disposing): Promise<{ readonly tally: Tallystick; readonly company: CompanyOperations }> {
  const tally = await createTallystick({ database: 'sqlite::memory:', sandbox: true });
  t.after(() => tally.close());
  await tally.migrate();
  return { tally, company: tally.company(1) };
}

/** An instance in memory that is no sandbox, with a company that has a real card. */
async function openLive(t: Disposing): Promise<Tallystick> {
  const tally = await createTallystick({ database: 'sqlite::memory:', keys: await createKeys() });
  t.after(() => tally.close());
  await tally.migrate();
  const { id } = await tally.operator.companies.create({ name: 'Example Ltd', customer_number: '1' });
  await tally.operator.realCards.create({
    company_id: id,
    alias: 'Travel',
    billing_currency: 'USD',
    account_range: '555555',
  });
  return tally;
}

/** A purchase of 12.50 USD with a card. */
function purchase(card_number: string, trace_id: string, more: Partial<AuthorizationMessage> = {}) {
  return {
    card_number,
    message_type_indicator: 'Authorization Request',
    trace_id,
    system_trace_audit_number: '000001',
    transaction_date_time: new Date().toISOString(),
    billing_amount: 1_250,
    billing_currency: 'USD',
    merchant_amount: 1_250,
    merchant_currency: 'USD',
    mcc: '5411',
    ...more,
  } satisfies AuthorizationMessage;
}

describe('the cards of a company', () => {
  it('keep a maximum that is sent alone, and not one in a whole card that is sent back', async (t) => {
    const { company } = await openSandbox(t);
    const maximum = async (asShown: (card: VirtualCard) => object) => {
      const card = await company.cards.issue({ total_card_amount: 100 });
      await company.cards.update(Number(card.id), asShown(card));
      return (await company.cards.update(Number(card.id), { total_card_amount: 231 })).per_transaction_max;
    };
    assert.equal(await maximum(({ per_transaction_max }) => ({ per_transaction_max })), 100);
    assert.equal(await maximum((card) => card), 231);
  });

  it('are issued, read, changed and canceled', async (t) => {
    const { company } = await openSandbox(t);
    const card = await company.cards.issue({ total_card_amount: 5_000, metadata: { trip: 'Oslo' } });
    assert.equal(card.card_number, `************${card.last4}`);
    assert.equal((await company.cards.read(card.id)).available_balance, 5_000);
    const changed = await company.cards.update(Number(card.id), { ...card, total_card_amount: 6_000 });
    assert.equal(changed.total_card_amount, 6_000);
    assert.equal(await company.cards.cancel(card.id), undefined);
    assert.equal((await company.cards.read(card.id)).status, 'Canceled');
  });

  it('show their number only when the call asks for it, and the audit log names who asked', async (t) => {
    const { tally, company } = await openSandbox(t);
    const options = { show_card_number: true, actor: 'user:42', request_id: 'request-7' };
    const { id, card_number, cvc } = await company.cards.issue({ total_card_amount: 5_000 }, options);
    assert.match(card_number, /^\d{16}$/);
    assert.match(cvc, /^\d{3}$/);
    assert.equal((await company.cards.read(id, { show_card_number: true })).card_number, card_number);
    const { items } = await tally.operator.audit.list({ filter: { action: 'card_number.shown' } });
    assert.deepEqual(
      items.map(({ actor }) => actor),
      ['embedded', 'user:42'],
    );
    assert.equal(items[1]?.request_id, 'request-7');
  });

  it('are refused for a company that does not exist, and for a closed one', async (t) => {
    const { tally } = await openSandbox(t);
    const unknown = tally.company(99);
    await assert.rejects(unknown.cards.issue({ total_card_amount: 1 }), { name: 'Refusal', code: 'not_found' });
    await assert.rejects(unknown.cards.list(), { code: 'not_found' });
    await assert.rejects(unknown.reconciliation.summary(), { code: 'not_found' });
    await assert.rejects(tally.company('one').cards.list(), { code: 'validation_failed' });
    await tally.operator.companies.update(1, { status: 'closed' });
    await assert.rejects(tally.company(1).cards.list(), { code: 'forbidden' });
    await tally.operator.companies.update(1, { status: 'active' });
    assert.deepEqual(await tally.company('1').cards.list(), { items: [], next: null });
  });

  it('of another company are not found', async (t) => {
    const { tally, company } = await openSandbox(t);
    const { id } = await company.cards.issue({ total_card_amount: 5_000 });
    const other = await tally.operator.companies.create({ name: 'Other', customer_number: '2' });
    await assert.rejects(tally.company(other.id).cards.read(id), { code: 'not_found' });
  });
});

describe('a list', () => {
  it('is its first page when it is awaited, and all its items in a loop', async (t) => {
    const { company } = await openSandbox(t);
    const issued: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      issued.unshift((await company.cards.issue({ total_card_amount: 1_000 })).id);
    }
    const first = await company.cards.list({ limit: 2 });
    assert.deepEqual(
      first.items.map(({ id }) => id),
      issued.slice(0, 2),
    );
    const second = await company.cards.list({ limit: 2, after: first.next! });
    assert.deepEqual(
      second.items.map(({ id }) => id),
      issued.slice(2, 4),
    );
    for (const options of [{ limit: 2 }, { limit: 5 }, {}]) {
      const all = await Array.fromAsync(company.cards.list(options), ({ id }) => id);
      assert.deepEqual(all, issued);
    }
    assert.deepEqual(
      await Array.fromAsync(company.cards.list({ limit: 2, offset: 1 }), ({ id }) => id),
      issued.slice(1),
    );
  });

  it('takes filters, and ranges as pairs', async (t) => {
    const { company } = await openSandbox(t);
    const { id } = await company.cards.issue({ total_card_amount: 9_000, metadata: { trip: 'Oslo' } });
    await company.cards.issue({ total_card_amount: 9_000 });
    const { items } = await company.cards.list({ filter: { status: 'Approved', 'metadata.trip': 'Oslo' } });
    assert.deepEqual(
      items.map((card) => card.id),
      [id],
    );
    for (const amount of [100, 200, 300]) await company.sandbox.buy({ vcn_id: id, amount });
    const amounts = async (range: number | readonly [number | null, number | null]) => {
      const filter = { event_type: 'virtualcard.realtime.auths', 'payload.billing_amount': range } as const;
      const events = await Array.fromAsync(company.events.list({ filter }));
      return events.map((event) => event.event_type === 'virtualcard.realtime.auths' && event.payload.billing_amount);
    };
    assert.deepEqual(await amounts([150, null]), [300, 200]);
    assert.deepEqual(await amounts([null, 200]), [200, 100]);
    assert.deepEqual(await amounts([200, 200]), [200]);
    assert.deepEqual(await amounts(100), [100]);
  });

  it('refuses options and filters that it does not have, by the names of the caller', async (t) => {
    const { company } = await openSandbox(t);
    const refused = async (options: object) => {
      const error = await company.cards.list(options).catch((caught: unknown) => caught);
      assert.equal((error as { code?: string }).code, 'invalid_query');
      return (error as { message: string }).message;
    };
    assert.equal(await refused({ limt: 5 }), 'limt is not an option of this method; did you mean limit?');
    assert.match(await refused({ limit: 1_000 }), /^limit must be an integer from 1 to 100/);
    assert.match(
      await refused({ filter: { statsu: 'Approved' } }),
      /^filter.statsu is not a filter .*filter.status\?$/,
    );
    assert.match(await refused({ after: 'x' }), /^after /);
    assert.match(await refused({ filter: 'Approved' }), /filter/);
    await assert.rejects(company.cards.list([] as never), TypeError);
    await assert.rejects(company.cards.issue({ total_card_amount: 1 }, { show_number: true } as never), {
      code: 'invalid_query',
    });
    assert.equal(
      await refused({ status: 'Approved' }),
      'status is not an option of this method; did you mean filter.status?',
    );
  });

  it('refuses a page of what is no list, also where other unknown options are ignored', async (t) => {
    const { tally, company } = await openSandbox(t);
    for (const name of ['limit', 'after', 'offset']) {
      const refusal = {
        code: 'invalid_query',
        message: `${name} is not an option of this method, which is not a list`,
      };
      await assert.rejects(company.cards.read(1, { [name]: 1 } as never), refusal);
      await assert.rejects(tally.network.clear({} as never, { [name]: 1 } as never), refusal);
    }
  });

  it('names null in place of a resource as what it is', async (t) => {
    const { tally, company } = await openSandbox(t);
    const message = 'data must be an object';
    await assert.rejects(company.cards.issue(null as never), { code: 'validation_failed', message });
    await assert.rejects(tally.operator.companies.create(null as never), { message: `${message}, not null` });
    const { id } = await company.cards.issue({ total_card_amount: 9_000 });
    const bought = await company.sandbox.buy({ vcn_id: id, amount: 100 });
    await assert.rejects(company.sandbox.clear(bought.id!, null as never), { code: 'validation_failed', message });
    assert.equal((await company.sandbox.clear(bought.id!)).billing_amount, 100, 'optional, so by default');
  });
});

describe('the network', () => {
  it('gets a decline as a value', async (t) => {
    const { tally, company } = await openSandbox(t);
    const { card_number } = await company.cards.issue({ total_card_amount: 2_000 }, { show_card_number: true });
    const message = purchase(card_number, 'first');
    const approved = await tally.network.authorize(message);
    assert.equal(approved.decline_reason, null);
    assert.equal(approved.response_code, '00');
    const declined = await tally.network.authorize(purchase(card_number, 'second'));
    assert.deepEqual([declined.decline_reason, declined.vcn_response], ['F', 'Cumulative amount limit']);
    assert.deepEqual(await tally.network.authorize(message), approved, 'a repeat');
    const { card_number: _, ...without_number } = purchase(card_number, 'third');
    await assert.rejects(tally.network.authorize(without_number as AuthorizationMessage), {
      code: 'validation_failed',
    });
  });

  it('shares passes among calls at the same time', async (t) => {
    const { tally, company } = await openSandbox(t);
    const { id, card_number } = await company.cards.issue({ total_card_amount: 9_000 }, { show_card_number: true });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tally.network.authorize(
          purchase(card_number, `trace-${index}`, { billing_amount: 1_000, merchant_amount: 1_000 }),
        ),
      ),
    );
    assert.equal(answers.filter(({ decline_reason }) => decline_reason === null).length, 9);
    assert.equal((await company.cards.read(id)).available_balance, 0);
    assert.equal((await Array.fromAsync(company.cards.authorizations(id))).length, 20);
  });

  it('has a clearing recorded, and refuses one of an unknown card into quarantine', async (t) => {
    const { tally, company } = await openSandbox(t);
    const { id, card_number } = await company.cards.issue({ total_card_amount: 9_000 }, { show_card_number: true });
    const { approval_code } = await tally.network.authorize(purchase(card_number, 'one', { merchant_id: 'M1' }));
    const clearing = {
      network_financial_transaction_id: 'F1',
      clearing_type: 'DEBIT',
      billing_amount: 1_250,
      billing_currency: 'USD',
      settlement_date: new Date().toISOString().slice(0, 10),
      approval_code,
      merchant_id: 'M1',
    } as const;
    assert.equal((await tally.network.clear({ ...clearing, vcn_id: id })).class, 'exact');
    assert.equal((await company.cards.clearings(id)).items.length, 1);
    await assert.rejects(tally.network.clear({ ...clearing, card_number: '5454540000000005' }), { code: 'not_found' });
    const { items } = await tally.operator.quarantine.list();
    assert.deepEqual(
      items.map(({ reason }) => reason),
      ['unknown_card'],
    );
  });
});

describe('a method that cannot take part in a transaction of the host', () => {
  it('refuses one with the reason', async (t) => {
    const { tally, company } = await openSandbox(t);
    const options = { tx: { dialect: 'sqlite', handle: {}, execute: async () => ({ rows: [], changes: 0 }) } } as never;
    await assert.rejects(
      tally.network.authorize({} as never, options),
      new UnusableTransaction(
        'network.authorize takes no tx, because it shares a pass with the messages of the network; call it without one',
      ),
    );
    await assert.rejects(company.reconciliation.items.list(options), UnusableTransaction);
    await assert.rejects(Array.fromAsync(company.reconciliation.items.export(options)), UnusableTransaction);
  });

  it('and others refuse what is no transaction', async (t) => {
    const { company } = await openSandbox(t);
    const issue = (tx: unknown) => company.cards.issue({ total_card_amount: 1 }, { tx } as never);
    for (const tx of [{ query: () => undefined }, 'begin', true]) await assert.rejects(issue(tx), UnusableTransaction);
    assert.deepEqual((await company.cards.list()).items, []);
  });
});

describe('files', () => {
  it('are written in pieces when they are read, and read from texts, bytes and streams', async (t) => {
    const { company } = await openSandbox(t);
    const { id } = await company.cards.issue({ total_card_amount: 9_000 });
    const { id: authorization_id } = await company.sandbox.buy({ vcn_id: id, amount: 500 });
    await company.sandbox.clear(authorization_id!);
    const table = (await Array.fromAsync(company.reconciliation.items.export())).join('');
    assert.equal(table.trim().split('\n').length, 2);
    const pieces = [...table].map((letter) => Buffer.from(letter));
    for (const file of [
      table,
      Buffer.from(table),
      pieces,
      (async function* () {
        yield* pieces;
      })(),
    ]) {
      const answer = await company.reconciliation.decisions.submit(file, { dry_run: true });
      assert.deepEqual([answer.rows, answer.skipped, answer.dry_run], [1, 1, true]);
    }
    await assert.rejects(company.reconciliation.decisions.submit(undefined as never), { code: 'validation_failed' });
  });

  it('that are abandoned do not use up the places for files', async (t) => {
    const { company } = await openSandbox(t);
    for (let index = 0; index < 20; index += 1) {
      for await (const _ of company.reconciliation.items.export()) break;
    }
  });

  it('of clearings are imported once', async (t) => {
    const { tally } = await openSandbox(t);
    const first = await tally.operator.imports.create('neither records nor a header', { name: 'a.txt' });
    assert.equal(first.status, 'refused');
    assert.equal((await tally.operator.imports.read(first.id)).name, 'a.txt');
    await assert.rejects(tally.operator.imports.create('text', {} as never), /name is required/);
  });
});

/** A clearing file with so many clearings of a card. */
function clearingFile(vcn_id: number, count: number): readonly Uint8Array[] {
  const settlement_date = new Date().toISOString().slice(0, 10);
  const clearings = Array.from({ length: count }, (_, index) => ({
    input: {
      vcn_id,
      network_financial_transaction_id: `TX-${index}`,
      billing_amount: 1,
      billing_currency: 'USD',
      clearing_type: 'DEBIT',
      settlement_date,
    } as ClearingInput,
  }));
  const format = clearing_formats.find(({ name }) => name === 'cdf3')!;
  return [...format.write!({ sequence: 1, created_on: settlement_date, mode: 'test', clearings })];
}

describe('a clearing file', () => {
  it('is imported as it comes, and the promise resolves when its import has ended', async (t) => {
    const { tally, company } = await openSandbox(t);
    const { id } = await company.cards.issue({ total_card_amount: 9_000 });
    const pieces = clearingFile(Number(id), 30);
    const imported = await tally.operator.imports.create(pieces, { name: 'a.xml', actor: 'user:42' });
    assert.deepEqual([imported.status, imported.format, imported.applied], ['completed', 'cdf3', 30]);
    const again = await tally.operator.imports.create(Buffer.concat(pieces), { name: 'b.xml' });
    assert.equal(again.id, imported.id);
    assert.equal((await company.cards.read(id)).available_balance, 8_970);
  });

  it('is applied after the promise has resolved when the caller prefers that', async (t) => {
    const { tally, company } = await openSandbox(t);
    const { id } = await company.cards.issue({ total_card_amount: 9_000 });
    const options = { name: 'a.xml', respond_async: true };
    const imported = await tally.operator.imports.create(clearingFile(Number(id), 600), options);
    assert.equal(imported.status, 'running');
    let found: Import = imported;
    while (found.status === 'running') found = await tally.operator.imports.read(imported.id);
    assert.deepEqual([found.status, found.applied], ['completed', 600]);
    await assert.rejects(tally.operator.imports.replay(imported.id, {}, { respond_async: true } as never), {
      code: 'invalid_query',
    });
  });
});

describe('outside a sandbox', () => {
  it('its methods are refused with what they need', async (t) => {
    const tally = await openLive(t);
    const refusal = { name: 'Refusal', code: 'not_found' };
    await assert.rejects(tally.sandbox.clock.move({ advance: 'P1D' }), refusal);
    await assert.rejects(tally.company(1).sandbox.buy({ vcn_id: 1, amount: 1 }), /company.sandbox.buy needs a sandbox/);
    await assert.rejects(Array.fromAsync(tally.sandbox.mailbox.list()), refusal);
    await assert.rejects(tally.bank.consents.read('a'), /bank.consents.read needs Open Banking/);
    await assert.rejects(tally.bank.users.consents('a'), /bank.users.consents needs Open Banking/);
  });
});

describe('an argument that names an object', () => {
  it('is not found unless it is an id, and is refused when it is missing', async (t) => {
    const { company, tally } = await openSandbox(t);
    for (const id of ['abc', '', '0', -1, 1.5, Number.NaN, '../2', '9'.repeat(30)]) {
      await assert.rejects(company.cards.read(id), { code: 'not_found' });
    }
    await assert.rejects(tally.bank.accounts.read('a\0b'), { code: 'not_found' });
    await assert.rejects((company.cards.read as () => Promise<unknown>)(), {
      name: 'TypeError',
      message: 'company.cards.read needs the argument id: a number or a text',
    });
  });
});
