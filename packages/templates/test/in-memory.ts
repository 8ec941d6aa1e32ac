import type { Event, NewEvent } from '@tallystick/events';
import { invalid, type Page, type PageRequest, type Random, type UnitOfWork } from '@tallystick/kernel';
import { name_taken, type PurchaseTemplate, type TemplatesTx } from '../src/index.ts';

interface State {
  readonly templates: Map<number, PurchaseTemplate>;
  readonly events: Event[];
}

/**
 * The ports over maps. Transactions run one after the other on a copy of the state, which takes the state's place when
 * the work resolves: a rejected one leaves nothing.
 */
export function inMemoryTemplates(companies: Readonly<Record<number, string>> = { 1: 'CN-1', 2: 'CN-2' }) {
  let state: State = { templates: new Map(shared.map((template) => [template.id, template])), events: [] };
  let last: Promise<unknown> = Promise.resolve();
  let last_id = 100;

  const unit_of_work: UnitOfWork<TemplatesTx> = {
    run(work) {
      const turn = last.then(async () => {
        const draft: State = { templates: new Map(state.templates), events: [...state.events] };
        const result = await work(transaction(draft));
        state = draft;
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    read(work) {
      return this.run(work);
    },
  };

  function transaction({ templates, events }: State): TemplatesTx {
    const held = new Set<number>();
    const nameTaken = (company_id: number, name: string) =>
      [...templates.values()].some(
        (template) => template.company_id === company_id && template.name === name && template.deleted_at_ms === null,
      );
    const pending = () =>
      [...templates.values()].filter(({ status, deleted_at_ms }) => status === 'PENDING' && deleted_at_ms === null);
    const hold = (claimed: readonly PurchaseTemplate[]) => {
      for (const { id } of claimed) held.add(id);
      return claimed;
    };
    return {
      templates: {
        async insert(template) {
          if (template.company_id !== null && nameTaken(template.company_id, template.name)) {
            throw invalid({ path: 'name', message: name_taken });
          }
          last_id += 1;
          const inserted = { ...template, id: last_id };
          templates.set(last_id, inserted);
          return inserted;
        },
        async find(company_id, id) {
          const found = templates.get(id);
          const visible = found?.company_id === company_id || found?.company_id === null;
          return found !== undefined && visible && found.deleted_at_ms === null ? found : null;
        },
        nameTaken: async (company_id, name) => nameTaken(company_id, name),
        async list(company_id, { transaction_key }, page) {
          const listed = [...templates.values()].filter(
            (template) =>
              (template.company_id === company_id || (template.company_id === null && transaction_key === undefined)) &&
              (transaction_key === undefined || template.transaction_key === transaction_key),
          );
          return pageOf(
            listed.toSorted((a, b) => b.id - a.id),
            page,
          );
        },
        async claimDue(now_ms, limit) {
          const due = pending().filter(({ completes_at_ms }) => completes_at_ms !== null && completes_at_ms <= now_ms);
          return hold(due.slice(0, limit));
        },
        async claim(id) {
          return hold(pending().filter((template) => template.id === id))[0] ?? null;
        },
        async update(template) {
          if (!held.has(template.id)) throw new Error(`template ${template.id} is written without being held`);
          templates.set(template.id, template);
        },
      },
      events: {
        async append(fresh: readonly NewEvent[]) {
          const stored = fresh.map((event, index) => ({ ...event, id: events.length + index + 1 }));
          events.push(...stored);
          return stored;
        },
        find: async (company_id, id) =>
          events.find((event) => event.company_id === company_id && event.id === id) ?? null,
        list: async (company_id, _filters, page) =>
          pageOf(events.filter((event) => event.company_id === company_id).toReversed(), page),
      },
      companies: {
        async find(company_id) {
          const customer_number = companies[company_id];
          return customer_number === undefined ? null : { customer_number };
        },
      },
    };
  }

  return { unit_of_work, events: (): readonly Event[] => state.events };
}

/** Draws that repeat: a linear congruential generator, good enough to tell keys apart. */
export function repeatableRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    below: (bound) => Math.floor(next() * bound),
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
  };
}

const shared: readonly PurchaseTemplate[] = (['VELOCITY', 'AGING_VELOCITY'] as const).map(
  (required_control, index) => ({
    id: index + 1,
    company_id: null,
    name: `Allow all, ${required_control}`,
    description: 'Allows all MCCs',
    mcc_list: [],
    mcc_rule: 'DENY',
    required_control,
    status: 'ACTIVE',
    transaction_key: `00000000-0000-4000-8000-00000000000${index + 1}`,
    copy_from_template: '',
    customer_number: '',
    environment: 'sandbox',
    created_at_ms: 0,
    updated_at_ms: 0,
    deleted_at_ms: null,
    completes_at_ms: null,
  }),
);

function pageOf<Item>(items: readonly Item[], { limit, after, offset }: PageRequest): Page<Item> {
  const from = after === undefined ? (offset ?? 0) : Number(after);
  return {
    items: items.slice(from, from + limit),
    next: from + limit < items.length ? String(from + limit) : null,
  };
}
