import { createPortalLink, portal_link_s_default, portal_link_s_max, portal_link_s_min } from '@tallystick/access';
import { type Random, Refusal, type Sha256, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { id_text, resourceType, shown_instant } from '../fields.ts';
import { companyCall, type Operation, operation } from '../operation.ts';

export interface PortalOperationPorts {
  readonly random: Random;
  readonly sha256: Sha256;
  /** The address of the page that opens links. Absent or null: there is no console that does. */
  readonly portalUrl?: (() => string | null) | undefined;
}

const create_portal_link = z
  .object({
    data: z.object({
      read_only: z.boolean().nullish().describe('True: its visit can change and send nothing. Null: false'),
      expires_in_s: z
        .int()
        .min(portal_link_s_min)
        .max(portal_link_s_max)
        .nullish()
        .describe(`Seconds within which it must be opened; null: ${portal_link_s_default}`),
    }),
  })
  .meta({ id: 'CreatePortalLink', description: 'A new portal link', examples: [{ data: { read_only: true } }] });

const portal_link = z
  .object({
    id: id_text,
    url: z
      .string()
      .meta({ format: 'uri' })
      .describe('Its address, which is shown only once. The secret is behind the #, which browsers do not send'),
    read_only: z.boolean().describe('True: its visit can change and send nothing'),
    expires_at: shown_instant.describe('Until when it can be opened, once, UTC'),
    type: resourceType('portal_link'),
  })
  .meta({ id: 'PortalLink', description: "A link to a company's own view of its webhooks and events" });

/** `/v1/portal-links`. */
export function portalOperations(ports: PortalOperationPorts): readonly Operation[] {
  return [
    operation('portal_links', {
      id: 'portalLinks.create',
      summary: 'Create a link to the webhooks and events of the company, for a person without a key',
      description:
        'It opens once, within a short time, a page of the console that shows only these, for an hour. `conflict` where the console is off.',
      body: create_portal_link,
      data_is_optional: true,
      refusals: ['conflict'],
      answer: portal_link,
      passesOn: ({ body }) => (body.data.read_only ? null : 'webhooks'),
      async write(tx, call) {
        const address = ports.portalUrl?.() ?? null;
        if (address === null) {
          throw new Refusal(
            'conflict',
            'no console opens the link: start the service with CONSOLE=on; in a host application, mount the console with the option url',
          );
        }
        const { read_only, expires_in_s } = call.body.data;
        const request = { read_only: read_only ?? false, expires_in_s: expires_in_s ?? portal_link_s_default };
        const { link, token } = await createPortalLink(tx, ports, companyCall(call), request);
        return {
          id: String(link.id),
          url: `${address}#${token}`,
          read_only: link.read_only,
          expires_at: toInstantText(link.expires_at_ms),
          type: 'portal_link',
        };
      },
    }),
  ];
}
