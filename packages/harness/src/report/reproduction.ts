import { findDifference } from '../agreement.ts';
import { byCard } from '../comparison.ts';
import type { World } from '../system.ts';
import { type RecordedCall, rounds } from './recording.ts';
import { Symbols } from './symbols.ts';

export interface FailedSequence {
  readonly world: World;
  /** That of the sequence. */
  readonly seed: number;
  readonly calls: readonly RecordedCall[];
}

/**
 * The text of a module that sends the messages of a sequence again and compares the answers with
 * those that the model expected. It needs nothing of the harness. Ids, numbers, codes and the tag
 * are those of the system that it is run against.
 */
export function reproductionOf({ world, seed, calls }: FailedSequence, difference: string): string {
  const symbols = new Symbols(world);
  const numbers = new Map(calls.map((call, at) => [call, at + 1]));
  const sent = (call: RecordedCall) => ({ call, number: numbers.get(call)!, text: textOf(call, symbols) });
  const check = (call: RecordedCall) => checksOf(call, numbers.get(call)!, symbols);
  const body = rounds(calls).flatMap((round) => {
    const is_race = round.some(({ name }) => name !== 'authorize');
    const in_order = is_race ? round.toSorted((a, b) => (a.explained ?? 0) - (b.explained ?? 0)) : round;
    if (round.length === 1 || (is_race && !round.some(({ is_unexplained }) => is_unexplained))) {
      return in_order.flatMap((call) => {
        const { number, text } = sent(call);
        return [`const answer_${number} = await ${text};`, ...check(call)];
      });
    }
    const together = round.map(sent);
    return [
      ...(is_race ? ['// These were under way at once. The answers of another order may be right as well.'] : []),
      `const [${together.map(({ number }) => `answer_${number}`).join(', ')}] = await Promise.all([`,
      ...together.map(({ text }) => `  ${text},`),
      ']);',
      ...in_order.flatMap(check),
    ];
  });
  return `/*
${difference.replaceAll('*/', '* /').replaceAll(/^/gm, ' * ').replaceAll(/ +$/gm, '')}
 */

/**
 * Sends the messages again to the system that \`open({ start_ms, seed })\` resolves with. Throws at
 * the first answer that is not the expected one.
 */
export async function reproduce(open) {
  const start_ms = ${world.now_ms};
  const system = await open({ start_ms, seed: ${seed} });
  const { tag, templates, now_ms } = system.world;
  try {
    if (system.advanceClock && now_ms > start_ms) throw new Error(\`the system begins at \${now_ms}, after \${start_ms}\`);
    if (system.advanceClock && now_ms < start_ms) await system.advanceClock(start_ms);
${body.map((line) => `    ${line}`).join('\n')}
  } finally {
    await system.close();
  }
}

function check(step, actual, expected) {
  const found = findDifference(expected, actual);
  if (found === null) return;
  const [right, seen] = [found.expected, found.actual].map((value) => JSON.stringify(value));
  const at = found.path === '' ? '' : \`\${found.path}: \`;
  throw new Error(\`step \${step}: \${at}expected \${right}, but the system says \${seen}\`);
}

function unknownNumber(known) {
  return known.slice(0, -1) + ((Number(known.at(-1)) + 1) % 10);
}

function wrongCode(known) {
  return known === '000' ? '001' : '000';
}

const byCard = ${byCard};

const findDifference = ${findDifference};
`;
}

function textOf(call: RecordedCall, symbols: Symbols): string {
  const sent = `system.${call.name}(${symbols.argumentsOf(call)})`;
  // What was not answered then may be answered now.
  return call.error === undefined ? sent : `${sent}.catch((error) => error)`;
}

/** The comparison with what the model expected. Later calls know what the answer contains. */
function checksOf(call: RecordedCall, number: number, symbols: Symbols): readonly string[] {
  const expected = call.expected === undefined ? null : symbols.expectedOf(call);
  symbols.learn(call, `answer_${number}`);
  if (expected === null) return [];
  if (call.name !== 'events') return [`check(${number}, answer_${number}, ${expected});`];
  return [
    `check(${number}, byCard(answer_${number}), byCard(${expected}));`,
    `const times_${number} = answer_${number}.map(({ created_at_ms }) => created_at_ms);`,
    `check(${number}, times_${number}, times_${number}.toSorted((a, b) => a - b));`,
  ];
}
