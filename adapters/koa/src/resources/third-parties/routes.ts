import {
  changeThirdParty,
  listThirdParties,
  readThirdParty,
  registerThirdParty,
  setThirdPartyStatus,
  type ThirdPartyChange,
  type ThirdPartyRequest,
} from '@tallystick/consents';
import type { Random } from '@tallystick/kernel';
import { data_of_domain } from '@tallystick/operations';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { callOf } from '../operator/routes.ts';
import { presentMinimalThirdParty, presentThirdParty } from './presenter.ts';
import { create_third_party, third_party, update_third_party } from './shapes.ts';

const path = '/operator/v1/third-parties';

const of_operator = { area: 'administration', tag: 'Operator' } as const;

/** `/operator/v1/third-parties`: the clients of the authorisation server (decision: authorisation). */
export function thirdPartyRoutes(ports: { readonly random: Random }): readonly Route[] {
  return [
    route({
      ...of_operator,
      method: 'POST',
      path,
      operation_id: 'operator.thirdParties.create',
      summary: 'Register a third party for Open Banking',
      body: data_of_domain,
      documented_body: create_third_party,
      takes_back: third_party,
      answer: third_party,
      refusals: ['conflict'],
      async transaction(tx, request) {
        const wanted = request.body.data as unknown as ThirdPartyRequest;
        return resource(presentThirdParty(await registerThirdParty(tx, ports, callOf(request), wanted)));
      },
    }),
    route({
      ...of_operator,
      method: 'GET',
      path,
      operation_id: 'operator.thirdParties.list',
      summary: 'List the third parties, newest first',
      query: { paged: true },
      answer: z.array(third_party),
      async transaction(tx, { query }) {
        return list(query, await listThirdParties(tx, query.page), presentThirdParty, presentMinimalThirdParty);
      },
    }),
    route({
      ...of_operator,
      method: 'GET',
      path: `${path}/:id`,
      operation_id: 'operator.thirdParties.read',
      summary: 'Read a third party',
      answer: third_party,
      async transaction(tx, { id }) {
        return resource(presentThirdParty(await readThirdParty(tx, id)));
      },
    }),
    route({
      ...of_operator,
      method: 'PATCH',
      path: `${path}/:id`,
      operation_id: 'operator.thirdParties.update',
      summary: 'Change a third party: its name, scopes, redirect addresses, keys and certificate',
      description:
        'Tokens keep working, except when a scope is taken away: then all tokens of the third party end at once. ' +
        'Replaced keys and a replaced certificate authenticate nobody any more, on every node. If a key was stolen, ' +
        'replace it, and then suspend and activate the third party: that ends all its tokens.',
      body: data_of_domain,
      documented_body: update_third_party,
      takes_back: third_party,
      answer: third_party,
      async transaction(tx, request) {
        const change = request.body.data as ThirdPartyChange;
        return resource(presentThirdParty(await changeThirdParty(tx, callOf(request), request.id, change)));
      },
    }),
    route({
      ...of_operator,
      method: 'POST',
      path: `${path}/:id/suspend`,
      operation_id: 'operator.thirdParties.suspend',
      summary: 'Suspend a third party. All its tokens end at once',
      answer: third_party,
      async transaction(tx, request) {
        return resource(presentThirdParty(await setThirdPartyStatus(tx, callOf(request), request.id, 'suspended')));
      },
    }),
    route({
      ...of_operator,
      method: 'POST',
      path: `${path}/:id/activate`,
      operation_id: 'operator.thirdParties.activate',
      summary: 'Activate a suspended third party. It needs new tokens',
      answer: third_party,
      async transaction(tx, request) {
        return resource(presentThirdParty(await setThirdPartyStatus(tx, callOf(request), request.id, 'active')));
      },
    }),
  ];
}
