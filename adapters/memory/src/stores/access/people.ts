import {
  type ConsoleSessionStore,
  type Person,
  type PersonStore,
  refuseTakenHandle,
  refuseTakenSubject,
} from '@tallystick/access';
import { equalBytes } from '@tallystick/kernel';
import { newestFirst } from '../../storage/paging.ts';
import type { State } from '../../storage/state.ts';

export function personStore({ people }: State): PersonStore {
  const having = (identity: Pick<Person, 'issuer' | 'subject'>): Person | undefined =>
    people.values().find(({ issuer, subject }) => issuer === identity.issuer && subject === identity.subject);

  function refuseTaken(person: Omit<Person, 'id'> & { readonly id?: number }): void {
    const other = person.subject === null ? undefined : having(person);
    if (other !== undefined && other.id !== person.id) throw refuseTakenSubject();
  }

  return {
    async insert(person) {
      if (people.values().some(({ handle }) => handle === person.handle)) throw refuseTakenHandle(person.handle);
      refuseTaken(person);
      return people.insert(person);
    },
    async update({ handle: _fixed, created_at_ms: _kept, ...person }) {
      refuseTaken({ handle: '', created_at_ms: 0, ...person });
      people.change(person.id, person);
    },
    async find(id) {
      return people.get(id) ?? null;
    },
    async findByHandle(handle) {
      return people.values().find((person) => person.handle === handle) ?? null;
    },
    async findBySubject(issuer, subject) {
      return having({ issuer, subject }) ?? null;
    },
    async list(page) {
      return newestFirst('people', people.values(), page);
    },
    async withTotpSecret(after_id, limit) {
      const having_one = people.values().filter((person) => person.id > after_id && person.totp_secret_sealed !== null);
      return having_one.sort((a, b) => a.id - b.id).slice(0, limit);
    },
  };
}

export function consoleSessionStore({ console_sessions: sessions, people }: State): ConsoleSessionStore {
  return {
    async insert(session) {
      if (session.person_id !== null) people.assertHas(session.person_id, 'person');
      return sessions.insert(session);
    },
    async findAll(token_sha256s) {
      return sessions.values().filter((session) => token_sha256s.some((one) => equalBytes(one, session.token_sha256)));
    },
    async touch(id, seen_machine_ms) {
      const session = sessions.get(id);
      if (session !== undefined && session.seen_machine_ms < seen_machine_ms) sessions.change(id, { seen_machine_ms });
    },
    async ofPerson(person_id) {
      return sessions
        .values()
        .filter((session) => session.person_id === person_id)
        .sort((a, b) => b.id - a.id);
    },
    async end(id) {
      sessions.delete(id);
    },
    async endAll(person_id) {
      const ended = sessions.values().filter((session) => session.person_id === person_id);
      for (const { id } of ended) sessions.delete(id);
      return ended.length;
    },
    async purge({ ends, seen }, limit) {
      const over = sessions
        .values()
        .filter(({ ends_machine_ms, seen_machine_ms }) => ends_machine_ms <= ends || seen_machine_ms <= seen)
        .slice(0, limit);
      for (const { id } of over) sessions.delete(id);
      return over.length;
    },
  };
}
