import { rolesOf } from '@tallystick/access';
import type { OpenApiDocument } from '../document/openapi.ts';
import { errorResponseOf } from '../document/responses.ts';
import { messages_path } from '../endpoints.ts';
import { lines_type } from './line-exchange.ts';
import { idle_ms_max, message_bytes_max } from './messages.ts';

const description = `Each line of the body is a message: \`{"type":"authorization","data":{...}}\` with the \`data\` of an
AuthorizationMessage, or \`{"type":"clearing","data":{...}}\` with that of a ClearingMessage. A line has at most
${message_bytes_max} bytes; empty lines are counted and have no answer.

Each line of the answer is \`{"line":3,"status":200,"data":{...}}\`: the number of the line, counted from 1, the status that
the message would have got alone, and the body that it would have got. \`retry_after_s\` is there in place of Retry-After. A
line is answered as soon as it is decided, so answers are in no order. Messages about one card are decided in the order of
their lines. A line that is refused is refused alone.

The request may stay open for as long as it has a line every ${idle_ms_max / 60_000} minutes; an empty one is enough. Lines are
read as they are decided and as their answers are read. Send a line that got no answer again: a repeated message gets its first
answer. The request and each of its lines count in the rate limits. A key with a signing secret is refused (\`forbidden\`),
because lines are answered before the signature of the whole could be verified.

Needs a key of the role ${rolesOf('network_messages')
  .map((role) => `\`${role}\``)
  .join(' or ')}.`;

export const messages_operations: OpenApiDocument['paths'] = {
  [messages_path]: {
    post: {
      summary: 'Send many messages in one request',
      description,
      tags: ['Network'],
      operationId: 'network.messages.send',
      parameters: [],
      requestBody: { required: true, content: { [lines_type]: { schema: { type: 'string', format: 'binary' } } } },
      responses: {
        200: {
          description: 'The answers to the lines',
          headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
          content: { [lines_type]: { schema: { type: 'string' } } },
        },
        400: errorResponseOf('InvalidUpload'),
        401: errorResponseOf('Unauthenticated'),
        403: errorResponseOf('Forbidden'),
        415: errorResponseOf('UnsupportedUpload'),
        429: errorResponseOf('RateLimited'),
        500: errorResponseOf('InternalError'),
        503: errorResponseOf('Unavailable'),
      },
      security: rolesOf('network_messages').map((role) => ({ key: [role] })),
    },
  },
};
