import { createKey, listKeys, type Role, revokeKey, roles, sandbox_keys } from '@tallystick/access';
import { drawSharedSecret } from '@tallystick/kernel';
import { presentApiKey } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import {
  type Command,
  call,
  companyFilter,
  idOf,
  readItems,
  readOptionalId,
  requireOptions,
  UsageError,
} from './command.ts';

export const api_key_commands: readonly Command[] = [
  {
    name: 'key create',
    summary: 'Creates an API key and shows its text once',
    options: {
      role: `one of ${roles.join(', ')}`,
      company: 'id of the company, for the role client',
      name: 'its name',
      'rate-limit': "requests per minute; if absent, the server's default",
    },
    flags: { signed: 'also create a signing secret; every request must then be signed with it' },
    may_create_database: true,
    async run(services, given) {
      const { role, name } = requireOptions(given, 'role', 'name');
      if (!isRole(role)) throw new UsageError(`--role ${role} must be one of ${roles.join(', ')}`);
      const { sealer, random, sha256 } = services.vault();
      const signing_secret = given.flags.has('signed') ? drawSharedSecret(random) : null;
      const request = {
        role,
        company_id: readOptionalId(given, 'company'),
        name,
        signing_secret,
        rate_limit_per_minute: readOptionalId(given, 'rate-limit'),
      };
      const environment = services.config().sandbox ? 'test' : 'live';
      const { unitOfWork } = await services.persistence();
      const { key, text } = await unitOfWork.run((tx) =>
        createKey(tx, { sealer, random, sha256, environment }, call(services), request),
      );
      const lines = [`Key ${key.id}, role ${key.role}. It is shown only once:`, text];
      if (signing_secret !== null) lines.push('Its signing secret, also shown only once:', signing_secret);
      return { data: { ...presentApiKey(key), key: text, signing_secret }, text: lines.join('\n') };
    },
  },
  {
    name: 'key list',
    summary: 'Lists API keys, newest first, including revoked ones',
    options: { company: 'only of this company' },
    flags: {},
    async run(services, given) {
      const filter = companyFilter(given);
      const { unitOfWork } = await services.persistence();
      const keys = await readItems((page) => unitOfWork.run((tx) => listKeys(tx, filter, page)));
      const { length } = Object.keys(sandbox_keys);
      const fixed = services.config().sandbox ? `\nThe ${length} fixed keys of the sandbox are not listed.` : '';
      const table = formatList(
        'There are no keys.',
        ['id', 'role', 'company', 'signed', 'revoked', 'name'],
        keys.map((key) => {
          const { signed, revoked_at } = presentApiKey(key);
          const company = key.company_id === null ? '-' : String(key.company_id);
          return [String(key.id), key.role, company, signed ? 'yes' : 'no', revoked_at ?? '-', key.name];
        }),
      );
      return { data: keys.map(presentApiKey), text: `${table}${fixed}` };
    },
  },
  {
    name: 'key revoke',
    argument: 'id',
    summary: 'Revokes an API key; running servers refuse it within two seconds',
    options: {},
    flags: {},
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.persistence();
      const key = await unitOfWork.run((tx) => revokeKey(tx, call(services), id));
      return { data: presentApiKey(key), text: `Key ${key.id} is revoked.` };
    },
  },
];

function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}
