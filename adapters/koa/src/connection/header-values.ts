import type { IncomingMessage } from 'node:http';

/**
 * Returns every value of a header, in the order in which they were sent. Node keeps the first value
 * of some headers and joins those of others, and its requests of HTTP/2 have no `headersDistinct`.
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
