import {
  createPerson,
  endSessions,
  listPeople,
  readPerson,
  resetTotp,
  type SetPasswordPorts,
  setPassword,
  updatePerson,
} from '@tallystick/access';
import type { Random, Sealer, UnitOfWork } from '@tallystick/kernel';
import * as z from 'zod';
import { type Operation, type OperationTx, operation, operatorCall, own_transactions, present } from '../operation.ts';
import { presentPerson } from './presenter.ts';
import { create_person, person, set_password, update_person } from './shapes.ts';

export interface PersonOperationPorts extends Pick<SetPasswordPorts, 'passwords'> {
  readonly unitOfWork: UnitOfWork<OperationTx>;
  readonly sealer: Sealer;
  readonly random: Random;
}

/** `/operator/v1/people`: who may use the console. */
export function personOperations(ports: PersonOperationPorts): readonly Operation[] {
  return [
    operation('people', {
      id: 'operator.people.create',
      summary: 'Create a person who may use the console',
      description: 'The person logs in at the OpenID provider, or gets a password and codes by further calls.',
      body: create_person,
      takes_back: person,
      answer: person,
      async write(tx, call) {
        return presentPerson(await createPerson(tx, operatorCall(call), call.body.data));
      },
    }),
    operation('people', {
      id: 'operator.people.list',
      summary: 'List the people who may use the console, newest first, also disabled ones',
      query: { paged: true },
      answer: z.array(person),
      async read(tx, { query }) {
        return present(await listPeople(tx, query.page), presentPerson);
      },
    }),
    operation('people', {
      id: 'operator.people.read',
      summary: 'Read a person, without the secrets',
      parameters: ['id'],
      answer: person,
      async read(tx, { id }) {
        return presentPerson(await readPerson(tx, id));
      },
    }),
    operation('people', {
      id: 'operator.people.update',
      summary: 'Change a person: name, identity, roles and status',
      description: 'It counts from the next request of each session on.',
      parameters: ['id'],
      body: update_person,
      takes_back: person,
      answer: person,
      async write(tx, call) {
        return presentPerson(await updatePerson(tx, operatorCall(call), call.id, call.body.data));
      },
    }),
    operation('people', {
      id: 'operator.people.setPassword',
      summary: 'Set the password of a person, and end all its sessions',
      description: 'The log-in by password also needs codes.',
      parameters: ['id'],
      body: set_password,
      answer: person,
      runs_alone: own_transactions,
      async perform(call) {
        return presentPerson(await setPassword(ports, operatorCall(call), call.id, call.body.data.password));
      },
    }),
    operation('people', {
      id: 'operator.people.resetTotp',
      summary: 'Give a person a new secret of time-based codes, and end all its sessions',
      description: 'Only this result shows the secret. Codes of the one before are refused.',
      parameters: ['id'],
      answer: person,
      async write(tx, call) {
        const { person: changed, ...secret } = await resetTotp(tx, ports, operatorCall(call), call.id);
        return { ...presentPerson(changed), ...secret };
      },
    }),
    operation('people', {
      id: 'operator.people.endSessions',
      summary: 'End all sessions of a person',
      parameters: ['id'],
      answer: null,
      async write(tx, call) {
        await endSessions(tx, operatorCall(call), call.id);
      },
    }),
  ];
}
