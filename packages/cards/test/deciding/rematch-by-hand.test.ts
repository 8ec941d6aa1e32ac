import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money } from '@tallystick/kernel';
import { type MatchByHand, matchMakerOf, neighbours_max, type RematchMessage } from '../../src/index.ts';
import { NetworkWorld } from '../network-world.ts';
import { matchByHand, rematchMessage, rowsOf, seenIn, sendAct } from './by-hand.ts';

const now = '2026-11-21T12:00:00Z';
const shop = { merchant_id: 'M', approval_code: null, net_reference_number: null };

type Change = Partial<MatchByHand & Pick<RematchMessage, 'company_id' | 'reason' | 'act'>>;

/** The person sees who made the match that there is, unless the change says otherwise. */
function send(world: NetworkWorld, { company_id = 7, reason = null, act = null, ...match }: Change = {}) {
  const clearing = world.state.clearings.get(match.clearing_id ?? 1);
  const expected_matched_by = clearing === undefined ? 'rule' : matchMakerOf(clearing);
  return sendAct(world, rematchMessage([matchByHand({ expected_matched_by, ...match })], { company_id, reason, act }));
}

/** The code of the refusal, or the class of the clearing. */
function resultOf(world: NetworkWorld, change: Change = {}): string {
  const answer = send(world, change);
  return answer.kind === 'refused' ? answer.refusal.code : answer.items[0]!.class;
}

function reasonOf(world: NetworkWorld, change: Change = {}): string {
  const answer = send(world, change);
  return answer.kind === 'refused' ? answer.refusal.message : 'not refused';
}

/** An open authorization of 400, and a force post of 400 of another merchant. */
function worldOfTwo(): NetworkWorld {
  const world = new NetworkWorld(now);
  world.authorize({ ...shop, billing_amount: 400 });
  world.clear({ merchant_id: 'N', billing_amount: 400 });
  return world;
}

/** The same, where rule 6 has matched the clearing to the authorization. */
function worldOfProposal(): NetworkWorld {
  const world = new NetworkWorld(now);
  world.authorize({ ...shop, billing_amount: 400 });
  const { match_rule } = world.clear({ merchant_id: 'M', billing_amount: 400 });
  assert.equal(match_rule, 6);
  return world;
}

const take = { authorization_id: null, expected_authorization_id: 1 } as const;
const confirm = { is_confirmation: true, expected_authorization_id: 1 } as const;

