import { it } from 'node:test';
import { subscribable_types } from '@tallystick/events';
import type { ResourceShapes } from '@tallystick/operations';
import type * as own from '../../src/operations/index.ts';
import { examples, type OwnTypes } from './generated-checks.ts';

/**
 * The resources as the interface declares them, except that the domain checks one member, and that a
 * caller in process has no key whose company is the default of another.
 */
interface Shapes extends Omit<ResourceShapes, 'ForeignEvent' | 'PutUser'> {
  readonly PutUser: Omit<ResourceShapes['PutUser'], 'company_id'> & Pick<own.PutBankUser, 'company_id'>;
  readonly ForeignEvent: Omit<ResourceShapes['ForeignEvent'], 'event_type'> & Pick<own.ForeignEvent, 'event_type'>;
}

/** The types of resources, and of states that only events contain. */
interface Own extends OwnTypes {
  readonly ReconciliationBreakState: own.ReconciliationBreakState;
  readonly VirtualCardState: own.VirtualCardState;
}

/** Members that are plain texts in the interface. Other tests compare their values. */
type Texts = 'vcn_response' | 'message_type_indicator';

/** The type without what no value shows: `readonly`, and interfaces in place of types. */
type Plain<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : { -readonly [Name in keyof Value]: Name extends Texts ? string : Plain<Value[Name]> };

type Fits<From, To> = [Plain<From>] extends [Plain<To>] ? true : false;

/** The resources whose types differ. In a message of the compiler, their names are the error. */
type Different = {
  [Name in keyof Shapes]: [Fits<Shapes[Name], Own[Name]>, Fits<Own[Name], Shapes[Name]>] extends [true, true]
    ? never
    : Name;
}[keyof Shapes];

const different: readonly Different[] = [];
const missing: readonly Exclude<keyof Shapes, keyof Own>[] = [];

it('declares each resource as the HTTP interface does: the compiler checks it', (t) => {
  // Both lists are empty by their types: `readonly never[]`.
  const all: readonly never[] = [...different, ...missing];
  t.assert.deepEqual(all, []);
});

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
    'virtualcard.deleted': true,
    'virtualcard.realtime.auths': true,
    'virtualcard.realtime.iccp.all': true,
    'virtualcard.clearings': true,
    'virtualcard.purchasetemplate.created': true,
    'reconciliation.break.opened': true,
    'reconciliation.break.aged': true,
    'reconciliation.break.resolved': true,
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
