import { createKey, listKeys, rate_limit_max, revokeKey, roles, sandbox_keys, updateKey } from '@tallystick/access';
import { drawSharedSecret } from '@tallystick/kernel';
import { presentApiKey } from '@tallystick/operations';
import { formatList } from '../terminal-text.ts';
import {
  type Command,
  call,
  companyFilter,
  idOf,
  type ParsedWords,
  readChoice,
  readItems,
  readOptionalId,
  requireChange,
  requireOptions,
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
      expires: 'the instant or date (YYYY-MM-DD, UTC) from which on it is refused; if absent, never',
    },
    flags: { signed: 'also create a signing secret; every request must then be signed with it' },
    may_create_database: true,
    async run(services, given) {
      const { name } = requireOptions(given, 'role', 'name');
      const role = readChoice(given, 'role', roles)!;
      const { sealer, random, sha256 } = services.vault();
      const signing_secret = given.flags.has('signed') ? drawSharedSecret(random) : null;
      const request = {
        role,
        company_id: readOptionalId(given, 'company'),
        name,
        signing_secret,
        rate_limit_per_minute: readOptionalId(given, 'rate-limit'),
        ...readEnd(given),
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
    async run(services, given) {
      const filter = companyFilter(given);
      const { unitOfWork } = await services.persistence();
      const keys = await readItems((page) => unitOfWork.run((tx) => listKeys(tx, filter, page)));
      const { length } = Object.keys(sandbox_keys);
      const fixed = services.config().sandbox ? `\nThe ${length} fixed keys of the sandbox are not listed.` : '';
      const table = formatList(
        'There are no keys.',
        ['id', 'role', 'company', 'signed', 'revoked', 'ends', 'last used', 'name'],
        keys.map((key) => {
          const { id, role, company_id, signed, revoked_at, expires_at, last_used_at, name } = presentApiKey(key);
          return [id, role, company_id, signed, revoked_at, expires_at, last_used_at, name];
        }),
      );
      return { data: keys.map(presentApiKey), text: `${table}${fixed}` };
    },
  },
  {
    name: 'key update',
    argument: 'id',
    summary: 'Changes the name of an API key, its end and its rate limit; running servers know it within two seconds',
    options: {
      name: 'its new name',
      expires: 'the instant or date (YYYY-MM-DD, UTC) from which on it is refused, or never',
      'rate-limit': `requests per minute: 1 to ${rate_limit_max}, or default`,
    },
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const name = given.values.get('name');
      const is_default = given.values.get('rate-limit') === 'default';
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(given.values.has('rate-limit')
          ? { rate_limit_per_minute: is_default ? null : readOptionalId(given, 'rate-limit') }
          : {}),
        ...readEnd(given),
      };
      requireChange(change);
      const { unitOfWork } = await services.persistence();
      const key = presentApiKey(await unitOfWork.run((tx) => updateKey(tx, call(services), id, change)));
      const ends = key.expires_at === null ? 'never ends' : `ends at ${key.expires_at}`;
      return { data: key, text: `Key ${id}, ${key.name}, ${ends}.` };
    },
  },
  {
    name: 'key revoke',
    argument: 'id',
    summary: 'Revokes an API key; running servers refuse it within two seconds',
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const { unitOfWork } = await services.persistence();
      const key = await unitOfWork.run((tx) => revokeKey(tx, call(services), id));
      return { data: presentApiKey(key), text: `Key ${key.id} is revoked.` };
    },
  },
];

/** A date is its beginning in UTC. */
function readEnd({ values }: ParsedWords): { readonly expires_at?: string | null } {
  const wanted = values.get('expires');
  if (wanted === undefined) return {};
  if (wanted === 'never') return { expires_at: null };
  return { expires_at: /^\d{4}-\d\d-\d\d$/.test(wanted) ? `${wanted}T00:00:00Z` : wanted };
}
