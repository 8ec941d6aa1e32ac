import {
  changeThirdParty,
  listThirdParties,
  readThirdParty,
  registerThirdParty,
  setThirdPartyStatus,
  type ThirdParty,
  type ThirdPartyChange,
  type ThirdPartyPorts,
  type ThirdPartyRequest,
} from '@tallystick/consents';
import { toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { data_of_domain, showAs } from '../fields.ts';
import { type Operation, operation, operatorCall, present } from '../operation.ts';
import { create_third_party, third_party, third_party as third_party_shape, update_third_party } from './shapes.ts';

/** `/operator/v1/third-parties`: the clients of the authorisation server (decision: authorisation). */
export function thirdPartyOperations(ports: ThirdPartyPorts): readonly Operation[] {
  return [
    operation('administration', {
      id: 'operator.thirdParties.create',
      summary: 'Register a third party for Open Banking',
      body: data_of_domain,
      documented_body: create_third_party,
      takes_back: third_party,
      answer: third_party,
      refusals: ['conflict'],
      async write(tx, call) {
        const wanted = call.body.data as unknown as ThirdPartyRequest;
        return presentThirdParty(await registerThirdParty(tx, ports, operatorCall(call), wanted));
      },
    }),
    operation('administration', {
      id: 'operator.thirdParties.list',
      summary: 'List the third parties, newest first',
      query: { paged: true },
      answer: z.array(third_party),
      async read(tx, { query }) {
        return present(await listThirdParties(tx, query.page), presentThirdParty);
      },
    }),
    operation('administration', {
      id: 'operator.thirdParties.read',
      summary: 'Read a third party',
      parameters: ['id'],
      answer: third_party,
      async read(tx, { id }) {
        return presentThirdParty(await readThirdParty(tx, id));
      },
    }),
    operation('administration', {
      id: 'operator.thirdParties.update',
      summary: 'Change a third party: its name, scopes, redirect addresses, keys and certificate',
      parameters: ['id'],
      description:
        'Tokens keep working, except when a scope is taken away: then all tokens of the third party end at once. ' +
        'Replaced keys and a replaced certificate authenticate nobody any more, on every node. If a key was stolen, ' +
        'replace it, and then suspend and activate the third party: that ends all its tokens.',
      body: data_of_domain,
      documented_body: update_third_party,
      takes_back: third_party,
      answer: third_party,
      async write(tx, call) {
        const change = call.body.data as ThirdPartyChange;
        return presentThirdParty(await changeThirdParty(tx, ports, operatorCall(call), call.id, change));
      },
    }),
    operation('administration', {
      id: 'operator.thirdParties.suspend',
      summary: 'Suspend a third party. All its tokens end at once',
      parameters: ['id'],
      answer: third_party,
      async write(tx, call) {
        return presentThirdParty(await setThirdPartyStatus(tx, operatorCall(call), call.id, 'suspended'));
      },
    }),
    operation('administration', {
      id: 'operator.thirdParties.activate',
      summary: 'Activate a suspended third party. It needs new tokens',
      parameters: ['id'],
      answer: third_party,
      async write(tx, call) {
        return presentThirdParty(await setThirdPartyStatus(tx, operatorCall(call), call.id, 'active'));
      },
    }),
  ];
}

/** A third party as the operator's API shows it. Its keys are public. */
export function presentThirdParty(third_party: ThirdParty) {
  return showAs(third_party_shape, {
    ...third_party,
    id: String(third_party.id),
    jwks: third_party.jwks as Readonly<Record<string, unknown>> | null,
    created_at: toInstantText(third_party.created_at_ms),
    type: 'third_party',
    url: `/operator/v1/third-parties/${third_party.id}`,
  });
}