describe('a match by hand', () => {
  test('moves hold, use and cleared amount as a rule would', () => {
    const world = worldOfTwo();
    assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [400, 400, 2]);
    const answer = send(world);
    assert.ok(answer.kind === 'answered');
    const { authorization_id, match_rule, matched_by, review, class: its_class } = answer.items[0]!;
    assert.deepEqual([authorization_id, match_rule, matched_by, review, its_class], [1, 9, 'person', false, 'exact']);
    assert.deepEqual([world.counters.held, world.counters.cleared, world.counters.uses], [0, 400, 1]);
    assert.deepEqual([world.row(1).status, world.row(1).cleared], ['cleared', 400]);
  });

  test('and taking it back leave the rows as they were', () => {
    const world = worldOfTwo();
    const before = rowsOf(world);
    send(world);
    assert.equal(resultOf(world, take), 'force_post');
    assert.deepEqual(rowsOf(world), before);
  });

  test('stays when its reference names another authorization that arrives later', () => {
    const world = new NetworkWorld(now);
    const reference = { net_reference_number: 'MCCABC1231121' };
    world.authorize({ ...shop, billing_amount: 400 });
    world.clear({ ...reference, billing_amount: 400 });
    send(world);
    world.authorize({ ...reference, billing_amount: 400 });
    assert.deepEqual([world.clearing(1).authorization_id, world.row(2).status], [1, 'open']);
    assert.equal(resultOf(world, take), 'exact');
    assert.deepEqual([world.clearing(1).authorization_id, world.clearing(1).match_rule], [2, 3]);
  });

  test('is bounded by no limit of the card, as any clearing', () => {
    const world = new NetworkWorld(now, { total_card_amount: money(500), transactions_max: 1 });
    world.authorize({ ...shop, billing_amount: 400 });
    world.clear({ merchant_id: 'N', billing_amount: 900 });
    assert.equal(resultOf(world), 'over');
    assert.deepEqual([world.row(1).cleared, world.available()], [900, -400]);
  });

  test('takes the reversals and refunds of the clearing with it', () => {
    const world = new NetworkWorld(now);
    const same = { acquirer_reference_data: '55432861234567890', approval_code: 'A1B2C3' };
    world.authorize({ ...shop, billing_amount: 400 });
    world.clear({ ...same, billing_amount: 400 });
    world.clear({ ...same, billing_amount: 400, clearing_type: 'CREDIT', cycle: 'reversal' });
    assert.equal(resultOf(world), 'exact');
    assert.deepEqual([world.clearing(2).authorization_id, world.clearing(2).match_rule], [1, 1]);
    assert.deepEqual([world.row(1).cleared, world.counters.cleared], [0, 0]);
  });

  test('with an authorization that was reversed is made, as rule 3 would', () => {
    const world = worldOfTwo();
    send(world);
    world.authorize({ trace_id: world.row(1).trace_id, message_type_indicator: '0400' });
    const before = rowsOf(world);
    send(world, take);
    assert.deepEqual([world.row(1).status, world.counters.uses], ['reversed', 1]);
    assert.equal(resultOf(world), 'over');
    assert.deepEqual(rowsOf(world), before);
  });

  for (const order of ['in the order of their dates', 'the last by date first'] as const) {
    test(`counts beside a clearing that a rule matches, ${order}`, () => {
      const world = new NetworkWorld(now);
      const reference = { net_reference_number: 'MCCABC1231121' };
      world.authorize(reference);
      const debit = () => world.clear({ ...reference, settlement_date: '2026-11-20' });
      if (order === 'in the order of their dates') debit();
      const { id } = world.clear({ billing_amount: 300, clearing_type: 'CREDIT', settlement_date: '2026-11-21' });
      send(world, { clearing_id: id });
      if (order === 'the last by date first') debit();
      assert.deepEqual([world.row(1).cleared, world.clearing(id).review], [700, false]);
    });
  }

  test('counts before a clearing that a rule matches, also after a credit and a release', () => {
    const world = new NetworkWorld(now);
    const reference = { net_reference_number: 'MCCABC1231121' };
    world.authorize(reference);
    const part = { billing_amount: 300, partial: true };
    world.clear({ ...part, settlement_date: '2026-11-19' });
    world.clear({ ...part, settlement_date: '2026-11-21', clearing_type: 'CREDIT' });
    send(world);
    send(world, { clearing_id: 2 });
    world.release(1);
    const { class: its_class } = world.clear({ ...reference, settlement_date: '2026-11-20' });
    assert.deepEqual([its_class, world.row(1).cleared], ['over', 1_000]);
  });

  test('of a refund still refers to the purchase that rule 7 finds', () => {
    const world = worldOfProposal();
    const refund = world.clear({ merchant_id: 'M', billing_amount: 100, clearing_type: 'CREDIT' });
    assert.deepEqual([refund.match_rule, refund.authorization_id, refund.clearing_id], [7, 1, 1]);
    assert.equal(resultOf(world, { ...confirm, clearing_id: 2 }), 'refund_linked');
    assert.deepEqual([world.clearing(2).match_rule, world.clearing(2).clearing_id], [9, 1]);
    assert.equal(world.row(1).cleared, 300);
    assert.equal(resultOf(world, { ...take, clearing_id: 2 }), 'refund_unlinked');
    assert.equal(world.row(1).cleared, 400);
  });

  test('is an event of the card, and an audit entry with the name of the person', () => {
    const world = worldOfTwo();
    send(world, { reason: 'receipt' });
    const { event_type, payload, previous, request_id } = world.events.at(-1)!;
    const rematched = {
      clearing_id: 1,
      from_authorization_id: null,
      authorization_id: 1,
      note: 'the receipt says so',
    };
    assert.deepEqual([event_type, request_id, payload.rematched], ['virtualcard.updated', 'r-1', rematched]);
    assert.deepEqual([previous?.available_balance, payload.available_balance], [99_200, 99_600]);
    const audited = world.state.audit.values();
    assert.deepEqual(
      audited.map(({ actor, action, object, at_ms }) => [actor, action, object, at_ms]),
      [['key:9', 'clearing.matched_by_hand', 'clearing:1', world.now_ms]],
    );
    assert.deepEqual(audited[0]?.details, {
      vcn_id: 1,
      from: { match_rule: 8, authorization_id: null, clearing_id: null, class: 'force_post' },
      to: { match_rule: 9, authorization_id: 1, clearing_id: null, class: 'exact' },
      note: 'the receipt says so',
      reason: 'receipt',
    });
  });

  test('audits the other clearings that are matched again with it', () => {
    const world = worldOfProposal();
    world.clear({ merchant_id: 'M', billing_amount: 400, settlement_date: '2026-11-24' });
    assert.deepEqual([world.clearing(1).authorization_id, world.clearing(2).authorization_id], [1, null]);
    send(world, take);
    assert.deepEqual([world.clearing(1).authorization_id, world.clearing(2).authorization_id], [null, 1]);
    const audited = world.state.audit.values().map(({ action, object, actor }) => [action, object, actor]);
    assert.deepEqual(audited, [
      ['clearing.unmatched_by_hand', 'clearing:1', 'key:9'],
      ['clearing.rematched', 'clearing:2', 'network'],
    ]);
  });

  test('carries the act of reconciliation at the time of the pass, unless it is refused', () => {
    const world = worldOfTwo();
    const subject = { fingerprint: '', pairs: [], confirmed: [], authorization: null };
    const act = {
      company_id: 7,
      actor: 'key:9',
      action: 'match',
      item_id: 5,
      subject: JSON.stringify(subject),
      note: 'n',
      reason: null,
      request_id: 'r-1',
    };
    send(world, { act });
    assert.deepEqual(world.state.reconciliation_acts.values(), [{ ...act, subject, id: 1, at_ms: world.now_ms }]);
    send(world, { act, expected_authorization_id: 1 });
    assert.equal(world.state.reconciliation_acts.size, 1);
  });
});

