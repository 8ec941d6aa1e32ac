import {
  type AuditFinding,
  acceptUnhashedEntries,
  type KnownAuditLink,
  sealAuditLog,
  verifyAuditLog,
} from '@tallystick/kernel';

import { type Command, call, idOf, type ParsedWords, readOptionalId, requireOptions, UsageError } from './command.ts';

const figure = (value: number): string => value.toLocaleString('en-US');

/** Seals what is left, and checks the chain. Exit status 1 with a finding. */
const audit_verify: Command = {
  name: 'audit verify',
  summary: 'Finds the first entry of the audit log that was changed, removed or inserted',
  options: {
    after: 'trust the entry with this number, and check only those after it',
    known: 'a head that an earlier run showed, NUMBER:LINK; it must be in the log',
  },
  async run(services, given) {
    const after = readOptionalId(given, 'after');
    const known = readKnown(given);
    if (known !== null && known.number <= (after ?? 0)) {
      throw new UsageError(
        `--known ${known.number} must be above --after ${after}: entries up to there are not checked`,
      );
    }
    const { unitOfWork } = await services.persistence();
    const mac = services.vault().audit_mac;
    const { sealed } = await sealAuditLog({ unitOfWork, mac }, async (count) => {
      services.reportProgress(() => `${figure(count)} entries are sealed`);
      return true;
    });
    const onProgress = (number: number, newest: number) =>
      services.reportProgress(() => `${figure(number)} of ${figure(newest)} entries are checked`);
    const options = { ...(after === undefined ? {} : { after }), ...(known === null ? {} : { known }) };
    const verification = await verifyAuditLog({ unitOfWork, mac, onProgress }, options);
    const { checked, accepted, last, removed_number, finding } = verification;
    const data = { intact: finding === null, sealed, checked, accepted, removed: removed_number, last, finding };
    const counted = `${figure(checked)} ${checked === 1 ? 'entry' : 'entries'}`;
    const place = last.number === 0 ? '' : `, up to ${last.number}:${last.link}`;
    if (finding !== null) {
      const lines = [describeFinding(finding), `Correct before it: ${counted}${place}.`];
      return { data, text: lines.join('\n'), status: 1 };
    }
    const unhashed =
      accepted === 0
        ? []
        : [`Accepted without the hash of a writer: ${figure(accepted)} of them, which a person accepted.`];
    const removed = removed_number === 0 ? [] : [`Removed after their time: the first ${figure(removed_number)}.`];
    const note =
      last.number === 0
        ? []
        : ['Note this head outside the database. A later --known shows that it is still in the log.'];
    const intact =
      after === undefined
        ? `The audit log is intact: ${counted}${place}.`
        : `Intact after entry ${after}: ${counted}${place}. Entries up to ${after} were not checked.`;
    return {
      data,
      text: [intact, ...unhashed, ...removed, ...note].join('\n'),
    };
  },
};

const audit_accept: Command = {
  name: 'audit accept',
  summary: 'Accepts entries that have no hash, for example rows restored by hand',
  options: {
    through: 'the number of the newest entry to accept, as "audit verify" shows it',
    note: 'why; the audit log keeps it',
  },
  async run(services, given) {
    const { note, ...required } = requireOptions(given, 'through', 'note');
    const through = idOf('--through', required.through);
    const { unitOfWork } = await services.persistence();
    const mac = services.vault().audit_mac;
    const { finding } = await verifyAuditLog({ unitOfWork, mac });
    if (finding !== null && finding.kind !== 'inserted' && finding.number !== null && finding.number <= through) {
      throw new Error(
        `The finding at number ${finding.number} is "${finding.kind}", and only entries without a hash can be accepted: keep the evidence, and check the entries after it with "audit verify --after".`,
      );
    }
    await acceptUnhashedEntries({ unitOfWork, mac }, call(services), { through, note });
    return { data: { through, note }, text: `Entries without a hash are accepted up to number ${through}.` };
  },
};

export const audit_chain_commands: readonly Command[] = [audit_verify, audit_accept];

function describeFinding({ kind, number, id, problem, expected }: AuditFinding): string {
  const which = id === null ? `number ${number}` : `entry ${id}, number ${number},`;
  const what = {
    changed: `${which} was changed`,
    inserted: `${which} was inserted`,
    removed: `${which} was removed`,
    head_altered: 'its head was changed',
    head_removed: 'its head was removed',
  }[kind];
  return [`The audit log is NOT intact: ${what}.`, `Problem: ${problem}.`, `Expected: ${expected}.`].join('\n');
}

function readKnown({ values }: ParsedWords): KnownAuditLink | null {
  const text = values.get('known');
  if (text === undefined) return null;
  const parts = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text);
  if (parts === null) throw new UsageError(`--known ${text} must be a number, a colon and the 64 digits of a link`);
  return { number: Number(parts[1]), link: parts[2]! };
}
