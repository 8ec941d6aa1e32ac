import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, Refusal } from '@tallystick/kernel';
import { propertyParameters, repeatableRandom } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  listTemplates,
  requestTemplate,
  type TemplateRequest,
  toTemplateAcknowledgement,
  toTemplateItem,
} from '../src/index.ts';
import { templateWorld } from './template-world.ts';

const now_ms = Date.UTC(2026, 10, 21, 10, 30, 15, 250);
const call: Call = { company_id: 1, actor: 'key:1', request_id: 'r-1', now_ms };
const ports = { random: repeatableRandom(7) };
const statusUrlOf = ({ transaction_key }: { readonly transaction_key: string }) => `/status/${transaction_key}`;
const options = { environment: 'sandbox', completion_delay_ms: 5_000 } as const;
const groceries: TemplateRequest = {
  name: 'Groceries',
  mcc_list: ['5411', '5499'],
  mcc_rule: 'ALLOW',
  description: 'Food for the office',
  required_control: 'VELOCITY',
};

test('a request is acknowledged as PENDING, with the query that returns its status', async () => {
  const { unit_of_work } = templateWorld();
  const template = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, groceries, options));
  const key = template.transaction_key;
  assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(toTemplateAcknowledgement(template, statusUrlOf), {
    copy_from_template: '1',
    customer_number: 'CN-1',
    description: 'Food for the office',
    links: [{ href: `/status/${key}`, method: 'GET', rel: 'self' }],
    mcc_list: ['5411', '5499'],
    mcc_rule: 'ALLOW',
    merchant_controls: null,
    name: 'Groceries',
    required_control: 'VELOCITY',
    status: 'PENDING',
    transaction_key: key,
  });
  assert.equal(template.completes_at_ms, now_ms + 5_000);
});

test('a template item has the fields of the status list, with times in ISO 8601', async () => {
  const { unit_of_work } = templateWorld();
  const asked = { ...groceries, required_control: 'AGING_VELOCITY' } as const;
  const template = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, asked, options));
  const { links, transaction_key, ...item } = toTemplateItem(template, statusUrlOf);
  assert.deepEqual(item, {
    company_id: 1,
    copy_from_template: '2',
    created_at: '2026-11-21T10:30:15.250Z',
    deleted_at: null,
    description: 'Food for the office',
    environment: 'sandbox',
    id: template.id,
    identity: null,
    mcc_list: ['5411', '5499'],
    mcc_rule: 'ALLOW',
    merchant_controls: null,
    name: 'Groceries',
    required_control: 'AGING_VELOCITY',
    status: 'PENDING',
    updated_at: '2026-11-21T10:30:15.250Z',
  });
  assert.deepEqual(links, toTemplateAcknowledgement(template, statusUrlOf).links);
  assert.equal(transaction_key, template.transaction_key);
});

test('a template keeps the merchants that it allows', async () => {
  const { unit_of_work } = templateWorld();
  const asked = { ...groceries, merchant_controls: { countries: { deny: ['DE'] } } };
  const template = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, asked, options));
  const merchant_controls = {
    merchant_ids: null,
    merchant_names: null,
    countries: { allow: null, deny: ['DEU'] },
    card_present: null,
  };
  assert.deepEqual(template.merchant_controls, merchant_controls);
  assert.deepEqual(toTemplateItem(template, statusUrlOf).merchant_controls, merchant_controls);
  const wrong = { ...groceries, merchant_controls: { countries: { deny: ['GER'] } } };
  assert.deepEqual(await invalidFields(wrong), ['merchant_controls.countries.deny[0]']);
});

test('all fields of the specification are required, and all missing ones are reported in one refusal', async () => {
  const names = Object.keys(groceries).sort();
  assert.deepEqual(await invalidFields({}), names);
  const nothing = Object.fromEntries(names.map((name) => [name, null]));
  assert.deepEqual(await invalidFields(nothing), names);
});

const wrong_values: readonly (readonly [keyof TemplateRequest, string, unknown])[] = [
  ['name', 'a number', 5],
  ['name', 'blank', '   '],
  ['name', 'too long', 'x'.repeat(256)],
  ['name', 'with a line break', 'a\nb'],
  ['name', 'with U+0000', 'a\0b'],
  ['name', 'with half of a surrogate pair', 'a\ud800'],
  ['description', 'too long', 'x'.repeat(1_001)],
  ['description', 'a list', ['x']],
  ['description', 'with U+0000', '\0'],
  ['mcc_list', 'no list', '5411'],
  ['mcc_list', 'empty', []],
  ['mcc_list', 'of 1001 codes', Array.from({ length: 1_001 }, (_, mcc) => String(mcc).padStart(4, '0'))],
  ['mcc_list', 'of numbers', [5411]],
  ['mcc_list', 'with three digits', ['541']],
  ['mcc_list', 'with five digits', ['54110']],
  ['mcc_list', 'with other digits than ASCII', ['٥٤١١']],
  ['mcc_list', 'with a line break', ['5411\n']],
  ['mcc_list', 'with the same code twice', ['5411', '5499', '5411']],
  ['mcc_rule', 'in small letters', 'allow'],
  ['mcc_rule', 'unknown', 'BLOCK'],
  ['required_control', 'unknown', 'NONE'],
  ['required_control', 'an object', {}],
];
for (const [name, what, value] of wrong_values) {
  test(`refuses a ${name} ${what}`, async () => {
    assert.deepEqual(await invalidFields({ ...groceries, [name]: value }), [name]);
  });
}

