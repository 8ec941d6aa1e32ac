/**
 * Reads the bodies of deliveries with the types of each generator. The type of a delivery states
 * the payload.
 *
 *     node deliveries.ts <JSON file with bodies>
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { DeliveredEvent as OfHeyApi } from '../generated/hey-api/index.ts';
import type { components } from '../generated/openapi.ts';
import type { DeliveredEvent as OfOrval } from '../generated/orval.ts';

type OfOpenApiTypescript = components['schemas']['DeliveredEvent'];

type Summary = readonly [string, string | number | null];

function withOpenApiTypescript(event: OfOpenApiTypescript): Summary {
  switch (event.type) {
    case 'virtualcard.created':
      // @ts-expect-error: only an authorization or a clearing has it
      event.payload.billing_amount;
      return [event.type, event.payload.total_card_amount];
    case 'virtualcard.realtime.auths':
    case 'virtualcard.realtime.iccp.all':
      return [event.type, event.payload.decline_reason];
    case 'virtualcard.clearings':
      return [event.type, event.payload.billing_amount];
    default:
      return [event.type, null];
  }
}

function withHeyApi(event: OfHeyApi): Summary {
  switch (event.type) {
    case 'virtualcard.created':
      // @ts-expect-error: only an authorization or a clearing has it
      event.payload.billing_amount;
      return [event.type, event.payload.total_card_amount];
    case 'virtualcard.realtime.auths':
    case 'virtualcard.realtime.iccp.all':
      return [event.type, event.payload.decline_reason];
    case 'virtualcard.clearings':
      return [event.type, event.payload.billing_amount];
    default:
      return [event.type, null];
  }
}

function withOrval(event: OfOrval): Summary {
  switch (event.type) {
    case 'virtualcard.created':
      // @ts-expect-error: only an authorization or a clearing has it
      event.payload.billing_amount;
      return [event.type, event.payload.total_card_amount];
    case 'virtualcard.realtime.auths':
    case 'virtualcard.realtime.iccp.all':
      return [event.type, event.payload.decline_reason];
    case 'virtualcard.clearings':
      return [event.type, event.payload.billing_amount];
    default:
      return [event.type, null];
  }
}

const [file = ''] = process.argv.slice(2);
const bodies: readonly { readonly data: OfOpenApiTypescript & OfHeyApi & OfOrval }[] = JSON.parse(
  readFileSync(file, 'utf8'),
);
const summaries = bodies.map(({ data }) => withOpenApiTypescript(data));
assert.deepEqual(
  bodies.map(({ data }) => withHeyApi(data)),
  summaries,
);
assert.deepEqual(
  bodies.map(({ data }) => withOrval(data)),
  summaries,
);
console.log(JSON.stringify(summaries));