describe('a clearing that a person took from an authorization', () => {
  test('is matched to it by no rule, whatever arrives', () => {
    const world = worldOfProposal();
    assert.equal(resultOf(world, take), 'force_post');
    assert.deepEqual([world.row(1).status, world.row(1).held, world.counters.held], ['open', 400, 400]);
    world.clear({ merchant_id: 'M', billing_amount: 900, settlement_date: '2026-11-01' });
    world.authorize({ ...shop, billing_amount: 1_200 });
    assert.equal(world.clearing(1).authorization_id, null);
    assert.equal(world.clearing(1).match_rule, 8);
  });

  test('is matched to another that the rules find', () => {
    const world = worldOfProposal();
    send(world, take);
    world.authorize({ ...shop, billing_amount: 400 });
    assert.deepEqual([world.clearing(1).authorization_id, world.clearing(1).match_rule], [2, 6]);
  });

  test('leaves partially cleared what was reversed after it and before a part, in one instant', () => {
    const world = new NetworkWorld(now);
    const reference = { net_reference_number: 'MCCABC1231121' };
    const { trace_id } = world.authorize({ ...shop, ...reference, billing_amount: 400 });
    world.clear({ ...reference, billing_amount: 400 });
    world.authorize({ trace_id, message_type_indicator: '0400' });
    world.clear({ ...reference, billing_amount: 100, partial: true });
    assert.deepEqual([world.clearing(2).authorization_id, world.row(1).status], [1, 'cleared']);
    send(world, take);
    assert.deepEqual([world.row(1).status, world.row(1).cleared, world.counters.held], ['partially_cleared', 100, 0]);
  });

  test('is matched by its merchant, although its reference names the one that it was taken from', () => {
    const world = new NetworkWorld(now);
    const reference = { net_reference_number: 'MCCABC1231121' };
    world.authorize({ ...shop, ...reference, billing_amount: 400 });
    world.clear({ ...reference, merchant_id: 'M', billing_amount: 400 });
    assert.equal(resultOf(world, take), 'force_post');
    world.authorize({ ...shop, billing_amount: 400 });
    assert.deepEqual([world.clearing(1).authorization_id, world.clearing(1).match_rule], [2, 6]);
  });

  test('is as before when it is matched to it again', () => {
    const world = worldOfProposal();
    const before = rowsOf(world);
    send(world, take);
    assert.equal(resultOf(world), 'exact');
    assert.deepEqual(rowsOf(world), before);
    assert.equal(world.clearing(1).choices, null);
  });
});

