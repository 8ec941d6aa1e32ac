import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

/**
 * Names the folder of the official documents of Open Banking. They are no part of the product.
 */
export const open_banking_documents_variable = 'TEST_OPEN_BANKING_DOCUMENTS';

/** The folder without the variable: `shared/spec/openbanking` beside the project. */
const beside_the_project = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'spec', 'openbanking');

const file_names = ['account-info-openapi-3.1.11.json', 'confirmation-funds-openapi-3.1.11.json'] as const;

function folder(): string {
  return process.env[open_banking_documents_variable] || beside_the_project;
}

/** Why those documents cannot be read, for the `skip` of a test; false when they can. */
export function openBankingDocumentsMissing(): string | false {
  if (file_names.every((name) => existsSync(join(folder(), name)))) return false;
  return `${open_banking_documents_variable} names no folder with ${file_names.join(' and ')}, and the project has none beside it`;
}

type Json = Readonly<Record<string, unknown>>;

/** An answer, as a client received it. */
export interface OpenBankingAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Checks answers against the official documents: the status, the headers, whether there is a body,
 * and the body with `additionalProperties` as the documents have them.
 */
export interface OpenBankingDocuments {
  /**
   * The problem of an answer; null when there is none. `path` is that of the documents, such as
   * `/accounts/{AccountId}/balances`.
   */
  findProblem(method: string, path: string, answer: OpenBankingAnswer): string | null;
}

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uri: (text: string) => /^https?:\/\/[\x21-\x7e]+$/.test(text) && URL.canParse(text),
  int32: true,
  base64: true,
} as const;

/** Reads the documents. Throws when they are missing (`openBankingDocumentsMissing`). */
export function readOpenBankingDocuments(): OpenBankingDocuments {
  const documents = file_names.map((name) => JSON.parse(readFileSync(join(folder(), name), 'utf8')) as Json);
  const ajv = new Ajv({ strict: false, allErrors: true, formats });
  const compiled = new Map<object, ValidateFunction>();

  return {
    findProblem(method, path, { status, headers, text }) {
      const at = documents.findIndex((document) => path in (document.paths as Json));
      if (at < 0) return `the documents have no path ${path}`;
      const document = documents[at]!;
      const operation = ((document.paths as Json)[path] as Json)[method.toLowerCase()] as Json | undefined;
      if (operation === undefined) {
        const is_bodyless = status === 405 && text === '';
        return is_bodyless ? null : `${method} is not in the documents, and the answer was ${status} ${text}`;
      }
      const documented = resolve(document, (operation.responses as Json)[String(status)]);
      if (documented === null) return `the documents have no answer ${status}: ${text}`;
      for (const [name, header] of Object.entries((documented.headers ?? {}) as Json)) {
        if ((header as Json).required === true && !headers.has(name)) return `${status} has no header ${name}`;
      }
      const content = documented.content as Json | undefined;
      if (content === undefined) return text === '' ? null : `${status} has a body: ${text}`;
      const type = headers.get('content-type') ?? 'no Content-Type';
      const media = content[type] as Json | undefined;
      if (media === undefined) return `${status} is ${type}, which the documents do not have`;
      const { schema } = media as { readonly schema: object };
      let validate = compiled.get(schema);
      if (validate === undefined) {
        validate = ajv.compile({ ...schema, components: document.components });
        compiled.set(schema, validate);
      }
      if (validate(JSON.parse(text))) return null;
      const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
        return `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`;
      });
      return `${problems.slice(0, 8).join('; ')}\n${text.slice(0, 2_000)}`;
    },
  };
}

function resolve(document: Json, value: unknown): Json | null {
  if (typeof value !== 'object' || value === null) return null;
  const { $ref } = value as { readonly $ref?: string };
  if ($ref === undefined) return value as Json;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Json)[name.replace(/~1/g, '/').replace(/~0/g, '~')], document);
  return resolve(document, found);
}

/**
 * Names the folder of clearing files that other programs wrote. They are no part of the product.
 */
export const clearing_samples_variable = 'TEST_CLEARING_SAMPLES';

/** The folder without the variable: `shared/spec/clearing-samples` beside the project. */
const samples_beside_the_project = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  'shared',
  'spec',
  'clearing-samples',
);

/** The folder of those files, which may be absent. */
export function clearingSamplesFolder(): string {
  return process.env[clearing_samples_variable] || samples_beside_the_project;
}

/** Why those files cannot be read, for the `skip` of a test; false when they can. */
export function clearingSamplesMissing(): string | false {
  if (existsSync(clearingSamplesFolder())) return false;
  return `${clearing_samples_variable} names no folder, and the project has none beside it`;
}

/** The bytes of one of those files. */
export function readClearingSample(name: string): Buffer {
  return readFileSync(join(clearingSamplesFolder(), name));
}
