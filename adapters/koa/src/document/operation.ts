import type { Json } from './schemas.ts';

/** A request of a client to the service, or of the service to a callback URL. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly deprecated?: true;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  /** The authentication schemes, each with the role that the key needs. Empty: no key is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** A path, query or header parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  /** Of an object: each property is a parameter of its own, `filter[status]=Approved`. */
  readonly style?: 'deepObject';
  readonly explode?: true;
  readonly schema: Json;
}
