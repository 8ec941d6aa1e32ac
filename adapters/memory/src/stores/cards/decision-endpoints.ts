import type { DecisionEndpointStore } from '@tallystick/cards';
import type { State } from '../../storage/state.ts';

export function decisionEndpointStore({ companies, decision_endpoints }: State): DecisionEndpointStore {
  function raiseVersion(company_id: number, is_asked: boolean): void {
    const changes = Math.abs(companies.get(company_id)?.endpoint_version ?? 0) + 1;
    companies.change(company_id, { endpoint_version: is_asked ? changes : -changes });
  }

  return {
    async find(company_id) {
      return decision_endpoints.get(company_id) ?? null;
    },
    async put(endpoint) {
      const { company_id, status } = endpoint;
      const created_at_ms = decision_endpoints.get(company_id)?.created_at_ms ?? endpoint.created_at_ms;
      raiseVersion(company_id, status === 'active');
      decision_endpoints.set(company_id, { ...endpoint, created_at_ms });
    },
    async delete(company_id) {
      raiseVersion(company_id, false);
      decision_endpoints.delete(company_id);
    },
    async listAfter(company_id, limit) {
      const later = decision_endpoints.values().filter((endpoint) => endpoint.company_id > company_id);
      return later.sort((a, b) => a.company_id - b.company_id).slice(0, limit);
    },
  };
}