describe('a confirmation', () => {
  test('makes the match of a rule one that a person made, and moves nothing', () => {
    const world = worldOfProposal();
    const { clearings: _clearings, ...before } = rowsOf(world);
    const events = world.events.length;
    send(world, confirm);
    const { clearings, ...after } = rowsOf(world);
    assert.deepEqual(after, before);
    const [{ match_rule, review, authorization_id } = assert.fail('no clearing')] = clearings;
    assert.deepEqual([match_rule, review, authorization_id], [9, false, 1]);
    assert.equal(world.events.length, events);
    assert.deepEqual(
      world.state.audit.values().map(({ action }) => action),
      ['clearing.match_confirmed'],
    );
  });

  test('keeps the match when another authorization would be as good', () => {
    const world = worldOfProposal();
    send(world, confirm);
    world.authorize({ ...shop, billing_amount: 400 });
    assert.equal(world.clearing(1).authorization_id, 1);
  });

  test('is taken back: the match is that of the rule again', () => {
    const world = worldOfProposal();
    const before = rowsOf(world);
    send(world, confirm);
    assert.equal(resultOf(world, { ...confirm, authorization_id: null }), 'exact');
    assert.deepEqual(rowsOf(world), before);
    assert.equal(world.state.audit.values().at(-1)?.action, 'clearing.match_unconfirmed');
  });

  test('is kept apart from the match when that is taken away and made again', () => {
    const world = worldOfProposal();
    send(world, confirm);
    const before = rowsOf(world);
    assert.equal(resultOf(world, take), 'force_post');
    assert.equal(resultOf(world), 'exact');
    assert.deepEqual(rowsOf(world), before);
  });
});

describe('a match by hand is refused', () => {
  test('of a card or a clearing that is unknown, or of another company or card', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    world.authorize({ ...shop, billing_amount: 400 });
    world.clear({ billing_amount: 400 });
    world.clear({ card_id: 2 });
    for (const change of [{ vcn_id: 3 }, { company_id: 8 }, { clearing_id: 9 }, { clearing_id: 2 }]) {
      assert.equal(resultOf(world, change), 'not_found', JSON.stringify(change));
    }
    assert.equal(resultOf(world, { company_id: null }), 'exact');
  });

  test('with an authorization that the card does not have, in words that say what would be right', () => {
    const world = new NetworkWorld(now, {}, { id: 2 });
    world.clear({ billing_amount: 400 });
    const { trace_id } = world.authorize({ billing_amount: 400, card_id: 2 });
    assert.match(reasonOf(world), /must be an authorization of virtual card 1/);
    world.authorize({ billing_amount: 400, trace_id });
    world.authorize({ billing_amount: 100, trace_id, incremental: true });
    assert.match(reasonOf(world, { authorization_id: 3 }), /must be 2, the authorization that message 3 changed/);
    assert.equal(resultOf(world, { authorization_id: 3 }), 'validation_failed');
  });

  test('with an authorization that was declined, or is of a refund', () => {
    const world = new NetworkWorld(now);
    world.clear({ billing_amount: 400 });
    world.authorize({ billing_amount: 200_000 });
    const { id: refund_id } = world.authorize({ billing_amount: 400, card_holder_transaction_type_code: '20' });
    assert.match(reasonOf(world), /authorization 1 is declined/);
    assert.match(reasonOf(world, { authorization_id: refund_id }), /is of a refund, and clearing 1 is a debit/);
  });

  test('of a clearing that is matched to it already, or that a person matched', () => {
    const world = worldOfProposal();
    world.authorize({ ...shop, billing_amount: 700 });
    const seen = { expected_authorization_id: 1 };
    assert.match(reasonOf(world, seen), /was matched to authorization 1 by rule 6 already/);
    send(world, confirm);
    assert.match(reasonOf(world, seen), /was matched to authorization 1 by a person already/);
    assert.match(reasonOf(world, confirm), /by a person already/);
    assert.match(reasonOf(world, { ...seen, authorization_id: 2 }), /take it from that authorization first/);
  });

  test('when another match was made since the person looked, with what happened', () => {
    const world = worldOfTwo();
    send(world);
    const reason = reasonOf(world);
    assert.match(reason, /clearing 1 was matched to authorization 1 by a person by now.*it belonged to none/);
    assert.equal(resultOf(world), 'conflict');
    const confirmed = worldOfProposal();
    send(confirmed, confirm);
    const unseen = { ...take, expected_matched_by: 'rule' } as const;
    assert.match(reasonOf(confirmed, unseen), /by a person by now.*a rule had matched it to authorization 1/);
  });

  test('of what belongs to no authorization, or was not confirmed', () => {
    const world = worldOfTwo();
    const none = { authorization_id: null, expected_authorization_id: null };
    assert.match(reasonOf(world, none), /clearing 1 belongs to no authorization/);
    assert.match(reasonOf(world, { is_confirmation: true }), /only that match can be confirmed/);
    assert.match(reasonOf(world, { ...none, is_confirmation: true }), /no confirmation to take back/);
    send(world);
    assert.match(reasonOf(world, { ...confirm, authorization_id: null }), /no rule would match clearing 1/);
  });

  test('of a reversal or a dispute, which follow the clearing that they refer to', () => {
    for (const cycle of ['reversal', 'chargeback', 'second_presentment'] as const) {
      const world = new NetworkWorld(now);
      const same = { acquirer_reference_data: '55432861234567890', approval_code: 'A1B2C3' };
      world.authorize({ ...shop, billing_amount: 400 });
      world.clear(same);
      world.clear({ ...same, cycle, clearing_type: 'CREDIT' });
      assert.equal(resultOf(world, { clearing_id: 2 }), 'conflict', cycle);
      assert.match(reasonOf(world, { clearing_id: 2 }), /that it refers to/);
    }
  });

  test('and then nothing changes', () => {
    const world = worldOfProposal();
    const before = [rowsOf(world), world.events.length, world.state.audit.size];
    for (const change of [{}, { ...take, expected_authorization_id: null }, { ...confirm, authorization_id: 5 }]) {
      assert.match(resultOf(world, change), /conflict|validation_failed/);
    }
    assert.deepEqual([rowsOf(world), world.events.length, world.state.audit.size], before);
  });
});

