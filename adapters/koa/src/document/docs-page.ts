import { escapeHtml } from '../answer/html.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem 1.5rem 6rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: 0.75rem 1rem; overflow: auto; border-radius: 6px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0.5rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
.deprecated { text-decoration: line-through; }
.note { opacity: 0.7; font-size: 0.875em; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); }
`;

/** The page's style sheet, for the hash in its Content-Security-Policy. */
export const docs_style = style;

/** One readable page about the interface: no script, nothing loaded from anywhere. */
export function docsPage(document: OpenApiDocument): string {
  const sections = document.tags.map(({ name }) => section(name, document)).join('\n');
  const schemas = Object.entries(document.components.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${fields(schema as Schema)}</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} ${escapeHtml(document.info.version)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(document.info.title)}</h1>
<p class="note">Version ${escapeHtml(document.info.version)} · <a href="/openapi.json">OpenAPI document</a></p>
${document.info.description
  .split('\n\n')
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join('\n')}
${sections}
<h2>Shapes</h2>
${schemas.join('\n')}
</body>
</html>
`;
}

function section(tag: string, document: OpenApiDocument): string {
  const { paths } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => one(method, path, operation, document)),
  );
  return `<h2>${escapeHtml(tag)}</h2>\n${operations.join('\n')}`;
}

function one(method: string, path: string, operation: Operation, document: OpenApiDocument): string {
  const crossed = operation.deprecated ? ' class="deprecated"' : '';
  return `<details id="${escapeHtml(operation.operationId)}">
<summary><span class="method">${method.toUpperCase()}</span> <code${crossed}>${escapeHtml(path)}</code> ${escapeHtml(operation.summary)}${operation.deprecated ? ' <span class="note">deprecated</span>' : ''}</summary>
<p>${prose(operation.description)}</p>
${parameters(operation)}
${body(operation, document)}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .map(([status, answer]) => response(status, answer))
  .join('\n')}
</details>`;
}

function parameters({ parameters }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${parameter.in}</td><td>${prose(parameter.description)}</td></tr>`,
  );
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function body({ requestBody }: Operation, { components }: OpenApiDocument): string {
  if (requestBody === undefined) return '';
  const shape = contentOf(requestBody);
  const named = components.schemas?.[shape?.$ref?.split('/').at(-1) ?? ''] as Schema | undefined;
  const examples =
    named?.examples?.map((example) => `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`) ?? [];
  return `<h4>Body</h4><p>${kind(shape)}, such as</p>${examples.join('\n')}`;
}

function response(status: string, answer: Readonly<Record<string, unknown>>): string {
  const shape = typeof answer.$ref === 'string' ? { $ref: '#/components/schemas/Error' } : contentOf(answer);
  return `<div><code>${status}</code> ${shape === null ? 'no body' : kind(shape)}</div>`;
}

/** As much of JSON Schema as the page shows. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

function contentOf(holder: Readonly<Record<string, unknown>>): Schema | null {
  const content = holder.content as Readonly<Record<string, { readonly schema: Schema }>> | undefined;
  return content?.['application/json']?.schema ?? null;
}

/** What a value may be, in a few words. */
function kind(schema: Schema | null): string {
  if (schema === null) return 'anything';
  if (schema.$ref !== undefined) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#${name}"><code>${name}</code></a>`;
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(kind))].join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(kind).join(' and ');
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(', ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.type === 'array')
    return `array of ${kind(schema.items ?? null)}${bounds(schema.minItems, schema.maxItems, ' items')}`;
  if (schema.type === 'object' && schema.properties !== undefined) return fields(schema);
  const format = schema.format === undefined ? '' : ` (${escapeHtml(schema.format)})`;
  const range = bounds(schema.minimum, schema.maximum, '') + bounds(schema.minLength, schema.maxLength, ' characters');
  return `${escapeHtml([schema.type ?? 'anything'].flat().join(' or '))}${format}${range}`;
}

/** Bounds, without those that only say that a double must hold the number. */
function bounds(least: number | undefined, most: number | undefined, unit: string): string {
  const real = (bound: number | undefined) => bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;
  if (real(least) && real(most)) return `, ${least} to ${most}${unit}`;
  if (real(least)) return `, at least ${least}${unit}`;
  return real(most) ? `, at most ${most}${unit}` : '';
}

function fields(schema: Schema): string {
  if (schema.properties === undefined) return `<p>${kind({ ...schema })}</p>`;
  const rows = Object.entries(schema.properties).map(([name, field]) => {
    const required = schema.required?.includes(name) ? ' <span class="note">required</span>' : '';
    const said = described(field);
    return `<tr><td><code>${escapeHtml(name)}</code>${required}</td><td>${kind(field)}${said === '' ? '' : `<br><span class="note">${prose(said)}</span>`}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

/** A field's description, or that of what it is when it is not null. */
function described(schema: Schema): string {
  return schema.description ?? schema.anyOf?.map(described).find((text) => text !== '') ?? '';
}

/** Text with `code` between backticks. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
