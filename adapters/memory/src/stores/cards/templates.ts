import { assert, invalid } from '@tallystick/kernel';
import { name_taken, type PurchaseTemplate, type TemplateStore } from '@tallystick/templates';
import { newestBelow, newestFirst } from '../../storage/paging.ts';
import { type State, versionKey } from '../../storage/state.ts';
import { HeldRows } from '../../storage/table.ts';

export function templateStore({ companies, templates, template_versions }: State): TemplateStore {
  const held = new HeldRows('template');

  function living(): readonly PurchaseTemplate[] {
    return templates.values().filter(({ deleted_at_ms }) => deleted_at_ms === null);
  }

  function pending(): readonly PurchaseTemplate[] {
    return living().filter(({ status }) => status === 'PENDING');
  }

  function hasName(company_id: number, name: string): boolean {
    return living().some((template) => template.company_id === company_id && template.name === name);
  }

  return {
    async insert(template) {
      if (template.company_id !== null) {
        companies.assertHas(template.company_id, 'company');
        if (hasName(template.company_id, template.name)) throw invalid({ path: 'name', message: name_taken });
      }
      const id = templates.nextId();
      held.hold(id);
      return templates.set(id, { ...template, id });
    },

    async find(company_id, id) {
      const template = living().find((one) => one.id === id);
      return template !== undefined && isVisible(template, company_id) ? template : null;
    },

    async nameTaken(company_id, name) {
      return hasName(company_id, name);
    },

    async list(company_id, { transaction_key }, page) {
      const listed = living().filter((template) =>
        transaction_key === undefined
          ? isVisible(template, company_id)
          : template.company_id === company_id && template.transaction_key === transaction_key,
      );
      return newestFirst('templates', listed, page);
    },

    async claimDue(now_ms, limit) {
      const due = pending()
        .filter(({ completes_at_ms }) => completes_at_ms !== null && completes_at_ms <= now_ms)
        .sort((a, b) => a.completes_at_ms! - b.completes_at_ms! || a.id - b.id)
        .slice(0, limit);
      for (const { id } of due) held.hold(id);
      return due;
    },

    async claim(id) {
      const template = pending().find((one) => one.id === id);
      if (template !== undefined) held.hold(id);
      return template ?? null;
    },

    async update(template) {
      held.assertHeld(template.id);
      templates.set(template.id, template);
    },

    async keepVersion(ended) {
      held.assertHeld(ended.template_id);
      const key = versionKey(ended.template_id, ended.version);
      assert(!template_versions.has(key), `version ${ended.version} of template ${ended.template_id} is kept already`);
      template_versions.set(key, ended);
    },

    async versionsBelow(template_id, version, limit) {
      const own = template_versions.values().filter((row) => row.template_id === template_id);
      return newestBelow(own, version, limit);
    },
  };
}

function isVisible(template: PurchaseTemplate, company_id: number): boolean {
  return template.company_id === company_id || template.company_id === null;
}
