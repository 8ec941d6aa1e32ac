import { assert, type Call, endVersion, Refusal } from '@tallystick/kernel';
import type { TemplatesTx } from './ports.ts';
import { type PurchaseTemplate, templateStateOf } from './template.ts';
import { type StatusUrlOf, toTemplateItem } from './wire-shapes.ts';

/** The event of a completion links to the template's status. */
export interface CompletionPorts {
  readonly statusUrlOf: StatusUrlOf;
}

type CompletionTx = Pick<TemplatesTx, 'templates' | 'events'>;

type CompletionCall = Pick<Call, 'now_ms' | 'actor' | 'request_id'>;

/**
 * Completes up to `limit` PENDING templates that are due (service specification 3), and returns how
 * many. Several processes may do this at the same time: each template is completed once, with one
 * event.
 */
export async function completeDueTemplates(
  tx: CompletionTx,
  ports: CompletionPorts,
  now_ms: number,
  limit: number,
): Promise<number> {
  const due = await tx.templates.claimDue(now_ms, limit);
  const call = { now_ms, actor: 'job:templates', request_id: null };
  for (const template of due) await complete(tx, ports, call, template);
  return due.length;
}

/**
 * Completes one PENDING template early, for the operator. Refuses (`not_found`) when it is not
 * PENDING.
 */
export async function completeTemplate(
  tx: CompletionTx,
  ports: CompletionPorts,
  call: CompletionCall,
  id: number,
): Promise<PurchaseTemplate> {
  const template = await tx.templates.claim(id);
  if (template === null) throw new Refusal('not_found', `no purchase template ${id} is PENDING`);
  return complete(tx, ports, call, template);
}

async function complete(
  tx: CompletionTx,
  { statusUrlOf }: CompletionPorts,
  call: CompletionCall,
  pending: PurchaseTemplate,
): Promise<PurchaseTemplate> {
  assert(pending.status === 'PENDING', `template ${pending.id} was claimed though it is ${pending.status}`);
  assert(pending.company_id !== null, `template ${pending.id} is PENDING and belongs to no company`);
  const { now_ms } = call;
  const version = pending.version + 1;
  const active: PurchaseTemplate = {
    ...pending,
    status: 'ACTIVE',
    updated_at_ms: now_ms,
    completes_at_ms: null,
    version,
  };
  const ended = endVersion(pending.version, templateStateOf(pending), call);
  await tx.templates.keepVersion({ template_id: pending.id, ...ended });
  await tx.templates.update(active);
  await tx.events.append([
    {
      company_id: pending.company_id,
      event_type: 'virtualcard.purchasetemplate.created',
      payload: toTemplateItem(active, statusUrlOf),
      previous: toTemplateItem(pending, statusUrlOf),
      created_at_ms: now_ms,
      request_id: null,
    },
  ]);
  return active;
}