describe('several matches of one message', () => {
  /** Two purchases of card 1, and one of card 2, each with a clearing that rule 6 matched to it. */
  function worldOfProposals(): NetworkWorld {
    const world = new NetworkWorld(now, {}, { id: 2 });
    for (const [merchant_id, card_id] of [
      ['M', 1],
      ['N', 1],
      ['O', 2],
    ] as const) {
      world.authorize({ ...shop, merchant_id, card_id, billing_amount: 400 });
      world.clear({ merchant_id, card_id, billing_amount: 400 });
    }
    const rules = world.state.clearings
      .values()
      .map(({ authorization_id, match_rule }) => [authorization_id, match_rule]);
    assert.deepEqual(rules, [
      [1, 6],
      [2, 6],
      [3, 6],
    ]);
    return world;
  }

  function confirmations(world: NetworkWorld, { is_undone = false } = {}): readonly MatchByHand[] {
    return world.state.clearings.values().map((clearing) =>
      matchByHand({
        vcn_id: clearing.card_id,
        clearing_id: clearing.id,
        authorization_id: is_undone ? null : clearing.authorization_id,
        is_confirmation: true,
        ...seenIn(clearing),
      }),
    );
  }

  /** Everything that a refused message must leave as it is. */
  function everythingOf(world: NetworkWorld) {
    return [rowsOf(world), world.events.length, world.state.audit.size, world.state.reconciliation_acts.size];
  }

  const act = {
    company_id: 7,
    actor: 'key:9',
    action: 'confirm',
    item_id: 5,
    subject: JSON.stringify({ fingerprint: '', pairs: [], confirmed: [], authorization: null }),
    note: 'n',
    reason: null,
    request_id: 'r-1',
  };

  test('are confirmed with one act and an audit entry each, on several cards, and all taken back', () => {
    const world = worldOfProposals();
    const before = rowsOf(world);
    const answer = sendAct(world, rematchMessage(confirmations(world), { act }));
    assert.ok(answer.kind === 'answered');
    assert.deepEqual(
      answer.items.map(({ id, vcn_id, matched_by }) => [id, vcn_id, matched_by]),
      [
        [1, 1, 'person'],
        [2, 1, 'person'],
        [3, 2, 'person'],
      ],
    );
    assert.deepEqual([world.state.audit.size, world.state.reconciliation_acts.size], [3, 1]);
    sendAct(world, rematchMessage(confirmations(world, { is_undone: true }), { act }));
    assert.deepEqual(rowsOf(world), before);
    assert.deepEqual([world.state.audit.size, world.state.reconciliation_acts.size], [6, 2]);
  });

  test('are all refused when one of them is, whichever it is', () => {
    const world = worldOfProposals();
    const matches = confirmations(world);
    const before = everythingOf(world);
    for (const [at, match] of matches.entries()) {
      for (const [change, code] of [
        [{ expected_matched_by: 'person' }, 'conflict'],
        [{ clearing_id: 9 }, 'not_found'],
        [{ vcn_id: 9 }, 'not_found'],
        [{ authorization_id: 9 }, 'conflict'],
        [{ authorization_id: null }, 'conflict'],
      ] as const) {
        const answer = sendAct(world, rematchMessage(matches.with(at, { ...match, ...change }), { act }));
        assert.equal(answer.kind === 'refused' ? answer.refusal.code : 'answered', code, JSON.stringify([at, change]));
        assert.deepEqual(everythingOf(world), before);
      }
    }
  });

  test('are all refused when those of a later card cannot be settled, and what was settled is put back', () => {
    const world = worldOfProposals();
    // No rule would match the clearing of card 2: to take this confirmation back is another match.
    sendAct(world, rematchMessage(confirmations(world).slice(0, 2)));
    send(world, { vcn_id: 2, clearing_id: 3, authorization_id: null, expected_authorization_id: 3 });
    world.authorize({ ...shop, merchant_id: 'P', card_id: 2, billing_amount: 400 });
    send(world, { vcn_id: 2, clearing_id: 3, authorization_id: 4 });
    const before = everythingOf(world);
    const answer = sendAct(world, rematchMessage(confirmations(world, { is_undone: true }), { act }));
    assert.match(answer.kind === 'refused' ? answer.refusal.message : '', /no rule would match clearing 3/);
    assert.deepEqual(everythingOf(world), before);
  });

  test('name each clearing once', () => {
    const world = worldOfProposals();
    const [match] = confirmations(world);
    assert.throws(() => sendAct(world, rematchMessage([match!, match!])), /each of them once/);
  });
});

