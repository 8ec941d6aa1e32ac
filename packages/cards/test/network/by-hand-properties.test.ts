import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { barredOf, type Clearing, chosenOf, type NetworkMessage, type RematchMessage } from '../../src/index.ts';
import { actIn, planned_acts, rowsOf, sendAct, undoing } from './by-hand.ts';
import type { NetworkWorld } from './network-world.ts';
import { day_ms, messageIn, openWorld, outcomeIn, sendIn, sets } from './planned-messages.ts';

const acts = fc.array(planned_acts, { minLength: 1, maxLength: 8 });

/** What people did, with the clearing before and after. */
interface Done {
  readonly message: RematchMessage;
  readonly was: Clearing;
  readonly is: Clearing;
}

/** Sends the requests that are not refused. Checks that a refused one changes nothing. */
function act(
  world: NetworkWorld,
  planned: readonly (typeof acts extends fc.Arbitrary<(infer T)[]> ? T : never)[],
): Done[] {
  return planned.flatMap((one): Done[] => {
    const message = actIn(world, one);
    if (message === null) return [];
    const was = world.clearing(message.clearing_id);
    const before = rowsOf(world);
    const answer = sendAct(world, message);
    if (answer.kind === 'refused') {
      assert.deepEqual(rowsOf(world), before, answer.refusal.message);
      return [];
    }
    return [{ message, was, is: world.clearing(message.clearing_id) }];
  });
}

/** Every clearing that a person matched is so matched, and none is where a person took it from. */
function assertChoicesHold(world: NetworkWorld): void {
  for (const { id, choices, authorization_id, match_rule } of world.state.clearings.values()) {
    const chosen_id = chosenOf(choices);
    assert.equal(match_rule === 9, chosen_id !== null, `clearing ${id} by rule ${match_rule}`);
    if (chosen_id !== null) assert.equal(authorization_id, chosen_id);
    else if (authorization_id !== null) assert.ok(!barredOf(choices).includes(authorization_id), `clearing ${id}`);
  }
}

const kinds_done = new Map<string, number>();

function count({ is_confirmation, authorization_id }: RematchMessage): void {
  const kind = `${is_confirmation ? 'confirm' : 'match'} ${authorization_id === null ? 'undone' : 'made'}`;
  kinds_done.set(kind, (kinds_done.get(kind) ?? 0) + 1);
}

describe('matches by hand', () => {
  test('undone in reverse order end in the very same rows', () => {
    fc.assert(
      fc.property(sets, acts, fc.nat({ max: 8 }), ({ messages, is_aging, order }, planned, first) => {
        const world = openWorld(is_aging, 'Daily');
        const arrived = order.map((at) => messages[at]!);
        // The others count in the window of the next day, unless they belong to one of the first.
        world.now_ms -= day_ms;
        sendIn(world, arrived.slice(0, first), null);
        world.now_ms += day_ms;
        world.authorize();
        sendIn(world, arrived.slice(first), null);
        const states = [rowsOf(world)];
        const done = planned.flatMap((one) => {
          const its = act(world, [one]);
          if (its.length > 0) states.push(rowsOf(world));
          return its;
        });
        assertChoicesHold(world);
        for (const { message, was, is } of done.toReversed()) {
          count(message);
          states.pop();
          const undo = undoing(message, was, is);
          const answer = sendAct(world, undo);
          assert.equal(answer.kind, 'answered', answer.kind === 'refused' ? answer.refusal.message : '');
          assert.deepEqual(rowsOf(world), states.at(-1));
        }
      }),
      propertyParameters({ short: 400, full: 2_500 }),
    );
    for (const kind of ['match made', 'match undone', 'confirm made', 'confirm undone']) {
      assert.ok((kinds_done.get(kind) ?? 0) > 0, `nothing was done: ${kind}`);
    }
  });

  test('stand whatever arrives later, in any order', () => {
    fc.assert(
      fc.property(sets, sets, acts, fc.nat({ max: 8 }), (first, { passes }, planned, before) => {
        const { messages, is_aging, order } = first;
        const worlds = [openWorld(is_aging), openWorld(is_aging)] as const;
        const early = order.slice(0, before).map((at) => messages[at]!);
        const late = order.slice(before).map((at) => messages[at]!);
        for (const world of worlds) {
          sendIn(
            world,
            early,
            early.map(() => 0),
          );
          act(world, planned);
        }
        const sorted = messages.filter((message) => late.includes(message));
        sendIn(
          worlds[0],
          late,
          late.map((_, at) => passes[at] ?? 0),
        );
        sendIn(worlds[1], sorted, null);
        for (const world of worlds) assertChoicesHold(world);
        assert.deepEqual(outcomeIn(worlds[0]), outcomeIn(worlds[1]));
      }),
      propertyParameters({ short: 300, full: 1_500 }),
    );
  });

  test('are the same whatever more of their card a pass has loaded', () => {
    fc.assert(
      fc.property(sets, acts, ({ messages, is_aging, order, passes }, planned) => {
        const worlds = [openWorld(is_aging), openWorld(is_aging)] as const;
        worlds[1].loads = 'everything';
        for (const world of worlds) {
          sendIn(
            world,
            order.map((at) => messages[at]!),
            passes,
          );
          act(world, planned);
        }
        assert.deepEqual(rowsOf(worlds[0]), rowsOf(worlds[1]));
      }),
      propertyParameters({ short: 200, full: 1_000 }),
    );
  });

  test('are the same however messages and requests are split over passes', () => {
    fc.assert(
      fc.property(sets, acts, fc.nat({ max: 8 }), ({ messages, is_aging, order }, planned, before) => {
        const worlds = [openWorld(is_aging), openWorld(is_aging)] as const;
        const arrived = order.map((at) => messages[at]!);
        for (const world of worlds) sendIn(world, arrived.slice(0, before), null);
        const [apart, together] = worlds;
        const sent: NetworkMessage[] = [];
        const answers: unknown[] = [];
        const late = arrived.slice(before);
        for (let at = 0; at < Math.max(late.length, planned.length); at += 1) {
          const [arriving, asked] = [late[at], planned[at]];
          const message = arriving === undefined ? null : messageIn(together, arriving);
          const request = asked === undefined ? null : actIn(apart, asked);
          for (const one of [message, request]) {
            if (one === null) continue;
            sent.push(one);
            answers.push(apart.send(one)[0]);
          }
        }
        assert.deepEqual(together.send(...sent), answers);
        assert.deepEqual(rowsOf(together), rowsOf(apart));
      }),
      propertyParameters({ short: 300, full: 1_500 }),
    );
  });
});
