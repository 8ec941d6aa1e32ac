import {
  answerOf,
  type Beginning,
  type HttpMapping,
  type HttpServer,
  type MerchantControlsWire,
  type WorldTemplate,
} from '@tallystick/harness';

/**
 * How the standalone server differs from the control protocol, written with its documentation alone:
 * the sandbox's clock in place of `/control/v1/clock`, and routes of the operator for the rest.
 */
export function ourServerMapping(crash?: () => Promise<void>): HttpMapping {
  return {
    begin,
    operations: (server, { world }) => ({
      advanceClock: async (to_ms) => {
        await moveClock(server, { set: new Date(to_ms).toISOString(), frozen: true });
      },
      resetCodeFailures: async (id) => {
        const path = `/operator/v1/virtualcards/${id}/code-failures/reset`;
        return answerOf(await server.send('POST', path, { role: 'operator' }), () => null);
      },
      setHoldDays: async (hold_days) => {
        const path = `/operator/v1/companies/${company_of.get(world.tag)}`;
        return answerOf(
          await server.send('PATCH', path, { role: 'operator', body: { data: { hold_days } } }),
          () => null,
        );
      },
      quarantine: async () => {
        const kept = await listOf<Quarantined>(server, '/operator/v1/quarantine?page%5Blimit%5D=100');
        return kept
          .map(({ id, status, reason, count, message, clearing_id }) => ({
            ...{ id: Number(id), status, reason, count, clearing_id },
            network_financial_transaction_id: message.network_financial_transaction_id,
          }))
          .filter((one) => one.network_financial_transaction_id.startsWith(`${world.tag}C`))
          .reverse();
      },
      replay: async (id) => {
        const answer = await server.send('POST', `/operator/v1/quarantine/${id}/replay`, { role: 'operator' });
        return answerOf(answer, (data) => ({ clearing_id: (data as Quarantined).clearing_id! }));
      },
      ...(crash === undefined ? {} : { crash }),
    }),
    answer_ms_max: 60_000,
  };
}

const keys = { network: 'tly_test_network_sandbox', operator: 'tly_test_operator_sandbox' };
const company_of = new Map<string, number>();

async function begin(server: HttpServer): Promise<Beginning> {
  const operate = async <Data>(path: string, data?: object): Promise<Data> => {
    const headers = { authorization: `Bearer ${keys.operator}` };
    const answer = await server.send('POST', path, { headers, body: { data } });
    return done(answerOf(answer, (made) => made as Data));
  };
  const tag = `s${company_of.size + 1}-`;
  const { id } = await operate<{ id: string }>('/operator/v1/companies', { name: tag, customer_number: tag });
  const company_id = Number(id);
  company_of.set(tag, company_id);
  const real_card = { company_id, alias: 'Travel', billing_currency: 'USD', account_range: '555555' };
  await operate('/operator/v1/realcards', real_card);
  const key = await operate<{ key: string }>('/operator/v1/keys', { company_id, role: 'client', name: 'Harness' });
  const templates = [...shared_templates];
  for (const wanted of own_templates) {
    const headers = { authorization: `Bearer ${key.key}` };
    const data = { ...wanted, description: wanted.name };
    const path = '/v1/content/virtualcard-templates';
    const requested = await server.send('POST', path, { headers, body: { data } });
    const { transaction_key } = requested.body as { readonly transaction_key: string };
    const listed = await server.send('GET', `${path}?filter%5Btransaction_key%5D=${transaction_key}`, { headers });
    const [template] = done(answerOf(listed, (items) => items as readonly { id: number }[]));
    await operate(`/operator/v1/templates/${template!.id}/complete`);
    templates.push({ ...wanted, id: template!.id, is_default: false });
  }
  const now = await moveClock(server, { frozen: true });
  return {
    world: { tag, now_ms: Date.parse(now), billing_currency: 'USD', merchant_controls: true, templates },
    capabilities: ['updateCard', 'cancelCard', 'clear', 'releaseHold', 'setFrozen', 'events'],
    keys: { ...keys, client: key.key },
  };
}

async function moveClock(server: HttpServer, data: object): Promise<string> {
  const headers = { authorization: `Bearer ${keys.operator}` };
  const answer = await server.send('POST', '/sandbox/v1/clock', { headers, body: { data } });
  return done(answerOf(answer, (clock) => (clock as { now: string }).now));
}

interface Quarantined {
  readonly id: string;
  readonly status: 'quarantined' | 'applied';
  readonly reason: 'unknown_card';
  readonly count: number;
  readonly message: { readonly network_financial_transaction_id: string };
  readonly clearing_id: number | null;
}

async function listOf<Item>(server: HttpServer, first: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let path: string | null = first; path !== null; ) {
    const { body } = await server.send('GET', path, { role: 'operator' });
    const page = body as { data: readonly Item[]; links: { next: string | null } };
    items.push(...page.data);
    path = page.links.next;
  }
  return items;
}

function done<Value>(answer: ReturnType<typeof answerOf<Value>>): Value {
  if (answer.kind === 'refused') throw new Error(`the world was not made: ${JSON.stringify(answer)}`);
  return answer.value;
}

const shared_templates: readonly WorldTemplate[] = [
  { id: 1, mcc_rule: 'DENY', mcc_list: [], required_control: 'VELOCITY', is_default: true },
  { id: 2, mcc_rule: 'DENY', mcc_list: [], required_control: 'AGING_VELOCITY', is_default: true },
];
const merchant_controls: MerchantControlsWire = {
  merchant_ids: null,
  merchant_names: { allow: null, deny: ['ACME*'] },
  countries: null,
  card_present: 'required',
};
const own_templates = [
  {
    name: 'Meals and beds',
    mcc_rule: 'ALLOW',
    mcc_list: ['5812', '7011'],
    merchant_controls,
    required_control: 'VELOCITY',
  },
  { name: 'Meals on hold', mcc_rule: 'ALLOW', mcc_list: ['5812'], required_control: 'AGING_VELOCITY' },
] as const;
