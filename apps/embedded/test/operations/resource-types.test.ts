import { it } from 'node:test';
import { subscribable_types } from '@tallystick/events';
import type * as own from '../../src/operations/index.ts';
import { examples } from './generated-checks.ts';

/** The types that an event can have, and whose payload is not declared, or the other way round. */
type Unpaired =
  | Exclude<own.EventTypeName, keyof own.EventPayloads>
  | Exclude<keyof own.EventPayloads, own.EventTypeName>;

const unpaired: readonly Unpaired[] = [];

it('declares the payload of each type of events', (t) => {
  const all: readonly never[] = unpaired;
  t.assert.deepEqual(all, []);
  const declared: Readonly<Record<own.EventTypeName | 'all', true>> = {
    all: true,
    'virtualcard.created': true,
    'virtualcard.updated': true,
    'virtualcard.decision.overridden': true,
    'virtualcard.deleted': true,
    'virtualcard.realtime.auths': true,
    'virtualcard.realtime.iccp.all': true,
    'virtualcard.clearings': true,
    'virtualcard.purchasetemplate.created': true,
    'reconciliation.break.opened': true,
    'reconciliation.break.aged': true,
    'reconciliation.break.resolved': true,
    'reconciliation.approval.asked': true,
    'reconciliation.approval.approved': true,
    'reconciliation.approval.refused': true,
    'reconciliation.approval.withdrawn': true,
    'reconciliation.approval.outdated': true,
    'ach.status': true,
    'ach.status.advice': true,
    'ach.$$limit.exceeded': true,
    'onboarding.company.status': true,
  };
  t.assert.deepEqual(Object.keys(declared).sort(), subscribable_types.toSorted());
});

it('accepts the examples of the document: the compiler checks it', (t) => {
  t.assert.notEqual(examples.length, 0);
});
