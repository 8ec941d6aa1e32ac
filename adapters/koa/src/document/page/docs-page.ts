import { type Role, roles, sandbox_keys } from '@tallystick/access';
import { escapeHtml } from '../../answer/html.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { type ContentsEntry, contentsList, operationLinks, tagEntry } from './contents.ts';
import { keyVariable, url_variable } from './curl.ts';
import { anchorOf, code, heading, prose, table } from './markup.ts';
import { open_banking_section, openBankingSection } from './open-banking-section.ts';
import { operationRole, operationsOf } from './operation.ts';
import { deprecated_anchor, headers_anchor, operationSection } from './operation-section.ts';
import { reference_links, referenceSections } from './reference-section.ts';
import { type Schema, schemaFields, schemaKind } from './schema-list.ts';
import { docs_style } from './style.ts';
import { webhook_section, webhookSection } from './webhook-section.ts';

const requests: ContentsEntry = { anchor: 'requests', content: 'Requests from a shell' };
const schemas: ContentsEntry = { anchor: 'schemas', content: 'Schemas' };

/** Stands in the page for the address at which a reader opened it. */
export const address_mark = 'http://address.of.this.page';

/** What the page says beside the document. */
export interface PageOptions {
  readonly sandbox: boolean;
  /** Whether third parties of Open Banking are served. */
  readonly open_banking: boolean;
}

/** One readable page about the interface: no script, nothing loaded from anywhere. */
export function docsPage(document: OpenApiDocument, { sandbox, open_banking }: PageOptions): string {
  const { info, tags } = document;
  const contents = [
    requests,
    ...tags.map(({ name }) => tagEntry(name, document)),
    webhook_section,
    ...(open_banking ? [open_banking_section] : []),
    ...reference_links,
    schemas,
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} ${escapeHtml(info.version)}</title>
<style>${docs_style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(info.title)}</h1>
<p class="facts">Version ${escapeHtml(info.version)} · <a href="openapi.json">OpenAPI document</a></p>
${info.description
  .split('\n\n')
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join('\n')}
</header>
${contentsList(contents)}
<main>
${requestsSection(document, sandbox)}
${tags.map(({ name, description }) => tagSection(name, description, document)).join('\n')}
${webhookSection(document)}
${open_banking ? openBankingSection() : ''}
${referenceSections()}
${schemasSection(document)}
</main>
</body>
</html>
`;
}

function requestsSection(document: OpenApiDocument, sandbox: boolean): string {
  const operations = document.tags.flatMap(({ name }) => operationsOf(name, document));
  const used = roles.filter((role) => operations.some(({ operation }) => operationRole(operation) === role));
  const keys = sandbox ? 'The keys are the fixed keys of the sandbox.' : 'An operator creates the keys.';
  return `${heading(2, requests.anchor, requests.content)}
<p>The commands on this page use the following variables. ${code(url_variable)} is the address of this page without
${code('/docs')}. ${keys}</p>
<pre class="variables">${escapeHtml(variables(used, sandbox))}</pre>
${headersSection(document)}
${operations.some(({ operation }) => operation.deprecated) ? deprecatedSection() : ''}`;
}

function variables(used: readonly Role[], sandbox: boolean): string {
  const keys = used.map((role) => `export ${keyVariable(role)}=${sandbox ? sandbox_keys[role] : `'...'`}`);
  return [`export ${url_variable}=${address_mark}`, ...keys].join('\n');
}

function headersSection({ components }: OpenApiDocument): string {
  const headers = Object.entries((components.headers ?? {}) as Record<string, { readonly description: string }>);
  const rows = headers.map(([name, { description }]) => [code(name), prose(description)]);
  return `${heading(3, headers_anchor, 'Response headers')}\n${table(['Header', 'Meaning'], rows)}`;
}

function deprecatedSection(): string {
  return `${heading(3, deprecated_anchor, 'Deprecated operations')}
<p>An operation that is marked as deprecated works as described and answers with a ${code('Deprecation')} header; no successor
and no date of removal are announced.</p>`;
}

function tagSection(tag: string, description: string, document: OpenApiDocument): string {
  const operations = operationsOf(tag, document);
  return `${heading(2, anchorOf(tag), escapeHtml(tag))}
<p>${prose(description)}.</p>
<div class="operations">${operationLinks(operations)}</div>
${operations.map((placed) => operationSection(placed, document)).join('\n')}`;
}

function schemasSection({ components }: OpenApiDocument): string {
  const sections = Object.entries(components.schemas ?? {}).map(([name, schema]) => {
    const { description } = schema as Schema;
    const fields = schemaFields(schema as Schema);
    return `<section>
${heading(3, name, code(name))}
${description === undefined ? '' : `<p>${prose(description)}</p>`}
${fields === '' ? `<p>${schemaKind(schema as Schema)}</p>` : fields}
</section>`;
  });
  return `${heading(2, schemas.anchor, schemas.content)}\n${sections.join('\n')}`;
}