describe('on a card with more records than a pass reads around its messages', () => {
  /**
   * A card with so many clearings of the merchant of its first authorization. A clearing of that is
   * for review, because its reference names another authorization, too. A credit refunds the largest.
   */
  function worldOfBusyCard(): NetworkWorld {
    const busy = new NetworkWorld(now, { total_card_amount: money(100_000_000) });
    const reference = { net_reference_number: 'MCCABC1231121' };
    busy.authorize({ ...shop, ...reference, billing_amount: 500 });
    busy.clear({ merchant_id: 'M', billing_amount: 700, settlement_date: '2026-11-22' });
    busy.authorize({ ...reference, billing_amount: 600 });
    busy.clear({ ...reference, billing_amount: 100, partial: true, settlement_date: '2026-11-21' });
    assert.deepEqual([busy.clearing(2).authorization_id, busy.clearing(2).review], [1, true]);
    busy.clear({ merchant_id: 'M', billing_amount: 50_000, settlement_date: '2026-11-21' });
    const refund = busy.clear({ merchant_id: 'M', billing_amount: 40_000, clearing_type: 'CREDIT' });
    assert.equal(refund.clearing_id, 3);
    const others = Array.from({ length: neighbours_max + 5 }, (_, at) =>
      busy.clearingMessage({ merchant_id: 'M', billing_amount: 10_000 + at, settlement_date: '2026-11-21' }),
    );
    busy.send(...others);
    return busy;
  }

  test('a clearing is matched by hand, and taken back, while all others stay as they are', () => {
    const busy = worldOfBusyCard();
    const before = rowsOf(busy);
    assert.equal(resultOf(busy), 'over');
    assert.deepEqual([busy.row(1).status, busy.row(1).cleared, busy.row(1).held], ['cleared', 800, 0]);
    assert.equal(busy.clearing(2).review, true);
    assert.equal(resultOf(busy, take), 'force_post');
    assert.deepEqual(rowsOf(busy), before);
  });

  test('clearings that are taken back leave reversed, without a use, what was reversed after them', () => {
    const busy = worldOfBusyCard();
    send(busy);
    busy.authorize({ trace_id: busy.row(1).trace_id, message_type_indicator: '0400' });
    assert.equal(busy.row(1).status, 'cleared');
    send(busy, take);
    assert.deepEqual([busy.row(1).status, busy.row(1).cleared, busy.row(1).uses], ['reversed', 100, 1]);
    send(busy, { ...take, clearing_id: 2 });
    assert.deepEqual([busy.row(1).status, busy.row(1).cleared, busy.row(1).uses], ['reversed', 0, 0]);
  });
});
