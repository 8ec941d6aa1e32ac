import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import { barredOf, type Clearing, chosenOf, type MatchByHand, type NetworkMessage } from '../../src/index.ts';
import type { NetworkWorld } from '../network-world.ts';
import {
  matchByHand,
  matchIn,
  type PlannedAct,
  planned_acts,
  rematchMessage,
  rowsOf,
  seenIn,
  sendAct,
  undoing,
} from './by-hand.ts';
import { day_ms, messageIn, openWorld, outcomeIn, sendIn, sets } from './planned-messages.ts';

const acts = fc.array(planned_acts, { minLength: 1, maxLength: 8 });

/** What people did, with the clearing before and after. */
interface Done {
  readonly match: MatchByHand;
  readonly was: Clearing;
  readonly is: Clearing;
}

/** Sends the requests that are not refused. Checks that a refused one changes nothing. */
function act(world: NetworkWorld, planned: readonly PlannedAct[]): Done[] {
  return planned.flatMap((one): Done[] => {
    const match = matchIn(world, one);
    if (match === null) return [];
    const was = world.clearing(match.clearing_id);
    const before = rowsOf(world);
    const answer = sendAct(world, rematchMessage([match]));
    if (answer.kind === 'refused') {
      assert.deepEqual(rowsOf(world), before, answer.refusal.message);
      return [];
    }
    return [{ match, was, is: world.clearing(match.clearing_id) }];
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

function count({ is_confirmation, authorization_id }: MatchByHand): void {
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
        for (const { match, was, is } of done.toReversed()) {
          count(match);
          states.pop();
          const answer = sendAct(world, rematchMessage([undoing(match, was, is)]));
          assert.equal(answer.kind, 'answered', answer.kind === 'refused' ? answer.refusal.message : '');
          assert.deepEqual(rowsOf(world), states.at(-1));
        }
      }),
      propertyParameters({ short: 300, full: 300 }),
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
      propertyParameters({ short: 100, full: 300 }),
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
      propertyParameters({ short: 80, full: 300 }),
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
          const match = asked === undefined ? null : matchIn(apart, asked);
          for (const one of [message, match === null ? null : rematchMessage([match])]) {
            if (one === null) continue;
            sent.push(one);
            answers.push(apart.send(one)[0]);
          }
        }
        assert.deepEqual(together.send(...sent), answers);
        assert.deepEqual(rowsOf(together), rowsOf(apart));
      }),
      propertyParameters({ short: 100, full: 300 }),
    );
  });

  test('of one message are all made or none', () => {
    const outcomes = { made: 0, refused: 0 };
    fc.assert(
      fc.property(sets, acts, ({ messages, is_aging, order, passes }, planned) => {
        const world = openWorld(is_aging);
        sendIn(
          world,
          order.map((at) => messages[at]!),
          passes,
        );
        const drawn = planned.flatMap((one) => matchIn(world, one) ?? []);
        const matches = [...new Map(drawn.map((match) => [match.clearing_id, match])).values()];
        if (matches.length === 0) return;
        const matches_before = new Map(world.state.clearings.values().map((row) => [row.id, row.authorization_id]));
        const before = [rowsOf(world), world.events.length, world.state.audit.size];
        const answer = sendAct(world, rematchMessage(matches));
        if (answer.kind === 'refused') {
          assert.deepEqual([rowsOf(world), world.events.length, world.state.audit.size], before);
          if (matches.length > 1) outcomes.refused += 1;
          return;
        }
        assertChoicesHold(world);
        for (const { clearing_id, authorization_id, is_confirmation } of matches) {
          const was = matches_before.get(clearing_id);
          const { authorization_id: is, choices } = world.clearing(clearing_id);
          if (authorization_id !== null) assert.deepEqual([is, chosenOf(choices)], [authorization_id, is]);
          else assert.equal(is === was, is_confirmation);
        }
        if (matches.length > 1) outcomes.made += 1;
      }),
      propertyParameters({ short: 300, full: 300 }),
    );
    assert.ok(outcomes.made > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
  });

  test('confirmed by one message are as if confirmed one by one, and taken back by one they are as before', () => {
    let several = 0;
    fc.assert(
      fc.property(sets, fc.infiniteStream(fc.boolean()), ({ messages, is_aging, order, passes }, drawn) => {
        const worlds = [openWorld(is_aging), openWorld(is_aging)] as const;
        for (const world of worlds) {
          sendIn(
            world,
            order.map((at) => messages[at]!),
            passes,
          );
        }
        const [together, apart] = worlds;
        const before = rowsOf(together);
        const confirming = (clearing: Clearing): MatchByHand[] => {
          const { id: clearing_id, authorization_id, match_rule, cycle } = clearing;
          if (authorization_id === null || match_rule < 3 || cycle !== 'first_presentment') return [];
          return [matchByHand({ clearing_id, authorization_id, is_confirmation: true, ...seenIn(clearing) })];
        };
        const matches = together.state.clearings
          .values()
          .flatMap(confirming)
          .filter(() => drawn.next().value);
        if (matches.length === 0) return;
        if (matches.length > 1) several += 1;
        for (const match of matches) assert.equal(sendAct(apart, rematchMessage([match])).kind, 'answered');
        assert.equal(sendAct(together, rematchMessage(matches)).kind, 'answered');
        assert.deepEqual(rowsOf(together), rowsOf(apart));
        const undone = matches.map((match) => ({
          ...match,
          authorization_id: null,
          ...seenIn(together.clearing(match.clearing_id)),
        }));
        const answer = sendAct(together, rematchMessage(undone));
        assert.equal(answer.kind, 'answered', answer.kind === 'refused' ? answer.refusal.message : '');
        assert.deepEqual(rowsOf(together), before);
      }),
      propertyParameters({ short: 100, full: 300 }),
    );
    assert.ok(several > 0, 'no message confirmed several matches');
  });
});
