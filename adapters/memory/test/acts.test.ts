import { describe, it } from 'node:test';
import {
  act_races_contract,
  actHistoriesContract,
  actSequencesContract,
  acts_contract,
  decision_tables_contract,
  periods_contract,
} from '@tallystick/harness';
import { propertyParameters } from '@tallystick/test-support';
import { openStorage } from './storage-suites.ts';

describe('acts of people on items, in memory', () => {
  const rules = [
    ...acts_contract,
    ...act_races_contract,
    ...periods_contract,
    ...decision_tables_contract,
    ...actSequencesContract(propertyParameters({ short: 60, full: 400 })),
    ...actHistoriesContract(propertyParameters({ short: 100, full: 250 })),
  ];
  for (const { rule, check } of rules) it(rule, () => check(openStorage));
});
