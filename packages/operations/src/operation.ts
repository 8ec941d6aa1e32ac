import { type AccessTx, type Area, companyOf, type Principal } from '@tallystick/access';
import type { BankTx } from '@tallystick/accounts';
import type {
  ActivityTx,
  BacktestTx,
  CardsTx,
  ConsultationsTx,
  DecisionEndpointTx,
  MailTx,
  QuarantineTx,
} from '@tallystick/cards';
import type { ConsentsTx } from '@tallystick/consents';
import type { WebhooksTx } from '@tallystick/events';
import type { ImportTx } from '@tallystick/imports';
import {
  type AuditChainStore,
  type BacklogStore,
  type Call,
  Fault,
  invalid,
  type Page,
  type RefusalCode,
} from '@tallystick/kernel';
import type { BridgeTx, ReconciliationTx } from '@tallystick/reconciliation';
import type { TemplatesTx } from '@tallystick/templates';
import type * as z from 'zod';
import type { Parameter, ParameterValues } from './call/parameters.ts';
import type { Query, QueryShape } from './call/query.ts';

/** The stores that the operations need of a transaction: those of every use case that they call. */
export type OperationTx = CardsTx &
  TemplatesTx &
  AccessTx &
  BankTx &
  ConsentsTx &
  WebhooksTx &
  DecisionEndpointTx &
  Pick<ConsultationsTx, 'consultations'> &
  MailTx &
  QuarantineTx &
  ImportTx &
  BacktestTx &
  ActivityTx & { readonly backlog: BacklogStore } & ReconciliationTx &
  BridgeTx & { readonly audit_chain: AuditChainStore };

/** What an operation may know of its caller: an API key, or the host that calls in process. */
export type Caller = Pick<Principal, 'key_id' | 'role' | 'company_id'>;

/** A call that passed all checks: its caller may make it, and its values are in shape. */
export interface OperationCall<Body = unknown> extends ParameterValues {
  readonly caller: Caller;
  /** The caller as the audit log names it. */
  readonly actor: string;
  readonly request_id: string;
  /** The IP address of the caller over HTTP; null in process. */
  readonly source_address: string | null;
  /** Service time, read once for the call; epoch milliseconds. */
  readonly now_ms: number;
  /** When the call arrived in the process, if earlier than now; milliseconds of a monotonic clock. */
  readonly arrived_ms?: number | undefined;
  /** The caller waits for its turn, as long as the deadline permits: see `Network.authorize`. */
  readonly is_patient?: boolean | undefined;
  readonly query: Query;
  readonly body: Body;
  /** Returns a path of the interface as the caller reaches it. For links in a resource. */
  linkTo(path: string): string;
}

/**
 * A file of any length that is made while it is read. End it early with `return()`: until its end
 * it keeps one of the few places for files that are made at the same time.
 */
export interface ResultFile {
  /** With its parameters: `text/csv; charset=utf-8`. */
  readonly media_type: string;
  /** A plain name for the file. */
  readonly name: string;
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

/** A resource that is not the whole result of the call. */
export class Interim {
  readonly data: unknown;
  /**
   * `accepted`: the work goes on or waits for a person, and the resource shows its state. `undecided`: a fault prevented
   * the decision, and the resource tells the card network so.
   */
  readonly state: 'accepted' | 'undecided';

  constructor(state: Interim['state'], data: unknown) {
    this.state = state;
    this.data = data;
  }
}

/** Keeps a file until it is whole, and passes to `work` what reads its bytes from the beginning. */
export type Spool = <Result>(
  bytes: AsyncIterable<Uint8Array>,
  work: (read: () => AsyncIterable<Uint8Array>) => Promise<Result>,
) => Promise<Result>;

/** Too much of the same work is in progress. The same call may succeed later. */
export class Busy extends Fault {
  /** Whose work it is: that of all callers, or of the company alone. */
  readonly of: 'all' | 'company';
  /** Seconds after which a caller may try again. */
  readonly retry_after_s: number;

