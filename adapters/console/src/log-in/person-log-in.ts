import { createHmac } from 'node:crypto';
import {
  changeOwnPassword,
  endSessions,
  findSession,
  type LoggedIn,
  listSessions,
  logInByPassword,
  logInBySubject,
  logInToSandbox,
  type PersonLogInPorts,
  person_roles,
  personActor,
  type ValidSession,
} from '@tallystick/access';
import { too_many_log_ins } from '@tallystick/consents';
import { createFailedLogIns, invalid, type PasswordHasher, Refusal } from '@tallystick/kernel';
import { readFields, textOf, typedTextOf } from '../form.ts';
import { isAutomatic } from '../live/automatic.ts';
import type { Identity, LogIn, RequestFacts } from '../ports.ts';
import { cookie, leadTo, readCookie, sessionCookie } from './cookie.ts';
import { failedPage, logInPage, pauseBefore, unknownSubjectPage } from './log-in-page.ts';
import { createOpenId, type OpenIdPorts } from './openid.ts';

export interface PersonDoorPorts extends PersonLogInPorts, Pick<OpenIdPorts, 'publicUrl'> {
  readonly passwords: PasswordHasher;
  /** A secret of the installation, with which names that failed are hashed. */
  readonly secret: string;
  /** In a sandbox one click logs in as a person of a role. */
  readonly sandbox: boolean;
  /** Null: the installation has no provider. */
  readonly provider: OpenIdPorts['settings'] | null;
}

/** The log-in of people, with their sessions. */
export interface PersonLogIn extends LogIn {
  identify(request: Request, facts: RequestFacts): Promise<Identity | null>;
  /** Writes the failed log-ins that no entry of the audit log has counted yet. */
  writeFailedLogIns(): Promise<void>;
}

const session_cookie = 'console';

/** A longer path would not fit into the cookie of a log-in at a provider. */
const back_length_max = 1_000;

