import type { Tag } from './request/route.ts';

/** Where an operation is in the interface, and what only HTTP has. */
export interface Endpoint {
  /** Method and path, with the operation's parameters in their order. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** The section of the document. */
  readonly tag: Tag;
  readonly deprecated?: true;
}

/** The endpoints by the ids of their operations. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...section(
    'Virtual cards',
    { deprecated: true },
    {
      'virtualCards.create': 'POST /v1/virtualcards',
      'virtualCards.list': 'GET /v1/virtualcards',
      'virtualCards.read': 'GET /v1/virtualcards/:id',
      'virtualCards.update': 'PATCH /v1/virtualcards/:id',
      'virtualCards.cancel': 'DELETE /v1/virtualcards/:id',
      'virtualCards.email': 'POST /v1/virtualcards/:id/email',
      'virtualCards.authorizations.list': 'GET /v1/virtualcards/:id/authorizations',
      'virtualCards.authorizations.release': 'POST /v1/virtualcards/:id/authorizations/:authorization_id/release',
      'virtualCards.clearings.list': 'GET /v1/virtualcards/:id/clearings',
    },
  ),
};

function section(
  tag: Tag,
  all: Omit<Endpoint, 'at' | 'tag'>,
  paths: Readonly<Record<string, Endpoint['at'] | Omit<Endpoint, 'tag'>>>,
): Readonly<Record<string, Endpoint>> {
  return Object.fromEntries(
    Object.entries(paths).map(([id, at]) => [id, { tag, ...all, ...(typeof at === 'string' ? { at } : at) }]),
  );
}