  constructor(message: string, of: Busy['of'], retry_after_s: number) {
    super(message, { retryable: true });
    this.of = of;
    this.retry_after_s = retry_after_s;
  }
}

/** What every operation states. The checks, both interfaces and the OpenAPI document follow from it. */
interface Described<Body extends z.ZodType> {
  /** The function name of generated clients: `webhooks.deliveries.retry`. Unique, never changes. */
  readonly id: string;
  /**
   * The method of a host that calls in process: `company.webhooks.deliveries.retry`. Its arguments
   * are the parameters, then the resource or the file if there is one, then the options. Absent: the
   * id, in the group `company` unless it begins with another group.
   */
  readonly method?: string;
  readonly summary: string;
  readonly description?: string;
  /** What the call is about, in the order of the arguments. */
  readonly parameters?: readonly Parameter[];
  readonly query?: QueryShape;
  /** The schema that checks the whole body: `data`, and members beside it. */
  readonly body?: Body;
  /**
   * The documented shape, where `body` leaves the fields to the domain, which reports every problem
   * at the same time.
   */
  readonly documented_body?: z.ZodType;
  /**
   * The resource that `data` describes. A caller may send it back: its members that are not in the
   * schema of the body are ignored. Absent: `data` is no resource.
   */
  readonly takes_back?: z.ZodObject;
  /** A host may leave out `data`, and a request its body. It is empty then. */
  readonly data_is_optional?: boolean;
  /** The shape of the resource, or of the items of a list. Null: there is none. */
  readonly answer: z.ZodType | null;
  /** The result may come before the work has ended: `Interim`. */
  readonly answers_early?: boolean;
  /** The shape of the result of a call that waits for a second person: an `Interim`. */
  readonly answers_pending?: z.ZodType;
  /** The media types of a result that is a file. */
  readonly answers_file?: string | readonly string[];
  /** Further refusals, for the document: beside those that follow from the other fields. */
  readonly refusals?: readonly RefusalCode[];
  /** Why the operation cannot take part in a transaction of the host. Absent: it can. */
  readonly runs_alone?: string;
}

/** Reads in one transaction. Returns a resource, or a page of resources, as plain JSON values. */
export interface ReadOperation<Body extends z.ZodType = z.ZodType> extends Described<Body> {
  read(tx: OperationTx, call: OperationCall<z.output<Body>>): Promise<unknown>;
  /**
   * Whether this call shows the number of the card that it returns. The audit log has an entry
   * then, so that a read writes.
   */
  showsNumber?(call: OperationCall<z.output<Body>>): boolean;
  /** Work before the transaction, with transactions of its own: the operation runs alone. */
  before?(call: Pick<OperationCall, 'caller'>): Promise<void>;
}

/** Writes in one transaction, which may run again after a conflict: it does no outside I/O. */
export interface WriteOperation<Body extends z.ZodType = z.ZodType> extends Described<Body> {
  write(tx: OperationTx, call: OperationCall<z.output<Body>>): Promise<unknown>;
  /**
   * Whether this call shows the number of the card that it returns. The audit log has an entry
   * then.
   */
  showsNumber?(call: OperationCall<z.output<Body>>): boolean;
  /**
   * The part of the service in which the call lets somebody else change something. A visitor must be
   * permitted to do that, too.
   */
  passesOn?(call: OperationCall<z.output<Body>>): Area | null;
  /**
   * Called once the transaction has committed; in a transaction of the host, at the end of the
   * call. So it may only speed up what happens anyway.
   */
  committed?(call: OperationCall<z.output<Body>>): void;
}

/** Runs its transactions itself. A repeat with the same input must change nothing more. */
export interface WorkOperation<Body extends z.ZodType = z.ZodType> extends Described<Body> {
  readonly runs_alone: string;
  /** It changes nothing that a caller can see. */
  readonly only_reads?: boolean;
  perform(call: OperationCall<z.output<Body>>): Promise<unknown>;
}

/** Takes a file of any length, whose bytes are passed on as they arrive. */
export interface FileOperation extends Described<z.ZodType> {
  readonly runs_alone: string;
  /** The most bytes of the file. Absent: no limit. */
  readonly file_bytes_max?: number;
  /**
   * `bytes` rejects after its last byte when the request is not authentic, so nothing may take
   * effect before its end.
   */
  receive(call: OperationCall<undefined>, bytes: AsyncIterable<Uint8Array>, preference: EarlyAnswer): Promise<unknown>;
}

/** The preference of a caller who does not wait for the end of the work. */
export interface EarlyAnswer {
  readonly prefers_early: boolean;
  /** Work that goes on after the result: it counts as a call in progress until it settles. */
  keepFor(rest: Promise<unknown>): void;
}

/** Reasons why an operation runs alone. */
export const catches_up = 'it records what has arrived first, in transactions of its own';
export const shares_pass = 'it shares a pass with the messages of the network';
export const own_transactions = 'its work is many transactions';

/** An operation of any kind and body. */
export type Operation = (ReadOperation | WriteOperation | WorkOperation | FileOperation) & {
  /** The part of the service, which says the roles that may call it. */
  readonly area: Area;
  readonly method: string;
};

/** Returns the operation, with its work typed by the schema of its body. */
export function operation<Body extends z.ZodType>(
  area: Area,
  definition: ReadOperation<Body> | WriteOperation<Body> | WorkOperation<Body> | FileOperation,
): Operation {
  // Every call passes through the checks of the body, so the work gets only the output of its schema.
  const { id } = definition;
  const method = /^(bank|network|operator|sandbox)\./.test(id) ? id : `company.${id}`;
  return { area, method, ...definition } as unknown as Operation;
}

/** Whether the operation can take part in a transaction of the host. */
export function joinsTransaction({ runs_alone }: Pick<Operation, 'runs_alone'>): boolean {
  return runs_alone === undefined;
}

/**
 * Whether fields and options that the operation does not know are ignored: card networks add fields
 * to their messages (decision: unknown fields).
 */
export function ignoresUnknownNames({ area }: Pick<Operation, 'area'>): boolean {
  return area === 'network_messages';
}

export function present<Item, Shown>({ items, next }: Page<Item>, show: (item: Item) => Shown): Page<Shown> {
  return { items: items.map(show), next };
}

/** The parts of a call that a use case needs. */
type CallParts = Pick<OperationCall, 'caller' | 'actor' | 'request_id' | 'source_address' | 'now_ms'>;

/** Returns the call as a use case of the caller's own company takes it. */
export function companyCall(call: CallParts): Call {
  return callFor(call, companyOf(call.caller));
}

/** Returns the call as a use case takes it on behalf of a company. */
export function callFor({ actor, request_id, source_address, now_ms }: CallParts, company_id: number): Call {
  return { company_id, actor, request_id, source_address, now_ms };
}

/** Returns the call as a use case takes it that is not about a single company. */
export function operatorCall({ actor, request_id, source_address, now_ms }: CallParts) {
  return { actor, request_id, source_address, now_ms };
}

/** Returns the call as a use case of the bank's data takes it. */
export function bankCall(call: CallParts) {
  return { ...operatorCall(call), served_company_id: servedCompany(call) };
}

/**
 * The one company that a caller of the bank serves; null: it serves all. The sandbox's fixed key is
 * the key of the whole bank.
 */
export function servedCompany({ caller: { key_id, company_id } }: Pick<OperationCall, 'caller'>): number | null {
  return key_id === 'sandbox:bank' ? null : company_id;
}

/** Refuses (`validation_failed`) the id of a company that does not exist, in the field `company_id`. */
export async function requireCompany(tx: Pick<OperationTx, 'companies'>, company_id: number): Promise<void> {
  if ((await tx.companies.find(company_id)) !== null) return;
  throw invalid({ path: 'company_id', message: `must be the id of a company; there is none with id ${company_id}` });
}