export function personLogIn(ports: PersonDoorPorts): PersonLogIn {
  const { machine, clock, sandbox } = ports;
  const openid = ports.provider === null ? null : createOpenId({ ...ports, settings: ports.provider });
  const failures = createFailedLogIns({
    action: 'person.login_failed',
    hashOf: (name) => createHmac('sha256', `person ${ports.secret}`).update(name).digest('hex').slice(0, 16),
    record: (entries) => ports.unitOfWork.run((tx) => tx.audit.recordAll(entries, clock.nowMs())),
  });

  /** The transactions of a request, of which the console has only so many at the same time. */
  function unitOfWorkOf({ transaction }: RequestFacts): PersonDoorPorts['unitOfWork'] {
    return {
      run: (work) => transaction(() => ports.unitOfWork.run(work)),
      read: (work) => transaction(() => ports.unitOfWork.read(work)),
    };
  }

  async function sessionOf(
    request: Request,
    facts: RequestFacts,
  ): Promise<(ValidSession & { readonly token: string }) | null> {
    const token = readCookie(request, facts, session_cookie);
    if (token === null) return null;
    const found = await unitOfWorkOf(facts).read((tx) => findSession(tx, ports, token, machine.nowMs()));
    return found === null ? null : { ...found, token };
  }

  function letIn(facts: RequestFacts, begun: LoggedIn, back: string): Response {
    return leadTo(facts.base + back, sessionCookie(facts, session_cookie, begun));
  }

  async function byPassword(facts: RequestFacts, form: FormData): Promise<Response> {
    const handle = textOf(form, 'handle').slice(0, 255);
    const name = handle.normalize('NFKC').toLowerCase();
    const attempt = attemptOf(name);
    const credentials = { handle, password: typedTextOf(form, 'password'), code: textOf(form, 'code') };
    const begun = await facts.logIn(attempt, async () => {
      const logged_in = await logInByPassword({ ...ports, unitOfWork: unitOfWorkOf(facts) }, credentials, facts);
      if (logged_in === null) await failures.failed(facts, name);
      return logged_in;
    });
    const back = backOf(form.get('back'));
    if (begun === too_many_log_ins) return await failedPage(facts, 429, too_many_attempts);
    if (begun !== null) return letIn(facts, begun, back);
    const failed = { handle, pause_ms: facts.logInPauseMs(attempt) };
    return await logInPage(facts, { back, sandbox, provider: openid?.host ?? null, failed });
  }

  async function bySandbox(facts: RequestFacts, form: FormData): Promise<Response> {
    const role = person_roles.find((one) => one === form.get('role'));
    const begun =
      role === undefined ? null : await logInToSandbox({ ...ports, unitOfWork: unitOfWorkOf(facts) }, role, facts);
    const back = backOf(form.get('back'));
    return begun === null ? await failedPage(facts, 400, 'There is no such person.') : letIn(facts, begun, back);
  }

  async function afterOpenId(request: Request, facts: RequestFacts): Promise<Response> {
    const outcome = await openid!.finish(request, facts);
    const answer = await (async () => {
      if (outcome === null) {
        return await failedPage(facts, 400, 'The provider did not log you in, or it took too long. Try again.');
      }
      const { identity, back } = outcome;
      const begun = await logInBySubject({ ...ports, unitOfWork: unitOfWorkOf(facts) }, identity, facts);
      if (begun !== null) return letIn(facts, begun, back);
      await failures.failed(facts, `${identity.issuer} ${identity.subject}`);
      return await unknownSubjectPage(facts, identity);
    })();
    answer.headers.append('Set-Cookie', openid!.forget(facts));
    return answer;
  }

  async function logOut(request: Request, facts: RequestFacts): Promise<Response> {
    const found = await sessionOf(request, facts);
    if (found !== null) await unitOfWorkOf(facts).run((tx) => tx.console_sessions.end(found.session.id));
    return leadTo(`${facts.base}/log-in`, cookie(facts, session_cookie, '', 0));
  }

  return {
    async identify(request, facts) {
      const found = await sessionOf(request, facts);
      if (found === null || found.person === null) return null;
      const { person, session, token } = found;
      if (found.is_unseen && !isAutomatic(request))
        await unitOfWorkOf(facts).run((tx) => tx.console_sessions.touch(session.id, machine.nowMs()));
      return { actor: personActor(person), name: person.name, grants: person.grants, secret: token };
    },

    async answer(request, facts) {
      const { pathname, searchParams } = new URL(request.url);
      const is_form = request.method === 'POST';
      if (pathname === '/log-out') return await logOut(request, facts);
      if (is_form) {
        const form = await readFields(request);
        if (sandbox && pathname === '/log-in/sandbox') return await bySandbox(facts, form);
        return await byPassword(facts, form);
      }
      const back = backOf(searchParams.get('back'));
      if (openid !== null && pathname === '/log-in/openid') return await openid.begin(facts, back);
      if (openid !== null && pathname === '/log-in/openid/callback') return await afterOpenId(request, facts);
      return await logInPage(facts, { back, sandbox, provider: openid?.host ?? null, failed: null });
    },

    async account(request, facts) {
      const own = await sessionOf(request, facts);
      if (own?.person == null) return { sessions: [], has_password: false };
      const { id, password_hash } = own.person;
      const open = await unitOfWorkOf(facts).read((tx) => listSessions(tx, id, machine.nowMs()));
      const sessions = open.map((session) => ({ ...session, is_this: session.id === own.session.id }));
      return { sessions, has_password: password_hash !== null };
    },

    async changePassword(request, facts, typed) {
      const own = await sessionOf(request, facts);
      if (own?.person == null) throw new Refusal('forbidden', 'your session has ended: log in again');
      const { person, session } = own;
      const call = { ...facts, actor: personActor(person), now_ms: clock.nowMs() };
      const attempt = attemptOf(person.handle);
      const changed = await facts.logIn(attempt, async () => {
        const those = { ...ports, unitOfWork: unitOfWorkOf(facts) };
        const now = await changeOwnPassword(those, call, person, session.id, typed);
        if (now === null) await failures.failed(facts, person.handle);
        return now;
      });
      if (changed === too_many_log_ins) throw new Refusal('conflict', too_many_attempts);
      if (changed === null) {
        const message = `is not your password. ${pauseBefore(facts.logInPauseMs(attempt))}`;
        throw invalid({ path: 'present', message });
      }
    },

    async endSessions(request, facts) {
      const person = (await sessionOf(request, facts))?.person;
      if (person == null) return;
      const call = { ...facts, actor: personActor(person), now_ms: clock.nowMs() };
      await unitOfWorkOf(facts).run((tx) => endSessions(tx, call, person.id));
    },

    writeFailedLogIns: failures.write,
  };
}

const too_many_attempts = 'Too many attempts wait. Try again later.';

/** An attempt with a password of this person, by which the next ones are slowed. */
function attemptOf(handle: string) {
  return { user_name: `person ${handle}`, step: null };
}

/** A path of the console, and of nothing else, as a header can have it. */
function backOf(text: unknown): string {
  if (typeof text !== 'string' || !/^\/(?!\/)[^\\\s]*$/.test(text)) return '/';
  const { pathname, search } = new URL(`http://console.invalid${text}`);
  const back = pathname + search;
  return back.startsWith('//') || back.length > back_length_max ? '/' : back;
}
