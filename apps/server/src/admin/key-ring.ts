import { resealAnswers, resealSigningSecrets, resealTotpSecrets } from '@tallystick/access';
import { resealDecisionSecrets, resealMailbox, resealQuarantine, rotateKeys } from '@tallystick/cards';
import { resealAuthorisations } from '@tallystick/consents';
import { resealWebhookSecrets } from '@tallystick/events';
import { resealImports } from '@tallystick/imports';
import { auditEntry } from '@tallystick/kernel';
import { createKeyRingText } from '@tallystick/vault';
import { replaceSandboxKeys } from 'tallystick/inversify';
import { type Command, call } from './command.ts';

export const key_ring_commands: readonly Command[] = [
  {
    name: 'keys create',
    summary: 'Creates a key ring for TALLYSTICK_KEYS, and does not store it',
    async run() {
      const keys = createKeyRingText();
      return { data: { TALLYSTICK_KEYS: keys }, text: keys };
    },
  },
  {
    name: 'keys list',
    summary: 'Lists the ids of the key ring, newest first, without the keys',
    async run(services) {
      const { newest_key_id, key_ids } = services.vault();
      const text = key_ids.map((id) => (id === newest_key_id ? `${id}  encrypts` : `${id}  reads`)).join('\n');
      return { data: { newest_key_id, key_ids }, text };
    },
  },
  {
    name: 'keys add',
    summary: 'Adds a new newest key to the key ring',
    async run(services) {
      const { key_ring, data_folder } = services.config();
      const ring = services.keyRing().withNewKey();
      const data = { newest_key_id: ring.newest_key_id };
      if (key_ring !== null) return { data: { ...data, TALLYSTICK_KEYS: ring.reveal() }, text: ring.reveal() };
      const path = replaceSandboxKeys(data_folder, ring);
      const text = `${path} has the new key ${ring.newest_key_id}. Restart every process of the server with it, and only then: npm run admin -- keys rotate`;
      return { data: { ...data, path }, text };
    },
  },
  {
    name: 'keys rotate',
    summary: 'Encrypts all card numbers and secrets again with the newest key, while cards are in use',
    async run(services) {
      const { card_vault, sealer, newest_key_id } = services.vault();
      const { unitOfWork } = await services.persistence();
      const card_numbers = await rotateKeys(unitOfWork, card_vault, { key_id: newest_key_id });
      const signing_secrets = await resealSigningSecrets(unitOfWork, sealer);
      const totp_secrets = await resealTotpSecrets(unitOfWork, sealer);
      const webhook_secrets = await resealWebhookSecrets(unitOfWork, sealer);
      const decision_secrets = await resealDecisionSecrets(unitOfWork, sealer);
      const mailbox_messages = await resealMailbox(unitOfWork, sealer);
      const quarantined = await resealQuarantine(unitOfWork, sealer);
      const staged_batches = await resealImports({ unitOfWork, sealer });
      const authorisations = await resealAuthorisations(unitOfWork, sealer);
      const answers = await resealAnswers(unitOfWork, sealer);
      const counts = {
        card_numbers,
        signing_secrets,
        totp_secrets,
        webhook_secrets,
        decision_secrets,
        mailbox_messages,
        quarantined,
        staged_batches,
        authorisations,
        answers,
      };
      const by = { ...call(services), company_id: null };
      const entry = auditEntry(by, 'keys.rotated', `key_ring:${newest_key_id}`, counts);
      await unitOfWork.run((tx) => tx.audit.record(entry, by.now_ms));
      return {
        data: { newest_key_id, ...counts },
        text: `${card_numbers} card numbers, ${signing_secrets} signing secrets, ${totp_secrets} secrets of codes, ${webhook_secrets} webhook secrets, ${decision_secrets} secrets of decision endpoints, ${mailbox_messages} messages of the mailbox, ${quarantined} quarantined messages, ${staged_batches} staged batches of imports, ${authorisations} records of authorisations and ${answers} answers to repeated requests were sealed again with ${newest_key_id}.`,
      };
    },
  },
];
