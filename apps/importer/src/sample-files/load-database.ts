import { type RecordLine, record_batch_max, reportRecords } from '@tallystick/accounts';
import {
  issueCard,
  normalizeAuthorization,
  normalizeClearing,
  refuseNumbersOfCards,
  revealNumbers,
} from '@tallystick/cards';
import { dayAt } from '@tallystick/kernel';
import type { IssuedCard } from '@tallystick/samples';
import {
  closeContainer,
  createContainer,
  describeStartProblem,
  readConfig,
  tokens,
  UsageError,
} from '@tallystick/server';
import type { Loading } from './loading.ts';

const cards_of_transaction = 100;

/**
 * Loads sets into the database of the environment, in this process. Refuses one that is no sandbox.
 */
export async function loadIntoDatabase(environment: Readonly<Record<string, string | undefined>>): Promise<Loading> {
  const config = readConfig({
    LOG_LEVEL: 'error',
    // Nobody waits for an answer: a slow machine loads the set as well.
    NETWORK_WAIT_MS_MAX: '60000',
    DECISION_MS_MAX: '60000',
    ...environment,
  });
  if (!config.sandbox) throw new Error('--load creates cards for trying out, so it needs a sandbox: set SANDBOX=on');
  const container = createContainer(config);
  try {
    const sandbox = await container.getAsync(tokens.sandbox);
    const persistence = await container.getAsync(tokens.persistence);
    const network = await container.getAsync(tokens.network);
    const { card_vault: vault, random } = container.get(tokens.vault);
    const clock = container.get(tokens.clock);
    const company_id = sandbox?.company_id ?? 0;
    return {
      async day(wanted) {
        const day = dayAt(clock.nowMs());
        // Holds end 30 days after the authorizations are sent, and the answers state which
        // clearings are late.
        if ((wanted ?? day) === day) return day;
        throw new UsageError(`--date is "${wanted}"; with --load the day of the database's clock is ${day}`);
      },
      async moveClock(move) {
        if (sandbox === null) throw new Error('there is no sandbox');
        return (await sandbox.moveClock(move)).now;
      },
      async reportRecords(records) {
        const call = { actor: 'command', request_id: null, now_ms: clock.nowMs(), served_company_id: null };
        const lines = records.map((value, at) => ({ line: at + 1, value }));
        return await reportRecords(
          { ...persistence, refuseCardNumbers: (tx, values) => refuseNumbersOfCards(tx, { vault }, values) },
          call,
          batchesOf(lines),
        );
      },
      async createCards(set, onCreated) {
        const cards: IssuedCard[] = [];
        const issue = async (requests: readonly Readonly<Record<string, unknown>>[]): Promise<void> => {
          const call = { company_id, actor: 'command', request_id: null, now_ms: clock.nowMs() };
          const issued = cards.length;
          await persistence.unitOfWork.run(async (tx) => {
            // After a conflict the closure runs again.
            cards.length = issued;
            for (const request of requests) {
              const { card } = await issueCard(tx, { vault, random }, call, request);
              const numbers = await revealNumbers(tx, { vault }, call, [card]);
              cards.push({ vcn_id: card.id, card_number: numbers.get(card.id)?.card_number ?? '' });
            }
          });
          onCreated(cards.length);
        };
        let requests: Readonly<Record<string, unknown>>[] = [];
        for (const request of set.cards()) {
          requests.push(request);
          if (requests.length < cards_of_transaction) continue;
          await issue(requests);
          requests = [];
        }
        if (requests.length > 0) await issue(requests);
        return (card) => cards[card] as IssuedCard;
      },
      at_once: 256,
      async authorize(message) {
        const answer = await network.authorize(normalizeAuthorization(message, vault, null));
        if (answer.kind === 'refused') throw answer.refusal;
        return answer.response_code;
      },
      async clear(message) {
        const answer = await network.clear(normalizeClearing(message, vault, null));
        if (answer.kind === 'refused') throw answer.refusal;
      },
      close: () => closeContainer(container),
    };
  } catch (error) {
    await closeContainer(container);
    throw new Error(describeStartProblem(error, config));
  }
}

async function* batchesOf(lines: readonly RecordLine[]): AsyncGenerator<readonly RecordLine[]> {
  for (let at = 0; at < lines.length; at += record_batch_max) yield lines.slice(at, at + record_batch_max);
}
