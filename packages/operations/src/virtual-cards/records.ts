import type { Area } from '@tallystick/access';
import {
  authorizationItem,
  clearingItem,
  explainAuthorization,
  findCardOfAny,
  listAuthorizations,
  listCardVersions,
  listClearings,
} from '@tallystick/cards';
import type { Call } from '@tallystick/kernel';
import * as z from 'zod';
import { authorization_item, clearing_item } from '../network/shapes.ts';
import {
  callFor,
  companyCall,
  type Operation,
  type OperationCall,
  type OperationTx,
  operation,
  present,
} from '../operation.ts';
import { presentCardVersion, presentExplainedDecision } from './decision-presenter.ts';
import { card_version, explained_decision } from './decision-shapes.ts';

/** Who reads the records of a card. */
interface Reader {
  readonly area: Area;
  /** What the ids and the methods of its operations begin with. */
  readonly id: string;
  readonly method: string;
  /** Which cards it may read, in words. */
  readonly a_card: string;
  /** The call as one of the company of the card. */
  callOf(tx: OperationTx, call: OperationCall): Call | Promise<Call>;
}

/** `/v1/virtualcards/:id`: the company reads the records of its own cards. */
export const its_company: Reader = {
  area: 'virtualcards',
  id: 'virtualCards',
  method: 'company.cards',
  a_card: 'a card',
  callOf: (_tx, call) => companyCall(call),
};

/** `/operator/v1/virtualcards/:id`: an operator reads those of any card. */
export const any_operator: Reader = {
  area: 'oversight',
  id: 'operator.virtualCards',
  method: 'operator.cards',
  a_card: 'a card of any company',
  callOf: async (tx, call) => callFor(call, (await findCardOfAny(tx, call.id)).company_id),
};

/** What happened to a card, how its messages were decided, and who changed it. */
export function cardRecordOperations({ area, id, method, a_card, callOf }: Reader): readonly Operation[] {
  return [
    operation(area, {
      id: `${id}.authorizations.list`,
      method: `${method}.authorizations`,
      summary: `List all authorizations of ${a_card}, newest first`,
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(authorization_item),
      async read(tx, call) {
        const { card, page } = await listAuthorizations(tx, await callOf(tx, call), call.id, call.query.page);
        return present(page, (item) => authorizationItem(item, card));
      },
    }),
    operation(area, {
      id: `${id}.clearings.list`,
      method: `${method}.clearings`,
      summary: `List all clearings of ${a_card}, newest first`,
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(clearing_item),
      async read(tx, call) {
        const { card, page } = await listClearings(tx, await callOf(tx, call), call.id, call.query.page);
        return present(page, (item) => clearingItem(item, card));
      },
    }),
    operation(area, {
      id: `${id}.decisions.read`,
      method: `${method}.explainDecision`,
      summary: `Explain the decision about an authorization of ${a_card}`,
      description:
        'Every reason to decline in its order, with its limits and values: which passed, which failed, and which were not reached. It is computed by the rules of the decision from what the authorization keeps and from the versions of the controls and of the template that it met, so that later changes do not show in it; they are in `changed_since`. Advices, increments and reversals have an explanation, too. A reversal, and a decline that was made elsewhere, compare nothing.',
      parameters: ['id', 'authorization_id'],
      answer: explained_decision,
      async read(tx, call) {
        const as_company = await callOf(tx, call);
        return presentExplainedDecision(await explainAuthorization(tx, as_company, call.id, call.authorization_id));
      },
    }),
    operation(area, {
      id: `${id}.versions.list`,
      method: `${method}.versions`,
      summary: `List the versions of the controls of ${a_card}, newest first`,
      description:
        'Each change of its controls or its status, and each freeze, with who made it and what it changed. A change of metadata, addresses or network data makes no version.',
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(card_version),
      async read(tx, call) {
        const page = await listCardVersions(tx, await callOf(tx, call), call.id, call.query.page);
        return present(page, presentCardVersion);
      },
    }),
  ];
}
