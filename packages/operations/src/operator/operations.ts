import {
  createCompany,
  createKey,
  listCompanies,
  listKeys,
  readCompany,
  readKey,
  revokeKey,
  updateCompany,
  updateKey,
} from '@tallystick/access';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import type { Random, Sealer, Sha256 } from '@tallystick/kernel';
import { requireTolerancesWithin } from '@tallystick/reconciliation';
import * as z from 'zod';
import { readCompanyFilter, withoutAbsent } from '../call/query.ts';
import { company_filter } from '../fields.ts';
import { type Operation, operation, operatorCall, present } from '../operation.ts';
import { presentApiKey, presentCompany } from './presenter.ts';
import { api_key, company, create_company, create_key, update_company, update_key } from './shapes.ts';

export interface OperatorOperationPorts {
  readonly sealer: Sealer;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly vault: Pick<CardVault, 'index'>;
  readonly environment: 'test' | 'live';
  /** Called when a key was changed or revoked: the remembered key is stale. */
  readonly keyChanged: (key_id: number) => void;
  /** Called when a company was changed: the remembered state of its keys is stale. */
  readonly companyChanged: (company_id: number) => void;
}

/** `/operator/v1`: companies, their real cards and API keys, and manual actions of an operator. */
export function operatorOperations(ports: OperatorOperationPorts): readonly Operation[] {
  return [...companyOperations(ports), ...keyOperations(ports)];
}

function companyOperations({ companyChanged, vault }: OperatorOperationPorts): readonly Operation[] {
  return [
    operation('administration', {
      id: 'operator.companies.create',
      summary: 'Create a company',
      body: create_company,
      takes_back: company,
      answer: company,
      async write(tx, call) {
        const created = await createCompany(tx, operatorCall(call), call.body.data);
        await refuseNumbersOfCards(tx, { vault }, { customer_number: created.customer_number });
        return presentCompany(created);
      },
    }),
    operation('administration', {
      id: 'operator.companies.list',
      summary: 'List the companies, newest first',
      query: { paged: true },
      answer: z.array(company),
      async read(tx, { query }) {
        return present(await listCompanies(tx, query.page), presentCompany);
      },
    }),
    operation('administration', {
      id: 'operator.companies.read',
      summary: 'Read a company',
      parameters: ['id'],
      answer: company,
      async read(tx, { id }) {
        return presentCompany(await readCompany(tx, id));
      },
    }),
    operation('administration', {
      id: 'operator.companies.update',
      summary: 'Change a company: its name, status, holds, mails, rate limit and second person',
      description: 'What is absent stays.',
      parameters: ['id'],
      body: update_company,
      takes_back: company,
      answer: company,
      async write(tx, call) {
        const { four_eyes, ...changed } = await updateCompany(tx, operatorCall(call), call.id, call.body.data);
        const is_set = call.body.data.four_eyes != null && four_eyes !== null;
        if (is_set) await requireTolerancesWithin(tx, { company_id: changed.id }, four_eyes);
        return presentCompany({ ...changed, four_eyes });
      },
      committed: ({ id }) => companyChanged(id),
    }),
  ];
}

function keyOperations(ports: OperatorOperationPorts): readonly Operation[] {
  return [
    operation('administration', {
      id: 'operator.keys.create',
      summary: 'Create an API key. Only this result shows its text',
      body: create_key,
      takes_back: api_key,
      answer: api_key,
      async write(tx, call) {
        const { key, text } = await createKey(tx, ports, operatorCall(call), call.body.data);
        return { ...presentApiKey(key), key: text };
      },
    }),
    operation('administration', {
      id: 'operator.keys.list',
      summary: 'List the API keys of one company or of all companies, newest first',
      query: { paged: true, filter: company_filter },
      answer: z.array(api_key),
      async read(tx, { query }) {
        const filter = withoutAbsent({ company_id: readCompanyFilter(query) });
        return present(await listKeys(tx, filter, query.page), presentApiKey);
      },
    }),
    operation('administration', {
      id: 'operator.keys.read',
      summary: 'Read an API key, without its text',
      parameters: ['id'],
      answer: api_key,
      async read(tx, { id }) {
        return presentApiKey(await readKey(tx, id));
      },
    }),
    operation('administration', {
      id: 'operator.keys.update',
      summary: 'Change an API key: its name, its end and its rate limit',
      description: 'What is absent stays. Other processes know it within two seconds.',
      parameters: ['id'],
      body: update_key,
      takes_back: api_key,
      answer: api_key,
      async write(tx, call) {
        return presentApiKey(await updateKey(tx, operatorCall(call), call.id, call.body.data));
      },
      committed: ({ id }) => ports.keyChanged(id),
    }),
    operation('administration', {
      id: 'operator.keys.revoke',
      summary: 'Revoke an API key',
      description: 'Other processes refuse it within two seconds.',
      parameters: ['id'],
      answer: null,
      async write(tx, call) {
        await revokeKey(tx, operatorCall(call), call.id);
      },
      committed: ({ id }) => ports.keyChanged(id),
    }),
  ];
}
