import { escapeHtml } from '../../answer/html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { curlCommands } from './curl.ts';
import { code, heading, prose } from './markup.ts';
import {
  bodySchema,
  type OperationResponse,
  type PlacedOperation,
  parameterEntries,
  responsesOf,
} from './operation.ts';
import { entryList, schemaFields, schemaKind } from './schema-list.ts';

/** The anchor of the sentence about deprecated operations. */
export const deprecated_anchor = 'deprecated';

/** The anchor of the table of response headers. */
export const headers_anchor = 'response-headers';

/** HTML of one operation: its purpose, its request and its responses. */
export function operationSection(placed: PlacedOperation, document: OpenApiDocument): string {
  const { method, path, operation } = placed;
  const facts = [
    `${methodName(method)} ${code(path)}`,
    ...(operation.deprecated ? [`<a href="#${deprecated_anchor}">deprecated</a>`] : []),
  ];
  const commands = curlCommands(method, path, operation, document).map(
    (command) => `<pre class="curl">${escapeHtml(command)}</pre>`,
  );
  return `<section>
${heading(3, operation.operationId, escapeHtml(operation.summary))}
<p class="facts">${facts.join(' · ')}</p>
${operation.description === '' ? '' : `<p>${prose(operation.description)}</p>`}
${commands.join('\n')}
${parameters(placed)}
${body(placed)}
${responses(placed, document)}
</section>`;
}

/** HTML of a method. */
export function methodName(method: string): string {
  return `<span class="method">${escapeHtml(method.toUpperCase())}</span>`;
}

function parameters({ operation }: PlacedOperation): string {
  const entries = parameterEntries(operation);
  return entries.length === 0 ? '' : `<h4>Parameters</h4>\n${entryList(entries)}`;
}

function body({ operation }: PlacedOperation): string {
  const schema = bodySchema(operation);
  return schema === null ? '' : `<h4>Body</h4>\n<p>${schemaKind(schema)}</p>\n${schemaFields(schema)}`;
}

function responses({ operation }: PlacedOperation, document: OpenApiDocument): string {
  const [success, ...errors] = responsesOf(operation, document);
  if (success === undefined) return '';
  // The headers that an error has in common with the success are listed there.
  const own = (headers: readonly string[]) => headers.filter((name) => !success.headers.includes(name));
  const entries = [
    responseEntry({ ...success, headers: success.headers.filter((name) => name !== 'X-Request-Id') }),
    ...errors.map((one) => responseEntry({ ...one, headers: own(one.headers) })),
  ];
  return `<h4>Responses</h4>\n<dl class="responses">${entries.join('\n')}</dl>`;
}

function responseEntry({ status, description, schema, html, headers }: OperationResponse): string {
  const content = html ? 'an HTML page' : schema === null ? 'no body' : schemaKind(schema);
  const text = description.replace(/; no body$/, '');
  const inside = schema === null ? '' : schemaFields(schema);
  const names = headers.map((name) => code(name)).join(', ');
  const also = names === '' ? '' : `<p class="kind">${names} in the <a href="#${headers_anchor}">header</a></p>`;
  return `<dt>${code(status)}</dt><dd><p>${prose(text)}: ${content}</p>${inside}${also}</dd>`;
}
