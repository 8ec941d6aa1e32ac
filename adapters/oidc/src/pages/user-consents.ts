/**
 * The user's consents: `/consents`.
 *
 *   GET                         the log-in, or the lists of who has access, and of access that has ended
 *                               (?after=<cursor>, ?ended=<cursor>: older ones of one list)
 *   POST /login, /logout
 *   GET  /<ConsentId>           asks whether to withdraw it, and says what follows
 *   POST /<ConsentId>/withdraw  withdraws it
 *
 * The session is a record of the server, so that any node serves any request of it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BankAccount } from '@tallystick/accounts';
import { type Consent, hasAccess, withdrawConsent } from '@tallystick/consents';
import { Refusal } from '@tallystick/kernel';
import { noteUser, originOfRequest } from '../bounds.ts';
import { cookieName } from '../cookie-name.ts';
import { type AuthorisationServerPorts, type AuthorisationTx, bankOf } from '../ports.ts';
import { no_links, type Records } from '../records.ts';
import { type ConsentsShown, consentListPage, type ShownConsent, withdrawalPage } from './consent-pages.ts';
import { createPageSending, formToken, hasFormToken, readForm, redirect } from './forms.ts';
import type { FailedLogIn, LogIn } from './log-in.ts';
import { loginPage } from './login-page.ts';
import { notice } from './notice-page.ts';

export const consents_path = '/consents';

const session_s = 900;
const model = 'UserSession';
const listed_max = 50;
/** Of those that have ended, beside the others. */
const ended_max = 10;

interface Session {
  readonly id: string;
  readonly user_id: string;
}

export interface UserConsentsPorts {
  readonly ports: AuthorisationServerPorts;
  readonly records: Records;
  readonly logIn: LogIn;
}

