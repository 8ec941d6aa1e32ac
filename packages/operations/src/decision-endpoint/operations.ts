import {
  type CardVault,
  deleteDecisionEndpoint,
  type EndpointTest,
  type EndpointTester,
  type PurchaseRequest,
  putDecisionEndpoint,
  readDecisionEndpoint,
  refuseNumbersOfCards,
  rotateDecisionSecret,
  type ShownEndpoint,
  testQuestion,
  updateDecisionEndpoint,
} from '@tallystick/cards';
import { Fault, type Random, type Sealer, toInstantText, type UnitOfWork, type UrlPolicy } from '@tallystick/kernel';
import { data_of_domain, showAs } from '../fields.ts';
import { companyCall, type Operation, type OperationTx, operation } from '../operation.ts';
import { purchase } from '../sandbox/shapes.ts';
import { decision_endpoint, endpoint_test, put_decision_endpoint, update_decision_endpoint } from './shapes.ts';

export interface DecisionEndpointOperationPorts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly vault: CardVault;
  readonly unitOfWork: UnitOfWork<OperationTx>;
  /** Absent: this composition asks no endpoints, and tests are refused. */
  readonly testEndpoint?: EndpointTester | undefined;
  readonly url_policy: UrlPolicy;
}

/** `/v1/decision-endpoint`: where a company decides on its purchases itself. */
export function decisionEndpointOperations(ports: DecisionEndpointOperationPorts): readonly Operation[] {
  const { sealer, random, vault, url_policy } = ports;
  return [
    operation('decision_endpoint', {
      id: 'decisionEndpoint.put',
      summary: 'Register the decision endpoint of the company, or replace its settings',
      description:
        'A company has at most one. From then on, a request that its card would approve is posted there first. Only the result of the registration and that of a rotation show the secret. A URL that is not https, or whose address may not be called, is refused (`validation_failed`).',
      body: data_of_domain,
      documented_body: put_decision_endpoint,
      takes_back: decision_endpoint,
      answer: decision_endpoint,
      async write(tx, call) {
        const put = await putDecisionEndpoint(tx, { sealer, random, url_policy }, companyCall(call), call.body.data);
        await refuseNumbersOfCards(tx, { vault }, { url: put.endpoint.url });
        return present(put);
      },
    }),
    operation('decision_endpoint', {
      id: 'decisionEndpoint.read',
      summary: 'Read the decision endpoint of the company',
      refusals: ['not_found'],
      answer: decision_endpoint,
      async read(tx, call) {
        return present({ endpoint: await readDecisionEndpoint(tx, companyCall(call)), secret: null });
      },
    }),
    operation('decision_endpoint', {
      id: 'decisionEndpoint.update',
      summary: 'Change settings of the decision endpoint',
      description: 'What is absent stays.',
      body: data_of_domain,
      documented_body: update_decision_endpoint,
      takes_back: decision_endpoint,
      refusals: ['not_found'],
      answer: decision_endpoint,
      async write(tx, call) {
        const endpoint = await updateDecisionEndpoint(tx, { sealer, url_policy }, companyCall(call), call.body.data);
        await refuseNumbersOfCards(tx, { vault }, { url: endpoint.url });
        return present({ endpoint, secret: null });
      },
    }),
    operation('decision_endpoint', {
      id: 'decisionEndpoint.delete',
      summary: 'Delete the decision endpoint: the limits of the cards alone decide',
      refusals: ['not_found'],
      answer: null,
      async write(tx, call) {
        await deleteDecisionEndpoint(tx, companyCall(call));
      },
    }),
    operation('decision_endpoint', {
      id: 'decisionEndpoint.rotateSecret',
      summary: 'Replace the secret of the decision endpoint. The previous secret also signs for 24 hours',
      refusals: ['not_found'],
      answer: decision_endpoint,
      async write(tx, call) {
        return present(await rotateDecisionSecret(tx, { sealer, random }, companyCall(call)));
      },
    }),
    operation('decision_endpoint', {
      id: 'decisionEndpoint.test',
      summary: 'Send a test request to the decision endpoint, active or not',
      description:
        'About a purchase with a card, as a request of the card network is sent, with `test` true. Nothing is decided or kept. A purchase that the card would decline is refused (`conflict`), because nothing would be sent.',
      body: data_of_domain,
      documented_body: purchase,
      refusals: ['not_found', 'conflict'],
      runs_alone: 'it waits for the answer of the endpoint',
      answer: endpoint_test,
      async perform(call) {
        const wanted = call.body.data as unknown as PurchaseRequest;
        const question = await ports.unitOfWork.read((tx) => testQuestion(tx, ports, companyCall(call), wanted));
        if (ports.testEndpoint === undefined) throw new Fault('no endpoints are asked here', { retryable: false });
        return presentTest(await ports.testEndpoint(question));
      },
    }),
  ];
}

function presentTest({ request, answer, reply, ms }: EndpointTest) {
  const { callback_url, headers, body } = request;
  return showAs(endpoint_test, {
    request: { url: callback_url, headers, body },
    response:
      answer.kind === 'answered'
        ? { status: answer.status, content_type: answer.content_type, body: answer.body }
        : null,
    outcome: reply.kind === 'answered' ? 'answered' : reply.why,
    answer: reply.kind === 'answered' ? reply.answer : null,
    amount: reply.kind === 'answered' ? reply.amount : null,
    note: reply.note,
    ms,
  });
}

function present({ endpoint, secret }: ShownEndpoint) {
  return showAs(decision_endpoint, {
    ...endpoint,
    secret,
    created_at: toInstantText(endpoint.created_at_ms),
    type: 'decision_endpoint',
  });
}
