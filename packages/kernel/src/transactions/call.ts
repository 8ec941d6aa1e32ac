/** Who calls a use case, and when. */
export interface Call {
  /** The company whose data the call may see and change. */
  readonly company_id: number;
  /** For the audit log: `key:<id>`, `command`, `job:<name>`. */
  readonly actor: string;
  readonly request_id: string | null;
  /** The clock, read once for the call; epoch milliseconds. */
  readonly now_ms: number;
}
