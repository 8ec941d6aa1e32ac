import { grant_model, revokeGrant } from '@tallystick/consents';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { originOfRequest } from '../bounds.ts';
import type { AuthorisationTx } from '../ports.ts';
import type { RecordLinks, RecordPayload, Records } from '../records.ts';
import type { ClientMetadataOf } from './client-metadata.ts';
import { intentOf } from './intent.ts';
import { libraryNowMs } from './library-time.ts';
import { errors } from './oidc-provider.ts';

/**
 * The storage of the library, of one kind of record.
 *
 * The library checks assertions and request objects against machine time. The ends of records are in
 * service time. So a record that is read has the end that is left to it, counted from machine time:
 * once the service's clock is past an end, the record is not found.
 */
export function libraryAdapter(model: string, records: Records, clientMetadataOf: ClientMetadataOf): Adapter {
  if (model === 'Client') return { ...nothing, find: async (id) => (await clientMetadataOf(id)) ?? undefined };
  // Every authorisation authenticates its user again, so no session outlives its request.
  if (model === 'Session') return nothing;
  const key = (id: string) => ({ model, id });
  return {
    async upsert(id, payload, expires_in_s) {
      const is_unique = await records.run(async (tx) => {
        const links = await linksOf(tx, records, payload as RecordPayload);
        const record = records.seal(key(id), payload as RecordPayload, links, expires_in_s ?? null);
        if (model === 'ReplayDetection') return await tx.authorisation.putNew(record);
        await tx.authorisation.put(record);
        return true;
      });
      // The library looks before it stores. Another node may have stored in between.
      if (!is_unique) throw new errors.InvalidClientAuth('client assertion tokens must only be used once');
    },

    async find(id) {
      const found = await records.read((tx) => records.find(tx, key(id)));
      if (found === null) return undefined;
      const { payload, expires_at_ms, consumed_at_ms } = found;
      // Replays are detected on machine time only.
      if (model === 'ReplayDetection') return payload as AdapterPayload;
      const left_ms = expires_at_ms === null ? null : expires_at_ms - records.nowMs();
      return {
        ...payload,
        ...(left_ms === null ? {} : { exp: Math.floor((libraryNowMs() + left_ms) / 1_000) }),
        ...(consumed_at_ms === null ? {} : { consumed: Math.floor(consumed_at_ms / 1_000) }),
      } as AdapterPayload;
    },

    findByUid: async () => undefined,
    findByUserCode: async () => undefined,

    async consume(id) {
      const is_first = await records.run(async (tx) => {
        const id_hash = records.hashOf(id);
        if (await tx.authorisation.consume(model, id_hash, records.nowMs())) return true;
        // Another node used it at the same time. That is a reuse: all that was issued ends.
        const grant_id = (await tx.authorisation.find(model, id_hash))?.grant_id ?? null;
        if (grant_id !== null) await revokeGrant(tx, callOf(records), grant_id);
        return false;
      });
      if (is_first) return;
      if (model === 'PushedAuthorizationRequest') throw new errors.InvalidRequestUri('request_uri was already used');
      throw new errors.InvalidGrant('already used');
    },

    destroy: (id) =>
      records.run((tx) => {
        const id_hash = records.hashOf(id);
        return model === grant_model ? revokeGrant(tx, callOf(records), id_hash) : tx.authorisation.end(model, id_hash);
      }),
    revokeByGrantId: (id) => records.run(({ authorisation }) => authorisation.endByGrant(records.hashOf(id))),
  };
}

function callOf(records: Records) {
  return { ...originOfRequest(), now_ms: records.nowMs() };
}

const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/**
 * Whose record it is. The library's account is the consent: a consent has one user, who authorised
 * it, and the third party knows the user by the ConsentId only. An interaction has no account yet,
 * and belongs to the consent that its request asks for.
 */
async function linksOf(tx: AuthorisationTx, records: Records, payload: RecordPayload): Promise<RecordLinks> {
  const { clientId, accountId, grantId, params } = payload;
  const asked = params as { readonly client_id?: unknown; readonly claims?: unknown } | undefined;
  const consent_id = typeof accountId === 'string' ? accountId : intentOf(asked?.claims);
  const asked_by = asked?.client_id;
  const client_id = clientId ?? asked_by;
  return {
    client_id: typeof client_id === 'string' ? client_id : null,
    consent_id,
    user_id: consent_id === null ? null : ((await tx.consents.find(consent_id))?.user_id ?? null),
    grant_id: typeof grantId === 'string' ? records.hashOf(grantId) : null,
  };
}
