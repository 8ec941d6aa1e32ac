import { type ConsultationEntry, no_changes } from '@tallystick/cards';
import { money } from '@tallystick/kernel';
import { assertEqual } from '../assertions.ts';
import { type CardUnderTest, freshCards } from '../ledger/card-under-test.ts';
import { anotherOf, type ContractRule, rule } from '../rule.ts';
import { everyPage, type StorageUnderTest } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';

const late = { late_answer: 'decline', late_amount: null, late_ms: 2_100 } as const;
const none_late = { late_answer: null, late_amount: null, late_ms: null };

/** A consultation as the first pass writes it. */
function asked({ company_id, id: vcn_id }: CardUnderTest, sent_at_ms = 1_000): ConsultationEntry {
  const unconcluded = { authorization_id: null, decline_code: null, respond_by_ms: null, ms: null, outcome: null };
  const unsaid = { answer: null, amount: null, note: null, stood_in: null };
  const consultation_id = `dec_${uniqueNumber()}`;
  const message = { trace_id: 'T', request_id: 'r', asked: money(300), sent_at_ms };
  return { consultation_id, company_id, vcn_id, ...message, ...unconcluded, ...unsaid };
}

function concluded(entry: ConsultationEntry, authorization_id: number): ConsultationEntry {
  const said = {
    outcome: 'answered',
    answer: 'approve_part',
    amount: money(100),
    note: 'a part',
    stood_in: null,
  } as const;
  return { ...entry, ...said, authorization_id, respond_by_ms: 2_500, ms: 40 };
}

/** Writes them in one pass, as they are. */
function write({ ledger }: StorageUnderTest, card: CardUnderTest, ...consultations: readonly ConsultationEntry[]) {
  return ledger.pass([card.authorization()], () => ({ changes: { ...no_changes, consultations }, result: null }));
}

async function find({ unitOfWork }: StorageUnderTest, { company_id, consultation_id }: ConsultationEntry) {
  const found = await unitOfWork.read((tx) => tx.consultations.find(company_id, consultation_id));
  return found === null ? null : { ...found, id: 0 };
}

export const consultation_store_contract: readonly ContractRule<StorageUnderTest>[] = [
  rule('a consultation is read as passes wrote it, by its company only', async (here) => {
    const [card] = await freshCards(here, 1);
    const [other] = await freshCards(here, 1);
    const first = asked(card!);
    await write(here, card!, first);
    assertEqual(await find(here, first), { ...first, ...none_late, id: 0 }, 'the open consultation');
    const second = concluded({ ...first, sent_at_ms: 1_500, request_id: 'another' }, uniqueNumber());
    await write(here, card!, second);
    const { sent_at_ms, request_id } = first;
    const whole = { ...second, sent_at_ms, request_id, ...none_late, id: 0 };
    assertEqual(await find(here, first), whole, 'the concluded consultation');
    const found = await here.unitOfWork.read((tx) =>
      tx.consultations.findByAuthorization(card!.company_id, second.authorization_id!),
    );
    assertEqual(found?.consultation_id, first.consultation_id, 'that of the authorization');
    const { company_id } = other!;
    assertEqual(await find(here, { ...first, company_id }), null, 'that of another company');
    const not_found = await here.unitOfWork.read((tx) =>
      tx.consultations.findByAuthorization(company_id, second.authorization_id!),
    );
    assertEqual(not_found, null, 'that of the authorization of another company');
  }),
  rule('a concluded consultation stays as it is when its message is asked about or decided again', async (here) => {
    const [card] = await freshCards(here, 1);
    const first = concluded(asked(card!), uniqueNumber());
    await write(here, card!, first);
    const before = await find(here, first);
    await write(here, card!, { ...asked(card!), consultation_id: first.consultation_id });
    await write(here, card!, { ...concluded(first, uniqueNumber()), answer: 'decline', amount: null });
    assertEqual(await find(here, first), before, 'the consultation');
  }),
  rule('a late answer is kept once, and only of what is concluded', async (here) => {
    const there = await anotherOf(here);
    const [card] = await freshCards(here, 1);
    const first = asked(card!);
    const keep = ({ unitOfWork }: StorageUnderTest) =>
      unitOfWork.run((tx) => tx.consultations.keepLate(first.company_id, first.consultation_id, late));
    await write(here, card!, first);
    assertEqual(await keep(here), null, 'the answer to an open consultation');
    await write(here, card!, concluded(first, uniqueNumber()));
    const kept = await Promise.all([here, there, here, there].map(keep));
    const returned = kept.filter((record) => record !== null);
    assertEqual(returned.length, 1, 'the transactions that kept it');
    assertEqual(returned[0]?.late_ms, late.late_ms, 'the late answer');
    assertEqual((await find(there, first))?.late_answer, 'decline', 'the late answer, read again');
  }),
  rule('the consultations of a company are listed newest first, page by page', async (here) => {
    const [card] = await freshCards(here, 1);
    const [other] = await freshCards(here, 1);
    const made = Array.from({ length: 5 }, () => asked(card!));
    for (const entry of made) await write(here, card!, entry);
    await write(here, other!, asked(other!));
    const listed = await everyPage(
      (page) => here.unitOfWork.read((tx) => tx.consultations.list(card!.company_id, page)),
      2,
    );
    const ids = listed.map(({ consultation_id }) => consultation_id);
    assertEqual(
      ids,
      made.toReversed().map(({ consultation_id }) => consultation_id),
      'the list',
    );
  }),
  rule('the oldest are deleted, as many as asked for, and none that was sent later', async (here) => {
    const [card] = await freshCards(here, 1);
    // Later than those of other rules: consultations are written in the order of their time.
    const base_ms = here.now_ms + uniqueNumber() * 3;
    const made = [0, 1, 2].map((ms) => asked(card!, base_ms + ms));
    for (const entry of made) await write(here, card!, entry);
    for (;;) if ((await here.unitOfWork.run((tx) => tx.consultations.purge(base_ms + 2, 1))) === 0) break;
    const left = await Promise.all(made.map((entry) => find(here, entry)));
    assertEqual(
      left.map((record) => record?.sent_at_ms ?? null),
      [null, null, base_ms + 2],
      'what is left',
    );
  }),
];
