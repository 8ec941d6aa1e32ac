import { tryDecision } from '@tallystick/cards';
import { listTemplateVersions } from '@tallystick/templates';
import * as z from 'zod';
import { data_of_domain } from '../fields.ts';
import { companyCall, type Operation, operation, present } from '../operation.ts';
import { presentTemplateVersion, presentTriedDecision } from './decision-presenter.ts';
import { template_version, tried_decision, try_decision } from './decision-shapes.ts';

export interface DecisionOperationPorts {
  /** The host is asked about the requests of every company. */
  readonly consults_all?: boolean | undefined;
}

/** Why a card was declined, what would be decided, and who changed what. */
export function decisionOperations({ consults_all }: DecisionOperationPorts): readonly Operation[] {
  return [
    operation('virtualcards', {
      id: 'virtualCards.decisions.try',
      method: 'company.cards.tryDecision',
      summary: 'Try a decision: what would be answered to a purchase',
      description:
        'Nothing changes and nobody is asked. The same purchase gets the same answer as long as nothing comes between. With `at`, holds that end and windows that begin until then are taken into account.',
      parameters: ['id'],
      body: data_of_domain,
      documented_body: try_decision,
      answer: tried_decision,
      async read(tx, call) {
        return presentTriedDecision(
          await tryDecision(tx, companyCall(call), call.id, call.body.data, { consults_all }),
        );
      },
    }),
    operation('templates', {
      id: 'purchaseTemplates.versions.list',
      method: 'company.templates.versions',
      summary: 'List the versions of a purchase template, newest first',
      description:
        'The first one is PENDING; its completion makes the second one. The rules of a template that cards have do not change.',
      parameters: ['id'],
      query: { paged: true },
      answer: z.array(template_version),
      async read(tx, call) {
        const page = await listTemplateVersions(tx, companyCall(call), call.id, call.query.page);
        return present(page, presentTemplateVersion);
      },
    }),
  ];
}