test('shows the value that was sent in place of a list of codes', async () => {
  const { unit_of_work } = templateWorld();
  const request = { ...groceries, mcc_list: '5411' };
  await assert.rejects(
    unit_of_work.run((tx) => requestTemplate(tx, ports, call, request, options)),
    /mcc_list must be an array of 1 to 1000 four-digit strings, not "5411"/,
  );
});

test('the largest request is accepted', async () => {
  const { unit_of_work } = templateWorld();
  const largest = {
    ...groceries,
    name: '\u{1f6d2}'.repeat(255),
    description: 'two\nlines'.padEnd(1_000, '.'),
    mcc_list: Array.from({ length: 1_000 }, (_, mcc) => String(mcc).padStart(4, '0')),
  };
  const template = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, largest, options));
  assert.deepEqual(template.mcc_list, largest.mcc_list);
});

test('each company can use a name once', async () => {
  const { unit_of_work } = templateWorld();
  await unit_of_work.run((tx) => requestTemplate(tx, ports, call, groceries, options));
  await assert.rejects(
    unit_of_work.run((tx) => requestTemplate(tx, ports, call, { ...groceries, mcc_rule: 'no' }, options)),
    (refusal: Refusal) => refusal.fields.map(({ path }) => path).join() === 'mcc_rule,name',
  );
  const other = await unit_of_work.run((tx) =>
    requestTemplate(tx, ports, { ...call, company_id: 2 }, groceries, options),
  );
  assert.equal(other.customer_number, 'CN-2');
});

test('two racing requests for one name make one template', async () => {
  const { unit_of_work } = templateWorld();
  const asked_before_either = {
    ...groceries,
    name: 'Raced',
  };
  const outcomes = await Promise.allSettled(
    [1, 2].map(() =>
      unit_of_work.run((tx) =>
        requestTemplate(
          { ...tx, templates: { ...tx.templates, nameTaken: async () => false } },
          ports,
          call,
          asked_before_either,
          options,
        ),
      ),
    ),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  assert.ok(refused?.reason instanceof Refusal);
  assert.deepEqual(
    refused.reason.fields.map(({ path }) => path),
    ['name'],
  );
});

test('a list by transaction_key contains one template; without it also the shared defaults, and none of another company', async () => {
  const { unit_of_work } = templateWorld();
  const mine = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, groceries, options));
  const other = await unit_of_work.run((tx) =>
    requestTemplate(tx, ports, { ...call, company_id: 2 }, groceries, options),
  );
  const ids = (filter: { transaction_key?: string }) =>
    unit_of_work.run(async (tx) =>
      (await listTemplates(tx, call, filter, { limit: 50 }, options)).items.map(({ id }) => id),
    );
  assert.deepEqual(await ids({}), [mine.id, 2, 1]);
  assert.deepEqual(await ids({ transaction_key: mine.transaction_key }), [mine.id]);
  assert.deepEqual(await ids({ transaction_key: other.transaction_key }), []);
});

test('every request is stored unchanged or refused, and a refused request stores nothing', async () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const word = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
  const sound = fc.record({
    name: word,
    mcc_list: fc.uniqueArray(fc.stringMatching(/^[0-9]{4}$/), { minLength: 1, maxLength: 20 }),
    mcc_rule: fc.constantFrom('ALLOW', 'DENY'),
    description: word,
    required_control: fc.constantFrom('VELOCITY', 'AGING_VELOCITY'),
  });
  const mixed = fc.record({
    name: fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), anything),
    mcc_list: fc.oneof(fc.array(fc.stringMatching(/^[0-9]{3,5}$/), { maxLength: 20 }), anything),
    mcc_rule: fc.oneof(fc.constantFrom('ALLOW', 'DENY'), anything),
    description: fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), anything),
    required_control: fc.oneof(fc.constantFrom('VELOCITY', 'AGING_VELOCITY'), anything),
  });
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(sound, mixed), async (asked) => {
      const { unit_of_work } = templateWorld();
      const stored = () =>
        unit_of_work.run(async (tx) => (await listTemplates(tx, call, {}, { limit: 50 }, options)).items.slice(0, -2));
      try {
        const template = await unit_of_work.run((tx) => requestTemplate(tx, ports, call, asked, options));
        accepted += 1;
        for (const [name, value] of Object.entries(asked)) {
          assert.deepEqual(template[name as keyof TemplateRequest], value, name);
        }
        assert.equal(new Set(template.mcc_list).size, template.mcc_list.length);
        assert.ok(template.mcc_list.every((mcc) => /^[0-9]{4}$/.test(mcc)));
        assert.deepEqual(await stored(), [template]);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        assert.ok(error.fields.length > 0);
        assert.deepEqual(await stored(), []);
      }
    }),
    propertyParameters({ short: 500, full: 1_500 }),
  );
  assert.ok(accepted > 0, 'no request was accepted: the property says too little');
});

async function invalidFields(request: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { unit_of_work } = templateWorld();
  try {
    await unit_of_work.run((tx) => requestTemplate(tx, ports, call, request, options));
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'validation_failed', String(error));
    assert.ok(error.fields.every(({ message }) => message.length < 200));
    return error.fields.map(({ path }) => path).sort();
  }
  return [];
}

test('the shared defaults are of the environment that serves them', async () => {
  const { unit_of_work } = templateWorld();
  const page = await unit_of_work.run((tx) => listTemplates(tx, call, {}, { limit: 50 }, options));
  assert.deepEqual(new Set(page.items.map(({ environment }) => environment)), new Set(['sandbox']));
  assert.ok(page.items.some(({ company_id }) => company_id === null));
});
