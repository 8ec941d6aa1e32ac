/**
 * The user's step of an authorisation: `/authorise/<uid>`, where the cookie of the interaction is
 * valid.
 *
 *   GET                 the log-in, what the user decides about, or why the user cannot decide
 *   POST .../login      logs the user in
 *   POST .../decide     approves, refuses or withdraws, and leads back to the third party
 *   POST .../leave      leads back to the third party without a decision
 *
 * The interaction is stored, and who has logged in is a record beside it, so that any node serves
 * any request of the step. The result of the interaction ends the step: it leads back to the third
 * party, and no request changes it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Decidable,
  findDecidable,
  hasAccess,
  rejectConsent,
  type ThirdParty,
  withdrawConsent,
} from '@tallystick/consents';
import { Refusal } from '@tallystick/kernel';
import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { noteUser, originOfRequest } from '../bounds.ts';
import { type AuthorisationServerPorts, bankOf } from '../ports.ts';
import { authorise } from '../protocol/grant.ts';
import { intentOf } from '../protocol/intent.ts';
import { lifetime_s } from '../protocol/lifetimes.ts';
import { errors } from '../protocol/oidc-provider.ts';
import { default_acr, step_path } from '../protocol/provider.ts';
import { Unavailable } from '../protocol/unavailable.ts';
import { no_links, type Records } from '../records.ts';
import { decisionPage, undecidablePage } from './decision-page.ts';
import { createPageSending, formToken, hasFormToken, readForm, redirect } from './forms.ts';
import type { Leave } from './layout.ts';
import type { FailedLogIn, LogIn } from './log-in.ts';
import { loginPage } from './login-page.ts';
import { notice } from './notice-page.ts';

/** The record of who has logged in, by the id of the interaction. */
const login_model = 'StepLogin';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export interface UserStepPorts {
  readonly ports: AuthorisationServerPorts;
  readonly records: Records;
  readonly provider: Provider;
  readonly logIn: LogIn;
}

