/** The state of an API object as an event tells it; JSON values only. */
export type Payload = Readonly<Record<string, unknown>>;

/** An event to be written in the transaction of the change that it tells of. */
export interface NewEvent {
  readonly company_id: number;
  /** The stored name of its type, e.g. `virtualcard.created`. */
  readonly event_type: string;
  /** Current state of the object. */
  readonly payload: Payload;
  /** State before; null when the object was created. */
  readonly previous: Payload | null;
  readonly created_at_ms: number;
  /** The request that caused it; null for jobs. */
  readonly request_id: string | null;
}

/** An event as stored. Ids rise in the order in which one process wrote them. */
export interface Event extends NewEvent {
  readonly id: number;
}
