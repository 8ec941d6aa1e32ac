import { describe, it } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { memoryDeliveryQueue } from '../src/index.ts';
import {
  delivery_queue_contract,
  mailer_contract,
  openMailer,
  openStorage,
  openVaults,
  store_suites,
  vault_suites,
} from './work-suites.ts';

fc.configureGlobal(propertyParameters());

for (const [port, contract] of Object.entries(store_suites)) {
  describe(`${port} in memory`, () => {
    for (const { rule, check } of contract) it(rule, () => check(openStorage));
  });
}

for (const [port, contract] of Object.entries(vault_suites)) {
  describe(`${port} in memory`, () => {
    for (const { rule, check } of contract) it(rule, () => check(openVaults));
  });
}

describe('Mailer in memory', () => {
  for (const { rule, check } of mailer_contract) it(rule, () => check(openMailer));
});

describe('DeliveryQueue in memory', () => {
  for (const { rule, check } of delivery_queue_contract) it(rule, () => check(async () => memoryDeliveryQueue()));
});
