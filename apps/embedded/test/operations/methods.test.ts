import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rolesOf } from '@tallystick/access';
import { describeOperations } from '@tallystick/operations';
import type { CompanyOperations, OperationGroups } from '../../src/operations/operation-groups.ts';
import type { OperationMethods } from './generated-methods.ts';

type Typed = (...values: never) => unknown;

/** The names of the options of a method, and of its other arguments that are objects. */
type NamesIn<Argument> = Argument extends object ? keyof Argument : never;

/** The methods of a group, each with whether it takes `tx`. */
type MethodsOf<Group, Path extends string> = {
  [Name in keyof Group & string]: Group[Name] extends Typed
    ? `${Path}.${Name}: ${'tx' extends NamesIn<Parameters<Group[Name]>[number]> ? 'tx' : 'alone'}`
    : MethodsOf<Group[Name], `${Path}.${Name}`>;
}[keyof Group & string];

type TypedMethods =
  | MethodsOf<CompanyOperations, 'company'>
  | { [Group in keyof Services]: MethodsOf<Services[Group], Group> }[keyof Services];

type Services = Omit<OperationGroups, 'company'>;

/** The methods that only one side has, or that differ about `tx`. The compiler shows them. */
type Different = Exclude<TypedMethods, OperationMethods> | Exclude<OperationMethods, TypedMethods>;

const different: readonly Different[] = [];

describe('the methods of the operations', () => {
  it('are typed, each with tx exactly where its operation can join a transaction: the compiler checks it', () => {
    const all: readonly never[] = different;
    assert.deepEqual(all, []);
  });

  it('belong to the group of a company exactly where a company may call the operation', () => {
    for (const { area, method } of describeOperations()) {
      assert.equal(rolesOf(area).includes('client'), method.startsWith('company.'), method);
    }
  });
});
