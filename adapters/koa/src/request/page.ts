import type { IncomingHttpHeaders } from 'node:http';

/** A page or a file that the caller of the interface serves beside it, by GET at one path. */
export interface Page {
  readonly path: string;
  /** Returns the answer, with status 200. A client that has the same `ETag` is answered 304. */
  readonly answer: (headers: IncomingHttpHeaders) => PageAnswer | Promise<PageAnswer>;
}

export interface PageAnswer {
  /** With `Content-Type`. They replace the headers of the interface. */
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
}
