import { type Call, type Page, type PageRequest, pageOfVersions, Refusal, type Version } from '@tallystick/kernel';
import type { TemplatesTx } from './ports.ts';
import { type PurchaseTemplate, type TemplateRule, type TemplateState, templateStateOf } from './template.ts';

type VersionsTx = Pick<TemplatesTx, 'templates'>;

/**
 * Lists the versions of a template of the company or a shared one, the newest first. Refuses
 * (`not_found`) an unknown template.
 */
export async function listTemplateVersions(
  tx: VersionsTx,
  call: Pick<Call, 'company_id'>,
  id: number,
  page: PageRequest,
): Promise<Page<Version<TemplateState>>> {
  const template = await tx.templates.find(call.company_id, id);
  if (template === null) throw new Refusal('not_found', `there is no purchase template ${id}`);
  const present = {
    version: template.version,
    state: templateStateOf(template),
    created_at_ms: template.created_at_ms,
  };
  return pageOfVersions('template_versions', present, page, (below, limit) =>
    tx.templates.versionsBelow(id, below, limit),
  );
}

/** What decisions read of a template at a version; null: it is no longer known. */
export async function templateRuleAt(
  tx: VersionsTx,
  template: PurchaseTemplate | null,
  version: number,
): Promise<TemplateRule | null> {
  if (template === null || version === template.version) return template;
  const [ended] = await tx.templates.versionsBelow(template.id, version + 1, 1);
  return ended?.version === version ? { ...ended.state, version } : null;
}
