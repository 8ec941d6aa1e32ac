import {
  type RequestSigner,
  requestSigner,
  type SendError,
  type SignRequest,
  type WebhookRequest,
} from '@tallystick/events';
import { toInstantText, type UnitOfWork } from '@tallystick/kernel';
import { readClientAnswer } from './client-answer.ts';
import type { DecisionEndpoint, DecisionEndpointTx } from './decision-endpoint.ts';
import type { ClientReply, Consultation, DecisionMaker } from './ports.ts';

/** The most bytes of an answer. */
export const decision_answer_bytes_max = 16_384;

/** How long an answer is awaited, a late one included, milliseconds. */
export const decision_request_ms_max = 35_000;

/** What was answered to a posted request. */
export type PostedAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly content_type: string | null;
      /** Its first `decision_answer_bytes_max` bytes, as text. */
      readonly body: string;
      /** Whether it has more. */
      readonly is_cut: boolean;
    }
  | { readonly kind: 'unanswered'; readonly error: SendError; readonly detail: string };

/**
 * Posts requests to decision endpoints.
 *
 * Promise: of addresses, redirects and connections the same as `WebhookSender`. No request waits for
 * another. Resolves once there is an answer or none is expected any more: when the signal aborts, or
 * after `decision_request_ms_max`. Never rejects.
 */
export interface DecisionPoster {
  post(request: WebhookRequest, signal: AbortSignal): Promise<PostedAnswer>;
  close(): Promise<void>;
}

export interface EndpointPorts extends RequestSigner {
  readonly poster: DecisionPoster;
}

/** A question to an endpoint, and its outcome. */
export interface EndpointExchange {
  readonly request: WebhookRequest;
  readonly answer: PostedAnswer;
  readonly reply: ClientReply;
}

/** Asks companies at their endpoints. */
export function endpointDecisionMaker(
  ports: EndpointPorts,
  unitOfWork: UnitOfWork<Pick<DecisionEndpointTx, 'decision_endpoints'>>,
): DecisionMaker {
  /**
   * The endpoints as they were read, by company, with the least version that they can have. The pass
   * reads the version of every question, so a change of the endpoint holds from its commit on.
   */
  const kept = new Map<number, { version: number; endpoint: DecisionEndpoint; sign: SignRequest }>();

  async function keptOf(company_id: number, version: number) {
    const known = kept.get(company_id);
    if (known !== undefined && known.version >= version) return known;
    const endpoint = await unitOfWork.read((tx) => tx.decision_endpoints.find(company_id));
    if (endpoint?.status !== 'active') return null;
    const read_meanwhile = kept.get(company_id);
    if (read_meanwhile !== undefined && read_meanwhile.version > version) return read_meanwhile;
    if (kept.size >= endpoints_max) kept.clear();
    const now = { version, endpoint, sign: requestSigner(ports) };
    kept.set(company_id, now);
    return now;
  }

  return {
    termsOf: async ({ company_id, endpoint_version }) => (await keptOf(company_id, endpoint_version))?.endpoint ?? null,
    async ask(consultation, signal) {
      const now = await keptOf(consultation.company_id, 0);
      if (now === null) return { kind: 'failed', why: 'removed', note: null };
      return (await askEndpoint(ports, now.endpoint, consultation, signal, now)).reply;
    },
  };
}

const endpoints_max = 10_000;

/** Posts the question to the endpoint, signed as deliveries of webhooks are. */
export async function askEndpoint(
  { poster, ...signer }: EndpointPorts,
  endpoint: DecisionEndpoint,
  consultation: Consultation,
  signal: AbortSignal,
  { is_test = false, sign = requestSigner(signer) }: { readonly is_test?: boolean; readonly sign?: SignRequest } = {},
): Promise<EndpointExchange> {
  const body = consultationBody(consultation, is_test);
  const request = sign({ ...endpoint, callback_url: endpoint.url }, { id: consultation.id, body });
  const answer = await poster.post(request, signal);
  return { request, answer, reply: readAnswer(answer) };
}

export type ConsultationContent = ReturnType<typeof consultationContent>;

const decision_requested = 'virtualcard.decision.requested';

/** The content of the request to an endpoint. */
export function consultationContent(consultation: Consultation, is_test: boolean) {
  const { id, company_id, item, asked, currency, partial_approval, respond_by_ms } = consultation;
  return {
    id,
    type: decision_requested,
    respond_by: toInstantText(respond_by_ms),
    company_id,
    vcn_id: item.vcn_id,
    amount: asked as number,
    currency,
    partial_approval,
    test: is_test,
    authorization: item,
  };
}

function consultationBody(consultation: Consultation, is_test: boolean): string {
  return JSON.stringify({ data: consultationContent(consultation, is_test) });
}

/** Takes an answer only if it is a whole JSON text with a status 2xx. */
function readAnswer(answer: PostedAnswer): ClientReply {
  if (answer.kind === 'unanswered') {
    const why = answer.error === 'timeout' ? 'timeout' : 'unreachable';
    return { kind: 'failed', why, note: `${answer.error}: ${answer.detail}` };
  }
  const { status, content_type, body, is_cut } = answer;
  if (status < 200 || status > 299) return { kind: 'failed', why: 'status', note: `the status is ${status}` };
  const garbage = (note: string): ClientReply => ({ kind: 'failed', why: 'garbage', note });
  if (!/^application\/(?:[\w.+-]+\+)?json(?:;|$)/i.test(content_type?.trim() ?? '')) {
    return garbage('Content-Type must be application/json');
  }
  if (is_cut) return garbage(`the answer is longer than ${decision_answer_bytes_max} bytes`);
  try {
    return readClientAnswer(JSON.parse(body));
  } catch {
    return garbage('the answer is not JSON');
  }
}