export function createUserStep({ ports, records, provider, logIn }: UserStepPorts) {
  const sendPage = createPageSending(ports.bank_name);
  const loginKey = ({ uid }: Interaction) => ({ model: login_model, id: uid });
  const userOf = async (interaction: Interaction): Promise<string | null> => {
    const user_id = (await records.read((tx) => records.find(tx, loginKey(interaction))))?.user_id ?? null;
    if (user_id !== null) noteUser(user_id);
    return user_id;
  };
  const saveUser = (interaction: Interaction, user_id: string): Promise<void> => {
    const record = records.seal(loginKey(interaction), {}, { ...no_links, user_id }, lifetime_s.interaction);
    return records.run((tx) => tx.authorisation.put(record));
  };
  const finish = async (request: IncomingMessage, response: ServerResponse, result: InteractionResults) => {
    try {
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch (error) {
      // A suspension of the third party has ended the step meanwhile.
      if (!(error instanceof errors.SessionNotFound)) throw error;
      await sendPage(response, notice('gone'));
    }
  };
  const deny = (request: IncomingMessage, response: ServerResponse, error_description: string) =>
    finish(request, response, { error: 'access_denied', error_description });

  const wantedOf = ({ params }: Interaction) => ({
    consent_id: intentOf(params.claims) ?? '',
    client_id: String(params.client_id),
  });
  const thirdPartyOf = (interaction: Interaction): Promise<ThirdParty | null> =>
    records.read((tx) => tx.third_parties.findByClientId(wantedOf(interaction).client_id));
  const leaveOf = async (interaction: Interaction): Promise<Leave> => ({
    action: `${step_path}/${interaction.uid}/leave`,
    form_token: formToken(ports.cookie_keys, 'leave', interaction.uid),
    third_party_name: (await thirdPartyOf(interaction))?.name ?? wantedOf(interaction).client_id,
  });
  const leadsTo = ({ params }: Interaction): readonly string[] => [new URL(String(params.redirect_uri)).origin];

  const showLogin = async (response: ServerResponse, interaction: Interaction, failed: FailedLogIn | null) => {
    const { uid } = interaction;
    const leave = await leaveOf(interaction);
    const form_token = formToken(ports.cookie_keys, 'login', uid);
    const purpose = `${leave.third_party_name} asks for access to your accounts. Log in to see what it asks for, and to decide.`;
    const action = `${step_path}/${uid}/login`;
    await sendPage(response, loginPage({ action, form_token, purpose, failed, leave, leads_to: leadsTo(interaction) }));
  };

  const lookUp = (interaction: Interaction, user_id: string): Promise<Decidable> =>
    records.read((tx) =>
      findDecidable(tx, { bank: bankOf(ports, tx) }, { ...wantedOf(interaction), user_id, now_ms: records.nowMs() }),
    );

  const showDecision = async (
    response: ServerResponse,
    interaction: Interaction,
    user_id: string,
    has_problem: boolean,
  ) => {
    const decidable = await lookUp(interaction, user_id);
    const leave = await leaveOf(interaction);
    const leads_to = leadsTo(interaction);
    if (decidable.kind === 'undecidable') {
      return sendPage(response, undecidablePage({ reason: decidable.reason, leave, leads_to }));
    }
    const { uid } = interaction;
    const action = `${step_path}/${uid}/decide`;
    const now_ms = records.nowMs();
    const purpose = hasAccess(decidable.consent, now_ms) ? 'decide again' : 'decide';
    const form_token = formToken(ports.cookie_keys, purpose, uid, user_id);
    await sendPage(response, decisionPage({ action, form_token, leave, decidable, has_problem, leads_to, now_ms }));
  };

  const postLogin = async (request: IncomingMessage, response: ServerResponse, interaction: Interaction) => {
    const read = await readForm(request, ports.issuer());
    if ('status' in read) return sendPage(response, notice(read.status));
    const { form } = read;
    if (!hasFormToken(ports.cookie_keys, form, 'login', interaction.uid)) return sendPage(response, notice(403));
    const [user_name, password] = [form.get('user_name') ?? '', form.get('password') ?? ''];
    const outcome = await logIn({ user_name, password, step: interaction.uid });
    if (outcome.kind === 'too_many') return sendPage(response, notice(429));
    if (outcome.kind === 'failed') return showLogin(response, interaction, outcome);
    await saveUser(interaction, outcome.user_id);
    redirect(response, `${step_path}/${interaction.uid}`);
  };

  const approve = (interaction: Interaction, user_id: string, account_numbers: readonly string[]): Promise<string> => {
    const { consent_id } = wantedOf(interaction);
    return authorise({ ports, records, provider }, { consent_id, user_id, account_numbers, actor: `user:${user_id}` });
  };

  /** Returns whether the third party has access all the same. */
  const refuse = (interaction: Interaction, user_id: string): Promise<boolean> => {
    const { consent_id } = wantedOf(interaction);
    const call = { ...originOfRequest(), actor: `user:${user_id}`, now_ms: records.nowMs() };
    return records.run(async (tx) => {
      const bank = bankOf(ports, tx);
      const decidable = await findDecidable(tx, { bank }, { ...wantedOf(interaction), user_id, now_ms: call.now_ms });
      if (decidable.kind === 'undecidable') return false;
      // A refusal to confirm again keeps the consent. The page offers to withdraw it.
      if (decidable.consent.status !== 'AwaitingAuthorisation') return hasAccess(decidable.consent, call.now_ms);
      await rejectConsent(tx, call, { consent_id, user_id });
      return false;
    });
  };

  const withdraw = async (interaction: Interaction, user_id: string): Promise<void> => {
    const { consent_id } = wantedOf(interaction);
    const call = { ...originOfRequest(), actor: `user:${user_id}`, now_ms: records.nowMs() };
    await records.run((tx) => withdrawConsent(tx, call, { consent_id, user_id }));
  };

  const postDecision = async (request: IncomingMessage, response: ServerResponse, interaction: Interaction) => {
    const read = await readForm(request, ports.issuer());
    if ('status' in read) return sendPage(response, notice(read.status));
    const { form } = read;
    const user_id = await userOf(interaction);
    if (user_id === null) return redirect(response, `${step_path}/${interaction.uid}`);
    const isFormTo = (purpose: string) => hasFormToken(ports.cookie_keys, form, purpose, interaction.uid, user_id);
    // Its page said that the access goes on.
    const is_again = isFormTo('decide again');
    if (!is_again && !isFormTo('decide')) return sendPage(response, notice(403));
    const decision = form.get('decision');
    if (decision !== 'approve' && decision !== 'refuse' && decision !== 'withdraw') {
      return sendPage(response, notice(400));
    }
    try {
      if (decision === 'withdraw') {
        await withdraw(interaction, user_id);
        return await deny(request, response, 'the user withdrew the access');
      }
      if (decision === 'refuse') {
        const has_access = await refuse(interaction, user_id);
        if (has_access && !is_again) return await showDecision(response, interaction, user_id, true);
        return await deny(request, response, 'the user refused');
      }
      const grantId = await approve(interaction, user_id, form.getAll('account'));
      const { consent_id: accountId } = wantedOf(interaction);
      const login = { accountId, acr: ports.users.acr ?? default_acr, remember: false };
      await finish(request, response, { login, consent: { grantId } });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await showDecision(response, interaction, user_id, error.code === 'validation_failed');
    }
  };

  const postLeave = async (request: IncomingMessage, response: ServerResponse, interaction: Interaction) => {
    const read = await readForm(request, ports.issuer());
    if ('status' in read) return sendPage(response, notice(read.status));
    if (!hasFormToken(ports.cookie_keys, read.form, 'leave', interaction.uid)) return sendPage(response, notice(403));
    const user_id = await userOf(interaction);
    const is_able = user_id === null || (await lookUp(interaction, user_id)).kind === 'decidable';
    await deny(request, response, is_able ? 'the user did not decide' : undecidable);
  };

  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const [, , uid, action] = path.split('/');
    const interaction = await provider.interactionDetails(request, response).catch((error) => {
      if (error instanceof Unavailable) throw error;
      return null;
    });
    if (interaction === null || interaction.uid !== uid) return sendPage(response, notice('gone'));
    const { params, result, returnTo } = interaction;
    // An address that was taken away may not be the third party's any more.
    const addresses = (await thirdPartyOf(interaction))?.redirect_uris ?? [];
    if (!addresses.includes(String(params.redirect_uri))) return sendPage(response, notice('moved'));
    // The browser did not follow, or the user sent the form twice.
    if (result !== undefined) return redirect(response, returnTo);
    const method = request.method ?? 'GET';
    if (action === undefined && (method === 'GET' || method === 'HEAD')) {
      const user_id = await userOf(interaction);
      if (user_id === null) return showLogin(response, interaction, null);
      return showDecision(response, interaction, user_id, false);
    }
    if (action === 'login' && method === 'POST') return postLogin(request, response, interaction);
    if (action === 'decide' && method === 'POST') return postDecision(request, response, interaction);
    if (action === 'leave' && method === 'POST') return postLeave(request, response, interaction);
    if (action === 'login' || action === 'decide' || action === 'leave') {
      return redirect(response, `${step_path}/${uid}`);
    }
    await sendPage(response, notice(404));
  };
}

/**
 * What the third party learns when the user cannot decide. It does not learn the reason, which would
 * show who is a user of the bank, or whose account a consent names.
 */
const undecidable = 'the consent cannot be authorised';
