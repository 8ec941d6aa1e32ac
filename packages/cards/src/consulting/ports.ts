import type { EventStore } from '@tallystick/events';
import type { Money, Page, PageRequest } from '@tallystick/kernel';
import type { AuthorizationItem } from '../records/authorization-item.ts';
import type { ConsultationRecord, LateAnswer } from '../records/consultation.ts';
import type { LedgerCard } from '../records/ledger.ts';
import type { ClientAnswer, ConsultationFailure } from '../records/say.ts';
import type { StandInRule } from './stand-in.ts';

/** A question to a company: a request that would be approved now. */
export interface Consultation {
  /** The same for the same message, in every process and after a crash. */
  readonly id: string;
  readonly company_id: number;
  /** The request as it would be approved, with its facts. Its `id` and `approval_code` are null. */
  readonly item: AuthorizationItem;
  /** What would be approved, in the limit currency of the card. */
  readonly asked: Money;
  /** The limit currency of the card. */
  readonly currency: string;
  /** Whether a part of the amount may be approved. */
  readonly partial_approval: boolean;
  /** By the clock of the service. */
  readonly asked_at_ms: number;
  readonly respond_by_ms: number;
}

export type ClientReply =
  | {
      readonly kind: 'answered';
      readonly answer: ClientAnswer;
      /** The approved part in the limit currency of the card; null unless the answer is `approve_part`. */
      readonly amount: number | null;
      /** What the company says about it. */
      readonly note: string | null;
    }
  | { readonly kind: 'failed'; readonly why: ConsultationFailure; readonly note: string | null };

/** How a company is asked. */
export interface ConsultationTerms {
  /** How long it may take, milliseconds. */
  readonly timeout_ms: number;
  /** What decides in its place, in order. */
  readonly stand_in: readonly StandInRule[];
}

/** Asks companies about requests: over HTTP, or a function of the host. */
export interface DecisionMaker {
  /**
   * The terms of the version that the pass saw, or later ones. Null: the company is no longer asked.
   */
  termsOf(of: Pick<LedgerCard, 'company_id' | 'endpoint_version'>): Promise<ConsultationTerms | null>;
  /**
   * Asks, and resolves with the answer whenever it comes. The caller keeps the time: an answer after
   * `respond_by_ms` is a late one, and the signal aborts when nobody listens any more. A rejection
   * counts as `unreachable`.
   */
  ask(consultation: Consultation, signal: AbortSignal): Promise<ClientReply>;
}

/** Consultations, within a transaction. Only passes of the ledger insert and conclude them. */
export interface ConsultationStore {
  find(company_id: number, consultation_id: string): Promise<ConsultationRecord | null>;
  /** Newest first. */
  list(company_id: number, page: PageRequest): Promise<Page<ConsultationRecord>>;
  /** The consultation about an authorization, or null. */
  findByAuthorization(company_id: number, authorization_id: number): Promise<ConsultationRecord | null>;
  /**
   * Keeps a late answer. Returns the record with it, or null, without a change, when it has one or
   * is not concluded: of two transactions that race, one returns the record.
   */
  keepLate(company_id: number, consultation_id: string, late: LateAnswer): Promise<ConsultationRecord | null>;
  /** Deletes those sent before the instant, at most `limit`; returns how many. */
  purge(before_ms: number, limit: number): Promise<number>;
}

export interface ConsultationsTx {
  readonly consultations: ConsultationStore;
  readonly events: Pick<EventStore, 'append'>;
}