export function createUserConsents({ ports, records, logIn }: UserConsentsPorts) {
  const sendPage = createPageSending(ports.bank_name);
  const nameOfCookie = () => cookieName(ports.issuer(), 'tallystick_user', '/');
  const cookie = (id: string, age_s: number): string => {
    const secure = ports.issuer().startsWith('https:') ? '; Secure' : '';
    return `${nameOfCookie()}=${id}; Path=/; Max-Age=${age_s}; HttpOnly; SameSite=Strict${secure}`;
  };

  const sessionOf = async (request: IncomingMessage): Promise<Session | null> => {
    const prefix = `${nameOfCookie()}=`;
    const cookies = request.headers.cookie?.split(/;\s*/) ?? [];
    const id = cookies.find((text) => text.startsWith(prefix))?.slice(prefix.length);
    if (id === undefined || !/^[A-Za-z0-9_-]{43}$/.test(id)) return null;
    const found = await records.read((tx) => records.find(tx, { model, id }));
    if (found === null || found.user_id === null) return null;
    noteUser(found.user_id);
    return { id, user_id: found.user_id };
  };

  const showLogin = (response: ServerResponse, failed: FailedLogIn | null): Promise<void> => {
    const form_token = formToken(ports.cookie_keys, 'consents');
    const purpose = 'Log in to see who has access to your accounts, and to withdraw it.';
    return sendPage(response, loginPage({ action: `${consents_path}/login`, form_token, purpose, failed }));
  };

  const postLogin = async (response: ServerResponse, form: URLSearchParams): Promise<void> => {
    if (!hasFormToken(ports.cookie_keys, form, 'consents')) return sendPage(response, notice(403));
    const [user_name, password] = [form.get('user_name') ?? '', form.get('password') ?? ''];
    const outcome = await logIn({ user_name, password, step: null });
    if (outcome.kind === 'too_many') return sendPage(response, notice(429));
    if (outcome.kind === 'failed') return showLogin(response, outcome);
    const { user_id } = outcome;
    const id = Buffer.from(ports.random.bytes(32)).toString('base64url');
    const record = records.seal({ model, id }, {}, { ...no_links, user_id }, session_s);
    await records.run((tx) => tx.authorisation.put(record));
    response.setHeader('Set-Cookie', cookie(id, session_s));
    redirect(response, consents_path);
  };

  const logOut = async (response: ServerResponse, { id }: Session): Promise<void> => {
    await records.run((tx) => tx.authorisation.end(model, records.hashOf(id)));
    response.setHeader('Set-Cookie', cookie('', 0));
    redirect(response, consents_path);
  };

  const shown = async (tx: AuthorisationTx, consents: readonly Consent[]): Promise<readonly ShownConsent[]> => {
    const numbers = [...new Set(consents.flatMap(({ account_numbers }) => account_numbers))];
    const accounts: readonly BankAccount[] =
      numbers.length === 0 ? [] : await bankOf(ports, tx).accountsByNumber(numbers);
    const client_ids = new Set(consents.map(({ client_id }) => client_id));
    const third_parties = await tx.third_parties.findByClientIds([...client_ids]);
    const names = new Map(third_parties.map(({ client_id, name }) => [client_id, name]));
    return consents.map((consent) => ({
      consent,
      third_party_name: names.get(consent.client_id) ?? consent.client_id,
      has_access: hasAccess(consent, records.nowMs()),
      accounts: accounts.filter(({ number }) => consent.account_numbers.includes(number)),
    }));
  };

  /** A page of one of the lists. Without a cursor the first one. Rejects with `invalid_query`. */
  const read = (
    { user_id }: Session,
    list: 'listActiveOfUser' | 'listEndedOfUser',
    limit: number,
    after: string | null,
  ): Promise<ConsentsShown> =>
    records.read(async (tx) => {
      const page = { limit, ...(after === null ? {} : { after }) };
      const { items, next } = await tx.consents[list](user_id, records.nowMs(), page);
      return { consents: await shown(tx, items), is_first_page: after === null, older: next };
    });

  const showList = async (response: ServerResponse, session: Session, query: URLSearchParams): Promise<void> => {
    const [after, ended_after] = [query.get('after'), query.get('ended')];
    try {
      const list = consentListPage({
        active: ended_after === null ? await read(session, 'listActiveOfUser', listed_max, after) : null,
        ended:
          after === null
            ? await read(session, 'listEndedOfUser', ended_after === null ? ended_max : listed_max, ended_after)
            : null,
        form_token: formToken(ports.cookie_keys, 'consents', session.id),
        was_withdrawn: query.has('withdrawn'),
      });
      await sendPage(response, list);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'invalid_query')) throw error;
      await sendPage(response, notice(404));
    }
  };

  const findActive = ({ user_id }: Session, consent_id: string): Promise<ShownConsent | null> =>
    records.read(async (tx) => {
      const consent = await tx.consents.find(consent_id);
      if (consent === null || consent.user_id !== user_id || !hasAccess(consent, records.nowMs())) return null;
      return (await shown(tx, [consent]))[0] ?? null;
    });

  const withdraw = async (response: ServerResponse, { user_id }: Session, consent_id: string): Promise<void> => {
    const call = { ...originOfRequest(), actor: `user:${user_id}`, now_ms: records.nowMs() };
    try {
      await records.run((tx) => withdrawConsent(tx, call, { consent_id, user_id }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return sendPage(response, notice(404));
    }
    redirect(response, `${consents_path}?withdrawn`);
  };

  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const [, , name, action] = path.split('/');
    const is_read = request.method === 'GET' || request.method === 'HEAD';
    const session = await sessionOf(request);
    const token = (session_id: string) => formToken(ports.cookie_keys, 'consents', session_id);

    if (is_read) {
      if (name === 'login' || name === 'logout' || action !== undefined) return redirect(response, consents_path);
      if (session === null) return showLogin(response, null);
      if (name === undefined || name === '') {
        return showList(response, session, new URLSearchParams((request.url ?? '').split('?')[1]));
      }
      const found = await findActive(session, decode(name));
      return sendPage(response, found === null ? notice(404) : withdrawalPage(found, token(session.id)));
    }

    if (request.method !== 'POST') return sendPage(response, notice(404));
    const read = await readForm(request, ports.issuer());
    if ('status' in read) return sendPage(response, notice(read.status));
    const { form } = read;
    if (name === 'login' && action === undefined) return postLogin(response, form);
    if (session === null) return redirect(response, consents_path);
    if (!hasFormToken(ports.cookie_keys, form, 'consents', session.id)) return sendPage(response, notice(403));
    if (name === 'logout' && action === undefined) return logOut(response, session);
    if (name !== undefined && action === 'withdraw') return withdraw(response, session, decode(name));
    await sendPage(response, notice(404));
  };
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}
