import { readFile } from 'node:fs/promises';
import {
  changeThirdParty,
  id_token_algorithms,
  listThirdParties,
  registerThirdParty,
  setThirdPartyStatus,
  type ThirdParty,
  type ThirdPartyChange,
  type ThirdPartyRequest,
  type ThirdPartyStatus,
  third_party_scopes,
} from '@tallystick/consents';
import { presentThirdParty } from '@tallystick/operations';
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

export const third_party_commands: readonly Command[] = [
  {
    name: 'third-party create',
    summary: 'Registers a third party for Open Banking',
    options: {
      name: 'what users of the bank see',
      jwks: 'its public keys: a file with a JWK set, or the https address of one',
      redirect: 'its redirect addresses of https, separated by commas',
      scope: `${third_party_scopes.join(' or ')}; both separated by a comma`,
      'certificate-subject': 'the subject of its client certificate (RFC 4514), if it authenticates by that',
      'id-token-alg': `how its id_tokens are signed: ${id_token_algorithms.join(' (the default) or ')}`,
      'client-id': 'its OAuth client id; one is made if absent',
    },
    may_create_database: true,
    async run(services, given) {
      const { name, jwks, redirect, scope } = requireOptions(given, 'name', 'jwks', 'redirect', 'scope');
      const request: ThirdPartyRequest = {
        name,
        redirect_uris: listOf(redirect),
        scopes: listOf(scope),
        certificate_subject: given.values.get('certificate-subject') ?? null,
        id_token_signed_response_alg: given.values.get('id-token-alg') ?? null,
        client_id: given.values.get('client-id') ?? null,
        ...(await readKeys(jwks)),
      };
      const { unitOfWork } = await services.persistence();
      const ports = { random: services.vault().random, url_policy: services.urlPolicy() };
      const created = await unitOfWork.run((tx) => registerThirdParty(tx, ports, call(services), request));
      const text = `Third party ${created.id}: ${created.name}\nClient id: ${created.client_id}`;
      return { data: presentThirdParty(created), text };
    },
  },
  {
    name: 'third-party update',
    argument: 'id',
    summary: 'Changes a third party; tokens keep working, unless a scope is taken away',
    options: {
      name: 'what users of the bank see',
      jwks: 'its new public keys in place of all others: a file with a JWK set, or the https address of one',
      redirect: 'all its redirect addresses of https, separated by commas',
      scope: `all its scopes: ${third_party_scopes.join(' or ')}; both separated by a comma`,
      'certificate-subject': 'the subject of its client certificate (RFC 4514), or none: it authenticates by its keys',
      'id-token-alg': `how its id_tokens are signed: ${id_token_algorithms.join(' or ')}`,
    },
    async run(services, given) {
      const id = idOf('<id>', given.argument);
      const change = await readChange(given);
      requireChange(change);
      const { unitOfWork } = await services.persistence();
      const ports = { url_policy: services.urlPolicy() };
      const changed = await unitOfWork.run((tx) => changeThirdParty(tx, ports, call(services), id, change));
      return { data: presentThirdParty(changed), text: `${titleOf(changed)}\n${detailsOf(changed)}` };
    },
  },
  {
    name: 'third-party list',
    summary: 'Lists the third parties, newest first',
    async run(services) {
      const { unitOfWork } = await services.persistence();
      const all = await readItems((page) => unitOfWork.read((tx) => listThirdParties(tx, page)));
      const text = formatList(
        'There are no third parties.',
        ['id', 'client id', 'status', 'scopes', 'name'],
        all.map(({ id, client_id, status, scopes, name }) => [id, client_id, status, scopes.join(','), name]),
      );
      return { data: all.map(presentThirdParty), text };
    },
  },
  {
    name: 'third-party suspend',
    argument: 'id',
    summary: 'Suspends a third party; all its tokens end at once',
    run: (services, given) => setStatus(services, given, 'suspended'),
  },
  {
    name: 'third-party activate',
    argument: 'id',
    summary: 'Activates a suspended third party; it needs new tokens',
    run: (services, given) => setStatus(services, given, 'active'),
  },
];

async function readChange({ values }: ParsedWords): Promise<ThirdPartyChange> {
  const options = ['name', 'jwks', 'redirect', 'scope', 'certificate-subject', 'id-token-alg'];
  const [name, jwks, redirect, scope, subject, algorithm] = options.map((option) => values.get(option));
  return {
    ...(name === undefined ? {} : { name }),
    ...(jwks === undefined ? {} : await readKeys(jwks)),
    ...(redirect === undefined ? {} : { redirect_uris: listOf(redirect) }),
    ...(scope === undefined ? {} : { scopes: listOf(scope) }),
    ...(subject === undefined ? {} : { certificate_subject: subject === 'none' ? null : subject }),
    ...(algorithm === undefined ? {} : { id_token_signed_response_alg: algorithm }),
  };
}

async function setStatus(services: AdminServices, given: ParsedWords, status: ThirdPartyStatus) {
  const id = idOf('<id>', given.argument);
  const { unitOfWork } = await services.persistence();
  const changed = await unitOfWork.run((tx) => setThirdPartyStatus(tx, call(services), id, status));
  return { data: presentThirdParty(changed), text: titleOf(changed) };
}

async function readKeys(jwks: string): Promise<Pick<ThirdPartyRequest, 'jwks' | 'jwks_uri'>> {
  if (/^https?:\/\//.test(jwks)) return { jwks_uri: jwks };
  let text: string;
  try {
    text = await readFile(jwks, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: `there is no file ${jwks}`,
      EISDIR: `${jwks} is a folder, not a file`,
    };
    throw new UsageError(`--jwks: ${reasons[code ?? ''] ?? message}`);
  }
  try {
    return { jwks: JSON.parse(text) as unknown };
  } catch {
    throw new UsageError(`--jwks: ${jwks} is not JSON`);
  }
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}

function titleOf({ id, name, status }: ThirdParty): string {
  return `Third party ${id}: ${name} (${status})`;
}

function detailsOf(third_party: ThirdParty): string {
  const { scopes, redirect_uris, jwks, jwks_uri, certificate_subject, id_token_signed_response_alg } = third_party;
  const keys = jwks === null ? (jwks_uri ?? 'none') : `${jwks.keys.length} registered`;
  return [
    `  scopes: ${scopes.join(', ')}`,
    `  redirect addresses: ${redirect_uris.join(', ')}`,
    `  keys: ${keys}`,
    `  certificate: ${certificate_subject ?? 'none'}`,
    `  id_tokens: signed by ${id_token_signed_response_alg}`,
  ].join('\n');
}
