import {
  addSecretProblem,
  firstSecret,
  isWebhookSecret,
  resealHeld,
  rotatedSecret,
  type WebhookPorts,
  webhook_secret_expected,
} from '@tallystick/events';
import {
  auditEntry,
  type Call,
  Refusal,
  RequestFields,
  resealAll,
  type Sealer,
  type UnitOfWork,
} from '@tallystick/kernel';
import {
  type DecisionEndpoint,
  type DecisionEndpointTx,
  decision_timeout_ms_default,
  type EndpointFields,
  readEndpointFields,
} from './decision-endpoint.ts';

/** The fields of a request as they were sent. The domain checks every value. */
export type EndpointRequest = Readonly<Record<string, unknown>>;

/** The endpoint, and its secret where it is shown: when it was made, and after a rotation. */
export interface ShownEndpoint {
  readonly endpoint: DecisionEndpoint;
  readonly secret: string | null;
}

/**
 * Registers the endpoint of the company, or replaces its settings: what is absent has its default.
 * A replacement keeps the secret.
 */
export async function putDecisionEndpoint(
  tx: DecisionEndpointTx,
  ports: WebhookPorts,
  call: Call,
  request: EndpointRequest,
): Promise<ShownEndpoint> {
  const fields = new RequestFields(request);
  fields.require('url', 'an https URL');
  const { url, ...given } = readEndpointFields(fields, ports.url_policy);
  const own_secret = fields.readSecret('secret', isWebhookSecret, webhook_secret_expected);
  fields.refuseInvalid();
  const present = await tx.decision_endpoints.find(call.company_id, { for_update: true });
  const made = present === null ? firstSecret(ports, own_secret) : { secrets: present, secret: null };
  if (present !== null) addSecretProblem(fields, ports.sealer, present);
  fields.refuseInvalid();
  const endpoint: DecisionEndpoint = {
    created_at_ms: call.now_ms,
    ...made.secrets,
    company_id: call.company_id,
    url: url!,
    ...withDefaults(given),
  };
  await write(tx, call, present, endpoint);
  return { endpoint, secret: made.secret };
}

function withDefaults({ timeout_ms, stand_in, status }: Omit<EndpointFields, 'url'>) {
  return {
    timeout_ms: timeout_ms ?? decision_timeout_ms_default,
    stand_in: stand_in ?? [],
    status: status ?? 'active',
  };
}

/** Reads the endpoint of the company. Refuses `not_found`. */
export async function readDecisionEndpoint(
  tx: Pick<DecisionEndpointTx, 'decision_endpoints'>,
  { company_id }: Pick<Call, 'company_id'>,
  options?: { readonly for_update?: boolean },
): Promise<DecisionEndpoint> {
  const found = await tx.decision_endpoints.find(company_id, options);
  if (found === null) throw new Refusal('not_found', 'the company has no decision endpoint');
  return found;
}

/** Changes settings. What is absent stays, and null resets a field to its default. */
export async function updateDecisionEndpoint(
  tx: DecisionEndpointTx,
  ports: Pick<WebhookPorts, 'sealer' | 'url_policy'>,
  call: Call,
  request: EndpointRequest,
): Promise<DecisionEndpoint> {
  const fields = new RequestFields(request);
  const { url, ...given } = readEndpointFields(fields, ports.url_policy);
  if (fields.resets('url')) fields.addProblem('url', 'has no default; delete the endpoint, or make it inactive');
  fields.refuseInvalid();
  const present = await readDecisionEndpoint(tx, call, { for_update: true });
  addSecretProblem(fields, ports.sealer, present);
  fields.refuseInvalid();
  const sent = Object.entries(withDefaults(given)).filter(([name]) => fields.carries(name));
  const endpoint: DecisionEndpoint = { ...present, url: url ?? present.url, ...Object.fromEntries(sent) };
  await write(tx, call, present, endpoint);
  return endpoint;
}

/** Deletes the endpoint. Refuses `not_found`. */
export async function deleteDecisionEndpoint(tx: DecisionEndpointTx, call: Call): Promise<void> {
  const { url } = await readDecisionEndpoint(tx, call, { for_update: true });
  await tx.decision_endpoints.delete(call.company_id);
  await audit(tx, call, 'deleted', { url });
}

/** Sets a new secret, which is shown once. The previous secret also signs for 24 hours. */
export async function rotateDecisionSecret(
  tx: DecisionEndpointTx,
  ports: Pick<WebhookPorts, 'sealer' | 'random'>,
  call: Call,
): Promise<ShownEndpoint> {
  const present = await readDecisionEndpoint(tx, call, { for_update: true });
  const { secret, secrets } = rotatedSecret(ports, present, call.now_ms);
  const endpoint: DecisionEndpoint = { ...present, ...secrets };
  await tx.decision_endpoints.put(endpoint);
  await audit(tx, call, 'secret_rotated');
  return { endpoint, secret };
}

/** Writes the endpoint. The audit log has the settings that differ. */
async function write(
  tx: DecisionEndpointTx,
  call: Call,
  present: DecisionEndpoint | null,
  endpoint: DecisionEndpoint,
): Promise<void> {
  const { url, timeout_ms, stand_in, status } = endpoint;
  const changes = Object.entries({ url, timeout_ms, stand_in, status }).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(present?.[name as keyof DecisionEndpoint]),
  );
  if (changes.length === 0) return;
  await tx.decision_endpoints.put(endpoint);
  await audit(tx, call, present === null ? 'created' : 'updated', Object.fromEntries(changes));
}

function audit(
  tx: DecisionEndpointTx,
  call: Call,
  what: 'created' | 'updated' | 'deleted' | 'secret_rotated',
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const entry = auditEntry(call, `decision_endpoint.${what}`, `decision_endpoint:${call.company_id}`, details);
  return tx.audit.record(entry, call.now_ms);
}

/** Seals the secrets of endpoints again with the newest key of the ring. Returns their number. */
export function resealDecisionSecrets(
  unitOfWork: UnitOfWork<Pick<DecisionEndpointTx, 'decision_endpoints'>>,
  sealer: Sealer,
  batch = 100,
): Promise<number> {
  return resealAll(unitOfWork, {
    first: { company_id: 0 },
    next: ({ decision_endpoints }, { company_id }) => decision_endpoints.listAfter(company_id, batch),
    async reseal({ decision_endpoints }, endpoint) {
      const { count, resealed } = resealHeld(sealer, endpoint);
      if (count > 0) await decision_endpoints.put(resealed);
      return count;
    },
  });
}
