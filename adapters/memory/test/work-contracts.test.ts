import { describe, it } from 'node:test';
import { casesOf } from '@tallystick/harness';
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
    for (const { name, run } of casesOf(contract, openStorage)) it(name, run);
  });
}

for (const [port, contract] of Object.entries(vault_suites)) {
  describe(`${port} in memory`, () => {
    for (const { name, run } of casesOf(contract, openVaults)) it(name, run);
  });
}

describe('Mailer in memory', () => {
  for (const { name, run } of casesOf(mailer_contract, openMailer)) it(name, run);
});

describe('DeliveryQueue in memory', () => {
  const open = async () => memoryDeliveryQueue();
  for (const { name, run } of casesOf(delivery_queue_contract, open)) it(name, run);
});
