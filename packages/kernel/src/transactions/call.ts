/** The caller and the time of a use case. */
export interface Call {
  /** The company whose data the call may see and change. */
  readonly company_id: number;
  /** For the audit log: `key:<id>`, `command`, `job:<name>`. */
  readonly actor: string;
  readonly request_id: string | null;
  /** The time of the call, read once from the clock; epoch milliseconds. */
  readonly now_ms: number;
}
