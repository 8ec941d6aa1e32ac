import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey, Company } from '@tallystick/access';
import type { Event } from '@tallystick/events';
import { presentEvent } from '../src/events/presenter.ts';
import { presentApiKey, presentCompany } from '../src/operator/presenter.ts';
import { templateStatusPath } from '../src/templates/presenter.ts';

const created_at_ms = 1_700_000_000_000;
const created_at = '2023-11-14T22:13:20.000Z';

test('a company has a URL of the operator’s API', () => {
  const names = { name: 'Acme', customer_number: '0042', full_details_in_mail: false, hold_days: null };
  const state = { status: 'active', rate_limit_per_minute: 60, four_eyes: { above: { EUR: 50_000 } } } as const;
  const company: Company = { id: 1, ...names, ...state, endpoint_version: 0, created_at_ms };
  const url = '/operator/v1/companies/1';
  assert.deepEqual(presentCompany(company), { id: '1', ...names, ...state, created_at, type: 'company', url });
});

test('an API key shows its fields, and none of its secrets', () => {
  const shown = { company_id: 1, role: 'client', environment: 'test', name: 'erp', rate_limit_per_minute: 60 } as const;
  const secrets = { secret_sha256: new Uint8Array(32), signing_secret_sealed: new Uint8Array(8) };
  const key: ApiKey = {
    id: 1,
    ...shown,
    ...secrets,
    created_at_ms,
    revoked_at_ms: null,
    expires_at_ms: null,
    last_used_at_ms: null,
  };
  assert.deepEqual(presentApiKey(key), {
    id: '1',
    ...shown,
    signed: true,
    created_at,
    revoked_at: null,
    expires_at: null,
    last_used_at: null,
    type: 'apikey',
    url: '/operator/v1/keys/1',
  });
});

test('an event shows its states and its time, without the company and the request', () => {
  const states = { event_type: 'ach.status', payload: { id: '9' }, previous: null };
  const event: Event = { id: 5, company_id: 7, ...states, created_at_ms, request_id: 'r-1' };
  assert.deepEqual(presentEvent(event), { id: '5', ...states, created_at, type: 'event', url: '/v1/events/5' });
});

test('the status of a template is read by its transaction_key', () => {
  const path = '/v1/content/virtualcard-templates?filter[transaction_key]=k-1';
  assert.equal(templateStatusPath({ transaction_key: 'k-1' }), path);
});
