/** A status, a JSON body if any, and further headers. */
export interface Answer {
  readonly status: number;
  /** Absent: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Ids of the cards whose numbers the answer shows. The audit log records every showing, and so
   * every replay.
   */
  readonly shows_numbers_of?: readonly number[];
  /** In place of a JSON body. */
  readonly file?: AnsweredFile;
}

/** A body of any length that is made while it is sent. */
export interface AnsweredFile {
  /** With its parameters: `text/csv; charset=utf-8`. */
  readonly media_type: string;
  /** The name under which a browser saves it. */
  readonly name: string;
  readonly first: string;
  /** The chunks after the first. Ended early when the client disconnects. */
  readonly rest: AsyncGenerator<string, void, undefined>;
}

/**
 * An answer as sent. The body is text already, so that it can be stored and replayed byte for byte.
 */
export interface RenderedAnswer {
  readonly status: number;
  /** JSON text; null: no body. */
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly shows_numbers_of?: readonly number[];
  readonly file?: AnsweredFile;
}

const no_headers: Readonly<Record<string, string>> = {};

/** Writes the body of an answer as JSON text. */
export function render(answer: Answer): RenderedAnswer {
  return {
    status: answer.status,
    text: answer.body === undefined ? null : JSON.stringify(answer.body),
    headers: answer.headers ?? no_headers,
    ...(answer.shows_numbers_of === undefined ? {} : { shows_numbers_of: answer.shows_numbers_of }),
    ...(answer.file === undefined ? {} : { file: answer.file }),
  };
}
