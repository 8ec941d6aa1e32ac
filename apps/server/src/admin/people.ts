import {
  createPerson,
  endSessions,
  type GrantRequest,
  listPeople,
  type Person,
  person_password_length_min,
  person_roles,
  resetTotp,
  setPassword,
  updatePerson,
} from '@tallystick/access';
import { presentPerson } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import {
  type AdminServices,
  type Command,
  call,
  idOf,
  type ParsedWords,
  readItems,
  requireChange,
  requireOptions,
  UsageError,
} from './command.ts';

const identity_options = {
  issuer: 'the OpenID provider at which the person logs in, as its id tokens name it',
  subject: 'who the person is to that provider: the claim sub',
};

const roles_option = `separated by commas, each for all companies or for one: viewer,support:17. Roles: ${person_roles.join(', ')}`;

/** People who may use the console. They are named by their handles, which never change. */
export const person_commands: readonly Command[] = [
  {
    name: 'person create',
    summary: 'Creates a person who may use the console',
    options: {
      handle: 'the name at log-in and in the audit log: a-z, 0-9, ".", "_" and "-"; it never changes',
      name: 'the name that people read',
      roles: roles_option,
      ...identity_options,
    },
    may_create_database: true,
    async run(services, given) {
      const { handle, name, roles } = requireOptions(given, 'handle', 'name', 'roles');
      const request = { handle, name, grants: grantsOf(roles), ...identityOf(given) };
      const { unitOfWork } = await services.persistence();
      const person = await unitOfWork.run((tx) => createPerson(tx, call(services), request));
      const next =
        person.subject === null
          ? `\nA log-in by password needs both: person password ${handle}, and person totp ${handle}.`
          : '';
      return { data: presentPerson(person), text: `Person ${handle}: ${person.name}${next}` };
    },
  },
  {
    name: 'person list',
    summary: 'Lists the people who may use the console, newest first, also disabled ones',
    async run(services) {
      const { unitOfWork } = await services.persistence();
      const people = await readItems((page) => unitOfWork.read((tx) => listPeople(tx, page)));
      return {
        data: people.map(presentPerson),
        text: formatList(
          'There are no people.',
          ['handle', 'status', 'roles', 'logs in by', 'name'],
          people.map((person) => [person.handle, person.status, rolesOf(person), logsInBy(person), person.name]),
        ),
      };
    },
  },
  {
    name: 'person change',
    argument: 'handle',
    summary: 'Changes a person, from its next request on',
    options: { name: 'the name that people read', roles: `all of them, ${roles_option}`, ...identity_options },
    async run(services, given) {
      const name = given.values.get('name');
      const roles = given.values.get('roles');
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(roles === undefined ? {} : { grants: grantsOf(roles) }),
        ...identityOf(given),
      };
      requireChange(change);
      return await changed(services, given, change);
    },
  },
  {
    name: 'person disable',
    argument: 'handle',
    summary: 'Ends all sessions of a person, who cannot log in any more',
    run: (services, given) => changed(services, given, { status: 'disabled' }),
  },
  {
    name: 'person enable',
    argument: 'handle',
    summary: 'Lets a disabled person log in again',
    run: (services, given) => changed(services, given, { status: 'active' }),
  },
  {
    name: 'person password',
    argument: 'handle',
    summary: `Sets the password of a person, read from standard input: at least ${person_password_length_min} characters`,
    async run(services, given) {
      const { unitOfWork } = await services.persistence();
      const { id, handle } = await personOf(services, given);
      const password = await services.readSecret(`Password of ${handle}`);
      const { passwords } = services.vault();
      const person = await setPassword({ unitOfWork, passwords }, call(services), id, password);
      const next = person.totp_secret_sealed === null ? ` It also needs codes: person totp ${handle}.` : '';
      return { data: presentPerson(person), text: `The password of ${handle} is set.${next}` };
    },
  },
  {
    name: 'person totp',
    argument: 'handle',
    summary: 'Gives a person a new secret of time-based codes, and shows it once',
    async run(services, given) {
      const { unitOfWork } = await services.persistence();
      const { id } = await personOf(services, given);
      const ports = services.vault();
      const { person, totp_secret, totp_uri } = await unitOfWork.run((tx) => resetTotp(tx, ports, call(services), id));
      const text = `The secret of ${person.handle} for an app of codes. It is shown only once:\n${totp_secret}\n${totp_uri}`;
      return { data: { ...presentPerson(person), totp_secret, totp_uri }, text };
    },
  },
  {
    name: 'person end-sessions',
    argument: 'handle',
    summary: 'Ends all sessions of a person',
    async run(services, given) {
      const { unitOfWork } = await services.persistence();
      const { id, handle } = await personOf(services, given);
      const sessions = await unitOfWork.run((tx) => endSessions(tx, call(services), id));
      return { data: { handle, sessions }, text: `${sessions} sessions of ${handle} have ended.` };
    },
  },
];

async function changed(
  services: AdminServices,
  given: ParsedWords,
  change: Parameters<typeof updatePerson>[3],
): ReturnType<Command['run']> {
  const { unitOfWork } = await services.persistence();
  const { id } = await personOf(services, given);
  const person = await unitOfWork.run((tx) => updatePerson(tx, call(services), id, change));
  const text = `Person ${person.handle}, ${person.status}: ${rolesOf(person)}. Logs in by ${logsInBy(person)}.`;
  return { data: presentPerson(person), text };
}

async function personOf(services: AdminServices, { argument }: ParsedWords): Promise<Person> {
  const { unitOfWork } = await services.persistence();
  const person = await unitOfWork.read((tx) => tx.people.findByHandle(argument));
  if (person === null) throw new Error(`There is no person ${argument}.`);
  return person;
}

/** `viewer,support:17`. The domain refuses roles that it does not know. */
function grantsOf(text: string): readonly GrantRequest[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && word !== 'none');
  return words.map((word) => {
    const [name = '', company] = word.split(':');
    const role = person_roles.find((one) => one === name);
    if (role === undefined) throw new UsageError(`--roles ${name} must be one of ${person_roles.join(', ')}`);
    return { role, company_id: company === undefined ? null : idOf('--roles', company) };
  });
}

function rolesOf({ grants }: Person): string {
  const words = grants.map(({ role, company_id }) => (company_id === null ? role : `${role}:${company_id}`));
  return words.join(',') || 'none';
}

function logsInBy({ subject, password_hash, totp_secret_sealed }: Person): string {
  const by_password = password_hash !== null && totp_secret_sealed !== null;
  return [...(subject === null ? [] : ['provider']), ...(by_password ? ['password'] : [])].join(', ') || 'nothing';
}

function identityOf({ values }: ParsedWords): { readonly issuer?: string; readonly subject?: string } {
  const [issuer, subject] = [values.get('issuer'), values.get('subject')];
  return { ...(issuer === undefined ? {} : { issuer }), ...(subject === undefined ? {} : { subject }) };
}
