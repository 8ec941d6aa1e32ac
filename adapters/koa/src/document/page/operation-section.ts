import { escapeHtml } from '../../answer/html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { curlCommands } from './curl.ts';
import { code, heading, prose } from './markup.ts';
import {
  bodySchema,
  type OperationResponse,
  operationRole,
  type PlacedOperation,
  parameterEntries,
  responsesOf,
} from './operation.ts';
import { entryList, schemaFields, schemaKind } from './schema-list.ts';

/** The anchor of the sentence about deprecated operations. */
export const deprecated_anchor = 'deprecated';

/** HTML of one operation: what it does, how it is called, what it answers. */
export function operationSection(placed: PlacedOperation, document: OpenApiDocument): string {
  const { method, path, operation } = placed;
  const role = operationRole(operation);
  const facts = [
    `${methodName(method)} ${code(path)}`,
    ...(role === null ? [] : [`key of the role ${code(role)}`]),
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
  const all = responsesOf(operation, document);
  const done = all.filter(({ status }) => status.startsWith('2'));
  const others = alike(all.filter(({ status }) => !status.startsWith('2')));
  return `<h4>Responses</h4>\n<dl class="responses">${[...done.map((one) => [one]), ...others].map(responseEntry).join('\n')}</dl>`;
}

/** The responses that differ in nothing but their status, together. */
function alike(all: readonly OperationResponse[]): readonly (readonly OperationResponse[])[] {
  const groups = Map.groupBy(all, ({ status: _status, ...same }) => JSON.stringify(same));
  return [...groups.values()];
}

function responseEntry(same: readonly OperationResponse[]): string {
  const { description, schema, html, headers } = same[0]!;
  const statuses = same.map(({ status }) => code(status)).join(', ');
  const content = html ? 'an HTML page' : schema === null ? 'no body' : schemaKind(schema);
  const entries = Object.entries(headers).map(([name, header]) => ({
    name,
    required: false,
    kind: `${schemaKind(header.schema)}, header`,
    description: header.description ?? '',
  }));
  const inside = (schema === null ? '' : schemaFields(schema)) + (entries.length === 0 ? '' : entryList(entries));
  return `<dt>${statuses} <span class="kind">${content}</span></dt><dd><p>${prose(description)}</p>${inside}</dd>`;
}
