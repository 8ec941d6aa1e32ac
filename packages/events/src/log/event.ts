/** The state of an API object in an event; JSON values only. */
export type Payload = Readonly<Record<string, unknown>>;

/** An event to be written in the transaction of the change that it describes. */
export interface NewEvent {
  readonly company_id: number;
  /** The stored name of its type, e.g. `virtualcard.created`. */
  readonly event_type: string;
  /** Current state of the object. */
  readonly payload: Payload;
  /** The previous state; null when the object was created. */
  readonly previous: Payload | null;
  readonly created_at_ms: number;
  /** The request that caused it; null for jobs. */
  readonly request_id: string | null;
}

/** An event as stored. The ids of one process rise in the order in which it wrote the events. */
export interface Event extends NewEvent {
  readonly id: number;
}
