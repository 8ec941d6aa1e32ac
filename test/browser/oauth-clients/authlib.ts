import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { authlib_expected, findAuthlibPython } from '@tallystick/test-support';
import { claimsFor, type OAuthClient, type Registration, scope, type Tokens } from './oauth-client.ts';

const python_path = authlib_expected ? findAuthlibPython() : null;
const program = fileURLToPath(new URL('authlib-third-party.py', import.meta.url));

/** Authlib, in a Python of this machine. */
export async function authlib({ certificate, ca, ...registration }: Registration): Promise<OAuthClient> {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-authlib-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  if (python_path === null) throw new Error('no Python on this machine has Authlib: name one in TEST_AUTHLIB_PYTHON');
  const python = spawn(python_path, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object): Promise<Readonly<Record<string, unknown>>> => {
    python.stdin.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('Python has ended: see its output');
    return JSON.parse(value);
  };
  const close = async (): Promise<void> => {
    const exited = once(python, 'exit');
    python.stdin.end();
    if (python.exitCode === null) await exited;
    rmSync(folder, { recursive: true });
  };
  const run = async <Result>(message: object): Promise<Result> => {
    const { result, problem } = await ask(message);
    if (problem !== undefined) throw new Error(String(problem));
    return result as Result;
  };
  await ask({
    ...registration,
    ca_file: file('ca.pem', ca),
    certificate_file: file('certificate.pem', certificate.cert),
    key_file: file('key.pem', certificate.key),
  });

  return {
    clientCredentials: async () => (await run<Tokens>({ do: 'client_credentials' })).access_token,

    async begin(way, consent_id) {
      const asked = { do: 'begin', way, scope, claims: claimsFor(consent_id) };
      const { url, state } = await run<{ readonly url: string; readonly state: string }>(asked);
      return {
        url,
        finish({ hash, search }) {
          const parameters = Object.fromEntries(new URLSearchParams(hash.slice(1) || search));
          return run({ do: 'finish', state, parameters });
        },
      };
    },

    refresh: (refresh_token) => run({ do: 'refresh', refresh_token }),
    read: (url, access_token) => run({ do: 'read', url, access_token }),
    close,
  };
}
