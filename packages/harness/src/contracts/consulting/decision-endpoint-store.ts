import {
  type DecisionEndpoint,
  deleteDecisionEndpoint,
  putDecisionEndpoint,
  readDecisionEndpoint,
  updateDecisionEndpoint,
} from '@tallystick/cards';
import { assert } from '@tallystick/kernel';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { newCompany } from '../storage/storage.ts';
import { callOf, clear_sealer, now_ms, type WebhookStorage } from '../webhooks/webhook-storage.ts';

/** Secrets that differ from each other. */
let drawn = 0;

function bytes(count: number): Uint8Array<ArrayBuffer> {
  drawn += 1;
  return new Uint8Array(count).fill(drawn);
}

const ports = {
  sealer: clear_sealer,
  random: { bytes, below: () => 0 },
  url_policy: () => null,
};

function endpointOf(company_id: number, change: Partial<DecisionEndpoint> = {}): DecisionEndpoint {
  return {
    company_id,
    url: 'https://decisions.example/',
    timeout_ms: 1_500,
    stand_in: [{ if: { amount_max: 100, mccs: ['5411'] }, decision: 'approve' }],
    status: 'active',
    secret_sealed: new Uint8Array([1, 2, 3]),
    previous_secret_sealed: new Uint8Array([0, 255]),
    previous_secret_until_ms: now_ms + 1,
    created_at_ms: now_ms,
    ...change,
  };
}

/** Writes the endpoint as a use case does, and returns it as it is read. */
function put({ unitOfWork }: WebhookStorage, endpoint: DecisionEndpoint): Promise<DecisionEndpoint | null> {
  return unitOfWork.run(async ({ decision_endpoints }) => {
    await decision_endpoints.find(endpoint.company_id, { for_update: true });
    await decision_endpoints.put(endpoint);
    return await decision_endpoints.find(endpoint.company_id);
  });
}

async function versionOf({ unitOfWork }: WebhookStorage, company_id: number): Promise<number> {
  return (await unitOfWork.read((tx) => tx.companies.find(company_id)))!.endpoint_version;
}

async function consults(storage: WebhookStorage, company_id: number): Promise<boolean> {
  return (await versionOf(storage, company_id)) > 0;
}

export const decision_endpoint_store_contract: readonly ContractRule<WebhookStorage>[] = [
  rule('an endpoint is read as it was put, by its company only, and keeps its time of creation', async (here) => {
    const there = await anotherOf(here);
    const [own, other] = [await newCompany(here), await newCompany(here)];
    assertEqual(await put(here, endpointOf(own)), endpointOf(own), 'the endpoint');
    const find = (company_id: number) => there.unitOfWork.read((tx) => tx.decision_endpoints.find(company_id));
    assertEqual(await find(other), null, 'the endpoint of another company');
    const change = { url: 'https://new.example/', timeout_ms: 200, stand_in: [], previous_secret_sealed: null };
    await put(here, endpointOf(own, { ...change, previous_secret_until_ms: null, created_at_ms: now_ms + 9 }));
    assertEqual(
      await find(own),
      endpointOf(own, { ...change, previous_secret_until_ms: null }),
      'the changed endpoint',
    );
  }),
  rule('a company is asked while it has an active endpoint, and no other company is', async (here) => {
    const [own, other] = [await newCompany(here), await newCompany(here)];
    await put(here, endpointOf(other));
    for (const status of ['active', 'inactive', 'active'] as const) {
      await put(here, endpointOf(own, { status }));
      assertEqual(await consults(here, own), status === 'active', `whether it is asked while it is ${status}`);
    }
    await here.unitOfWork.run((tx) => deleteDecisionEndpoint(tx, callOf(own)));
    assertEqual(await consults(here, own), false, 'whether it is asked afterwards');
    assertEqual(await consults(here, other), true, 'whether the other one is asked');
    await refusalOf(
      here.unitOfWork.run((tx) => deleteDecisionEndpoint(tx, callOf(own))),
      'deleting it again',
    );
  }),
  rule('each change of an endpoint, its deletion too, makes a version that none had before', async (here) => {
    const company_id = await newCompany(here);
    const versions = [Math.abs(await versionOf(here, company_id))];
    const note = async () => versions.push(Math.abs(await versionOf(here, company_id)));
    for (const status of ['active', 'active', 'inactive', 'active'] as const) {
      await put(here, endpointOf(company_id, { status }));
      await note();
      await here.unitOfWork.run((tx) => deleteDecisionEndpoint(tx, callOf(company_id)));
      await note();
    }
    for (const [at, version] of versions.entries()) assert(at === 0 || version > versions[at - 1]!, 'it is higher');
  }),
  rule('of racing registrations one makes the secret, and the others keep it', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 5; round += 1) {
      const company_id = await newCompany(here);
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, place) =>
          (place % 2 === 0 ? here : there).unitOfWork.run((tx) =>
            putDecisionEndpoint(tx, ports, callOf(company_id), { url: `https://${place}.example/` }),
          ),
        ),
      );
      const [secret, ...others] = made.flatMap((one) => (one.secret === null ? [] : [one.secret]));
      assertEqual(others, [], 'further secrets');
      const stored = await here.unitOfWork.read((tx) => readDecisionEndpoint(tx, { company_id }));
      assertEqual(new TextDecoder().decode(stored.secret_sealed), secret, 'the stored secret');
    }
  }),
  rule('a change that races with the deletion of the endpoint never makes it again', async (here) => {
    const there = await anotherOf(here);
    for (let round = 0; round < 10; round += 1) {
      const company_id = await newCompany(here);
      await put(here, endpointOf(company_id));
      const change = { status: 'active' };
      const [deleted] = await Promise.allSettled([
        there.unitOfWork.run((tx) => deleteDecisionEndpoint(tx, callOf(company_id))),
        here.unitOfWork.run((tx) => updateDecisionEndpoint(tx, ports, callOf(company_id), change)),
      ]);
      assertEqual(deleted.status, 'fulfilled', 'the deletion');
      const stored = await here.unitOfWork.read((tx) => tx.decision_endpoints.find(company_id));
      assertEqual(stored, null, 'the endpoint');
      assertEqual(await consults(here, company_id), false, 'whether the company is asked');
    }
  }),
  rule('endpoints of all companies are read in batches in ascending order of company', async (here) => {
    const made = [await newCompany(here), await newCompany(here), await newCompany(here)];
    for (const company_id of made.toReversed()) await put(here, endpointOf(company_id));
    await here.unitOfWork.run(async ({ decision_endpoints }) => {
      const listed = await decision_endpoints.listAfter(made[0]! - 1, 2);
      assertEqual(
        listed.map(({ company_id }) => company_id),
        made.slice(0, 2),
        'the first batch',
      );
      const rest = await decision_endpoints.listAfter(made[1]!, 100);
      assert(rest[0]?.company_id === made[2], 'the next batch begins elsewhere');
    });
  }),
];
