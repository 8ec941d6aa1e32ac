import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOperations } from '@tallystick/koa';
import pino from 'pino';
import { closeContainer, createContainer } from '../../src/composition/container.ts';
import { tokens } from '../../src/composition/tokens.ts';
import { company_methods, type Method, service_methods } from '../../src/operations/method-table.ts';
import { readOptions } from '../../src/read-options.ts';

type Entry = Method | { readonly [name: string]: Entry };

/** Every method of a table, with its name. */
function methodsIn(table: object, path = ''): readonly (readonly [string, Method])[] {
  return Object.entries(table as Readonly<Record<string, Entry>>).flatMap(([name, entry]) =>
    typeof entry.operation_id === 'string' ? [[path + name, entry as Method]] : methodsIn(entry, `${path}${name}.`),
  );
}

const methods = [...methodsIn(company_methods, 'company.'), ...methodsIn(service_methods)];

/** The operations of a sandbox with Open Banking: all of them. */
async function allOperations(t: { after(cleanup: () => unknown): void }) {
  const container = createContainer(readOptions({ database: 'sqlite::memory:', sandbox: true }));
  container.bind(tokens.logger).toConstantValue(pino({ level: 'silent' }));
  t.after(() => closeContainer(container));
  const ports = await container.getAsync(tokens.http_ports);
  return createOperations({ ...ports, open_banking: {} }).operations;
}

describe('the table of methods', () => {
  it('has one method for each operation of the HTTP interface, and no other', async (t) => {
    const operations = await allOperations(t);
    const named = methods.map(([, { operation_id }]) => operation_id);
    assert.deepEqual(named.toSorted(), [...operations.keys()].toSorted());
  });

  it('says why a method takes no tx exactly where its operation cannot join a transaction', async (t) => {
    const operations = await allOperations(t);
    const lone = methods.filter(([, { runs_alone }]) => runs_alone !== undefined).map(([name]) => name);
    const cannot = methods.filter(([, { operation_id }]) => !operations.get(operation_id)!.joins_transaction);
    assert.deepEqual(
      lone,
      cannot.map(([name]) => name),
    );
  });

  it('lets a resource be left out only where the operation takes one', async (t) => {
    const operations = await allOperations(t);
    for (const [name, { operation_id, may_be_empty, options_of_body }] of methods) {
      if (may_be_empty || options_of_body !== undefined) assert.ok(operations.get(operation_id)!.takes_data, name);
    }
  });

  it('has the operations of a company in its group, and no others', async (t) => {
    const operations = await allOperations(t);
    for (const [name, { operation_id }] of methods) {
      const of_client = operations.get(operation_id)!.roles.includes('client');
      assert.equal(of_client, name.startsWith('company.'), name);
    }
  });
});
