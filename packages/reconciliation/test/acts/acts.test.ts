import assert from 'node:assert/strict';
import { refusalOf } from '@tallystick/harness';
import { checkOnStorages, type StorageRule } from '@tallystick/test-support';
import { type ActPorts, actOnItem, decideByTable, type Item, itemIdOf, readRules } from '../../src/index.ts';
import {
  ActWorld,
  areConfirmed,
  assertRebuilt,
  assertSameState,
  authorization,
  clearing,
  line,
  proposeTwo,
  tableOf,
} from './world.ts';

const reference = '74123456061000000000017';

function shown({ status, kind, authorization_ids, clearing_ids, line_ids }: Item) {
  return { status, kind, authorization_ids, clearing_ids, line_ids };
}

/** How many audit entries the person of the world has. */
async function auditedBy({ storage, company_id }: ActWorld): Promise<number> {
  const filter = { company_id, actor: 'key:1' };
  const page = await storage.unitOfWork.read((tx) => tx.audit.list(filter, { limit: 1_000 }));
  return page.items.length;
}

checkOnStorages('acts of people on items', [
  {
    rule: 'card numbers in note and reason are masked, in the history and in the audit log',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_id = await world.authorize();
      const clearing_id = await world.clear();
      const [note, reason] = ['of 5555 5555 5555 4444', 'card 5555555555554444'];
      await world.act(clearing(clearing_id), 'match', { with: { authorization_id: root_id }, note, reason });
      const { history } = await world.read(authorization(root_id));
      const filter = { company_id: world.company_id };
      const { items } = await world.storage.unitOfWork.read((tx) => tx.audit.list(filter, { limit: 100 }));
      assert.equal(history.length, 1);
      assert.ok(items.some(({ details }) => JSON.stringify(details).includes('card ')));
      assert.doesNotMatch(JSON.stringify([history, items]), /5555 4444|55554444/);
    },
  },
  {
    rule: 'a force post is matched with an authorization by hand, moves its hold, and an unmatch undoes both',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_id = await world.authorize();
      const clearing_id = await world.clear();
      const before = await world.state();
      const lone = await world.read(clearing(clearing_id));
      assert.deepEqual([lone.item.status, lone.item.kind], ['break', 'unauthorized'], 'the force post');
      const matched = await world.act(clearing(clearing_id), 'match', { with: { authorization_id: root_id } });
      const pair = { authorization_ids: [root_id], clearing_ids: [clearing_id], line_ids: [] };
      assert.deepEqual(shown(matched), { status: 'break', kind: 'unstated', ...pair }, 'the matched item');
      assert.deepEqual(matched.matches[0]?.rule, 'person', 'what made the match');
      const { history } = await world.read(authorization(root_id));
      assert.deepEqual(
        history.map(({ action, note, subject }) => ({ action, note, pair: subject.authorization })),
        [{ action: 'match', note: 'the receipt says so', pair: { clearing_id, authorization_id: root_id } }],
        'the history',
      );
      const undone = await world.act(authorization(root_id), 'unmatch');
      assert.deepEqual(shown(undone), { ...shown(undone), kind: 'uncleared', clearing_ids: [] }, 'the open purchase');
      assertSameState(await world.state(), before, 'everything after the unmatch');
    },
  },
  {
    rule: 'lines and a clearing that add up are matched by hand, and an unmatch opens them again',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_id = await world.authorize({ approval_code: 'A77777', merchant_id: 'M7' });
      const clearing_id = await world.clear({ approval_code: 'A77777', merchant_id: 'M7' });
      const lines = [
        await world.line({ amount: 600, date: '2026-05-30' }),
        await world.line({ amount: 400, date: '2026-06-09' }),
      ];
      const before = await world.state();
      const wrong = await refusalOf(
        world.act(clearing(clearing_id), 'match', { with: { line_ids: [lines[0]] } }),
        'a part of the lines',
      );
      assert.deepEqual(wrong.code, 'validation_failed', 'the refusal');
      assert.deepEqual(wrong.message.includes('a difference of -4.00 USD'), true, wrong.message);
      const matched = await world.act(clearing(clearing_id), 'match', { with: { line_ids: lines } });
      assert.deepEqual(matched.line_ids, lines, 'the lines');
      assert.deepEqual([matched.stated, matched.difference], [1_000, 0], 'the amounts');
      const again = await refusalOf(
        world.act(clearing(clearing_id), 'match', { with: { line_ids: lines } }),
        'the same match again',
      );
      assert.deepEqual(again.code, 'conflict', 'the refusal of the same match');
      await world.act(authorization(root_id), 'unmatch', { side: 'statement' });
      assertSameState(await world.state(), before, 'everything after the unmatch');
      const untouched_id = await world.line({ amount: 70 });
      const untouched = (await world.items()).filter(({ is_touched }) => !is_touched);
      assert.deepEqual(
        untouched.map(({ line_ids }) => line_ids),
        [[untouched_id]],
        'what no person touched',
      );
      const { company_id } = world;
      const rules = await world.storage.unitOfWork.read((tx) => readRules(tx, { company_id }, {}));
      assert.deepEqual(
        [rules.items, rules.items_untouched, rules.share_untouched],
        [4, 1, 0.25],
        'the items in numbers',
      );
    },
  },
  {
    rule: 'what the reference paired is taken apart, no rule pairs it again, and a match restores it',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ acquirer_reference_data: reference });
      const line_id = await world.line({ reference, amount: 1_200 });
      const { item } = await world.read(line(line_id));
      assert.deepEqual([item.kind, item.clearing_ids], ['unauthorized', [clearing_id]], 'the pair of the rule');
      const taken = await world.act(line(line_id), 'unmatch');
      assert.deepEqual(taken.clearing_ids, [], 'the item of the line');
      await world.line({ reference, amount: 30, code: '825' });
      const { item: lone } = await world.read(line(line_id));
      assert.deepEqual(lone.clearing_ids, [], 'the item of the line after another arrived');
      await world.act(line(line_id), 'match', { with: { clearing_ids: [clearing_id] } });
      const { item: restored } = await world.read(line(line_id));
      assert.deepEqual(restored.clearing_ids, [clearing_id], 'the restored pair');
    },
  },
  {
    rule: 'a match gives back what an unmatch took from an item, also when the item is ignored since then',
    async check(open) {
      const world = await ActWorld.on(await open());
      const near_id = await world.clear({ acquirer_reference_data: reference });
      const fee_id = await world.line({ reference, amount: 30, code: '825' });
      const other_id = await world.clear({ acquirer_reference_data: reference, settlement_date: '2026-05-21' });
      await world.act(clearing(other_id), 'ignore');
      await world.act(line(fee_id), 'unmatch');
      const { item: joined } = await world.read(line(fee_id));
      assert.deepEqual(
        [joined.clearing_ids, joined.status],
        [[other_id], 'break'],
        'the fee beside the ignored clearing',
      );
      const before = await world.state();
      for (const asked_of of [line(fee_id), clearing(other_id)]) {
        await world.act(line(fee_id), 'unmatch');
        const { item: alone } = await world.read(clearing(other_id));
        assert.deepEqual(alone.status, 'ignored', 'the clearing alone');
        await world.act(asked_of, 'match', { with: { line_ids: [fee_id], clearing_ids: [other_id] } });
        assertSameState(await world.state(), before, 'everything after the fee was given back');
      }
      await world.act(line(fee_id), 'unmatch');
      const line_id = await world.line({ reference: null, amount: 999 });
      const refused = await refusalOf(
        world.act(line(line_id), 'match', { with: { clearing_ids: [other_id] } }),
        'another match of the ignored clearing',
      );
      assert.deepEqual(/is ignored: .* Reopen it first/.test(refused.message), true, refused.message);
      assert.deepEqual((await world.read(clearing(near_id))).item.line_ids, [], 'the first clearing');
    },
  },
  {
    rule: 'a covering set is confirmed, kept when another line arrives, and reopened',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_id = await world.authorize({
        approval_code: 'A88888',
        merchant_id: 'M8',
        net_reference_number: 'MCCAAAAAA0520',
      });
      const clearing_id = await world.clear({
        approval_code: 'A88888',
        merchant_id: 'M8',
        net_reference_number: 'MCCAAAAAA0520',
      });
      await world.line({ amount: 600 });
      const last = await world.line({ amount: 400 });
      const before = await world.state();
      const { item: proposed } = await world.read(clearing(clearing_id));
      assert.deepEqual(proposed.status, 'proposed', 'the covering set');
      const confirmed = await world.act(clearing(clearing_id), 'confirm');
      assert.deepEqual(confirmed.status, 'matched', 'the confirmed set');
      const reopened = await world.act(authorization(root_id), 'reopen');
      assert.deepEqual(reopened.status, 'proposed', 'the reopened set');
      assertSameState(await world.state(), before, 'everything after the reopening');
      await world.act(clearing(clearing_id), 'confirm');
      await world.line({ amount: 400 });
      const { item: kept } = await world.read(line(last));
      assert.deepEqual([kept.status, kept.clearing_ids], ['matched', [clearing_id]], 'the set after another line');
    },
  },
  {
    rule: 'what a person ignored is in no covering set until it is reopened, in either order',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const parts = [await world.line({ amount: 300 }), await world.line({ amount: 700 })].map(line);
      for (const part of parts) await world.act(part, 'ignore');
      const cleared = clearing(await world.clear());
      const statusesOf = async () => {
        const items = [];
        for (const record of [...parts, cleared]) items.push((await world.read(record)).item.status);
        return items;
      };
      assert.deepEqual(await statusesOf(), ['ignored', 'ignored', 'break'], 'a clearing that they make up');
      await assertRebuilt(world, 'with ignored lines');
      for (const part of parts) await world.act(part, 'reopen');
      const { item: covered } = await world.read(cleared);
      assert.deepEqual(
        covered.line_ids,
        parts.map(({ id }) => id),
        'its lines when they are open',
      );
      await world.act(cleared, 'unmatch');
      await world.act(cleared, 'match', { with: { line_ids: parts.map(({ id }) => id) } });
      const [other, larger] = [
        clearing(await world.clear({ amount: 2_000 })),
        line(await world.line({ amount: 2_500 })),
      ];
      await world.act(other, 'ignore');
      await world.clear({ amount: 500 });
      assert.deepEqual(
        (await world.read(larger)).item.clearing_ids,
        [],
        'a line that an ignored clearing would make up',
      );
      await assertRebuilt(world, 'with an ignored clearing');
    },
  },
  {
    rule: 'a clearing whose item is not ignored any more, because an authorization joined it, is in covering sets',
    async check(open) {
      const world = await ActWorld.on(await open());
      const codes = { net_reference_number: 'MCC0999990520', approval_code: 'D99999', merchant_id: 'D99999' };
      const cleared = clearing(await world.clear(codes));
      await world.act(cleared, 'ignore');
      const authorization_id = await world.authorize(codes);
      const lines = [await world.line({ amount: 300 }), await world.line({ amount: 700 })];
      const { item } = await world.read(cleared);
      assert.deepEqual([item.authorization_ids, item.status, item.line_ids], [[authorization_id], 'proposed', lines]);
      await assertRebuilt(world, 'with a decision that has lapsed');
    },
  },
  {
    rule: 'a covering set that was taken apart is matched again, although the rules would not make it any more',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear();
      const line_ids = [await world.line({ amount: 600 }), await world.line({ amount: 400 })];
      await world.act(clearing(clearing_id), 'unmatch');
      for (let others = 0; others < 2; others += 1) await world.line({ amount: 1_000 });
      const before = await world.state();
      const matched = await world.act(clearing(clearing_id), 'match', { with: { line_ids } });
      assert.deepEqual(matched.line_ids, line_ids, 'the lines');
      assert.deepEqual(matched.matches.at(-1)?.rule, 'person', 'what made the match');
      await world.act(clearing(clearing_id), 'unmatch');
      assertSameState(await world.state(), before, 'everything after the unmatch');
    },
  },
  {
    rule: 'a line that was booked late is a proposal, until a person confirms it or takes it apart',
    async check(open) {
      const world = await ActWorld.on(await open());
      const code = { approval_code: 'A55555', net_reference_number: 'MCCEEEEEE0520' };
      await world.authorize(code);
      const clearing_id = await world.clear({ ...code, acquirer_reference_data: reference });
      const parts = [
        await world.line({ reference, amount: 600, date: '2026-05-30' }),
        await world.line({ reference, amount: 400 }),
      ];
      await world.line({ reference, amount: 20, code: '825' });
      const before = await world.state();
      const { item: proposed } = await world.read(clearing(clearing_id));
      assert.deepEqual([proposed.status, proposed.rule, proposed.fees], ['proposed', 'ard', 20], 'the proposal');
      const confirmed = await world.act(clearing(clearing_id), 'confirm');
      assert.deepEqual(
        [confirmed.status, confirmed.rule, confirmed.line_ids],
        ['matched', 'person', proposed.line_ids],
        'the confirmed match',
      );
      const pairs = confirmed.matches.filter(({ rule }) => rule === 'person').flatMap(({ line_ids }) => line_ids);
      assert.deepEqual(pairs, parts, 'the lines that the person confirmed');
      await world.act(clearing(clearing_id), 'reopen');
      assertSameState(await world.state(), before, 'everything after the reopening');
      const apart = await world.act(clearing(clearing_id), 'unmatch', { side: 'statement' });
      assert.deepEqual(apart.line_ids.length < proposed.line_ids.length, true, 'a line was taken away');
    },
  },
  {
    rule: 'a match of a provisional rule is confirmed, and reopened',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_id = await world.authorize({ approval_code: 'A99999', merchant_id: 'M9' });
      const clearing_id = await world.clear({ merchant_id: 'M9', acquirer_reference_data: reference });
      await world.line({ reference });
      const before = await world.state();
      const { item: proposed } = await world.read(clearing(clearing_id));
      assert.deepEqual([proposed.status, proposed.authorization_ids], ['proposed', [root_id]], 'the provisional match');
      const confirmed = await world.act(clearing(clearing_id), 'confirm', { reason: 'asked the merchant' });
      assert.deepEqual([confirmed.status, confirmed.matches[0]?.rule], ['matched', 'person'], 'the confirmed match');
      const twice = await refusalOf(world.act(clearing(clearing_id), 'confirm', {}, 'key:2'), 'a second confirmation');
      assert.deepEqual(twice.code, 'conflict', 'the refusal of the second confirmation');
      await world.act(clearing(clearing_id), 'reopen');
      assertSameState(await world.state(), before, 'everything after the reopening');
    },
  },
  ...(['one card', 'two cards'] as const).map(
    (cards): StorageRule => ({
      rule: `all proposed matches of an item are confirmed by one act, and reopened by one, on ${cards}`,
      async check(open) {
        const world = await ActWorld.on(await open());
        const other_card = cards === 'two cards' ? await world.addCard() : {};
        const { clearing_ids, line_id, makeTie } = await proposeTwo(world, other_card);
        const before = await world.state();
        const confirmed = await world.act(line(line_id), 'confirm');
        assert.deepEqual(confirmed.status, 'matched', 'the confirmed item');
        assert.deepEqual(await areConfirmed(world, clearing_ids), [true, true], 'the matches after the confirmation');
        await assertRebuilt(world, 'after the confirmation');
        const reopened = await world.act(line(line_id), 'reopen');
        assert.deepEqual(reopened.status, 'proposed', 'the reopened item');
        assert.deepEqual(await areConfirmed(world, clearing_ids), [false, false], 'the matches after the reopening');
        assertSameState(await world.state(), before, 'everything after the reopening');
        await assertRebuilt(world, 'after the reopening');
        // Another authorization fits the second clearing between the decision and the pass.
        const late: ActPorts = {
          ...world.ports(),
          network: {
            async rematch(message) {
              await makeTie(world);
              return await world.network.rematch(message);
            },
          },
        };
        const { item, history } = await world.read(line(line_id));
        const audited = await auditedBy(world);
        const refusal = await refusalOf(
          actOnItem(late, world.call(), item.id, 'confirm', { note: 'the receipt says so' }),
          'a confirmation of what changed meanwhile',
        );
        assert.deepEqual(refusal.code, 'conflict', refusal.message);
        assert.deepEqual(await areConfirmed(world, clearing_ids), [false, false], 'the matches after the refusal');
        assert.deepEqual((await world.read(line(line_id))).history, history, 'the history after the refusal');
        assert.deepEqual(await auditedBy(world), audited, 'the audit entries after the refusal');
        await assertRebuilt(world, 'after the refusal');
      },
    }),
  ),
  {
    rule: 'a refund that several purchases fit is confirmed to stand alone, and reopened; a debit is not',
    async check(open) {
      const world = await ActWorld.on(await open());
      const shop = { merchant_id: 'R1', amount: 1_000 };
      for (let bought = 0; bought < 2; bought += 1) await world.clear(shop);
      const refund = { ...shop, amount: 300, clearing_type: 'CREDIT', acquirer_reference_data: reference } as const;
      const refund_id = await world.clear(refund);
      await world.line({ reference, amount: -300, code: '822' });
      const before = await world.state();
      const { item } = await world.read(clearing(refund_id));
      assert.deepEqual(
        [item.status, item.class, item.authorization_ids],
        ['proposed', 'refund_unlinked', []],
        'the refund',
      );
      const confirmed = await world.act(clearing(refund_id), 'confirm');
      assert.deepEqual([confirmed.status, confirmed.kind], ['matched', null], 'the confirmed refund');
      const twice = await refusalOf(world.act(clearing(refund_id), 'confirm'), 'a second confirmation');
      assert.deepEqual(twice.code, 'conflict', 'the refusal of the second confirmation');
      await world.act(clearing(refund_id), 'reopen');
      assertSameState(await world.state(), before, 'everything after the reopening');
      for (let authorized = 0; authorized < 2; authorized += 1) await world.authorize({ merchant_id: 'R2' });
      const other = '74123456061000000000082';
      const tie_id = await world.clear({ merchant_id: 'R2', acquirer_reference_data: other });
      await world.line({ reference: other });
      assert.deepEqual((await world.read(clearing(tie_id))).item.status, 'proposed', 'the tie');
      const refused = await refusalOf(world.act(clearing(tie_id), 'confirm'), 'a confirmation of a tie');
      assert.deepEqual(refused.message.includes('joins nothing that can be confirmed'), true, refused.message);
    },
  },
  {
    rule: 'a break is accepted or ignored until it is reopened, or something else arrives for it',
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ acquirer_reference_data: reference });
      const before = await world.state();
      for (const [action, status] of [
        ['accept', 'accepted'],
        ['ignore', 'ignored'],
      ] as const) {
        const decided = await world.act(clearing(clearing_id), action);
        assert.deepEqual([decided.status, decided.kind], [status, 'unauthorized'], action);
        const refused = await refusalOf(world.act(clearing(clearing_id), 'match', { with: { line_ids: [1] } }), action);
        assert.deepEqual(refused.message.includes(`is ${status}: key:1 ${status} it at `), true, refused.message);
        await world.act(clearing(clearing_id), 'reopen');
        assertSameState(await world.state(), before, `everything after ${action} and its undoing`);
      }
      await world.act(clearing(clearing_id), 'ignore');
      await world.line({ reference });
      const { item, history } = await world.read(clearing(clearing_id));
      assert.deepEqual(item.status, 'break', 'the item after a line arrived');
      assert.deepEqual(history.length, 5, 'the history keeps every act');
    },
  },
  {
    rule: 'the id of an item that was merged is refused, unless the version of the other item is sent',
    on_postgres: true,
    async check(open) {
      const world = await ActWorld.on(await open());
      const clearing_id = await world.clear({ acquirer_reference_data: reference });
      const line_id = await world.line({ reference, amount: 1_200 });
      const { item } = await world.read(clearing(clearing_id));
      const ids = [itemIdOf(clearing(clearing_id)), itemIdOf(line(line_id))];
      const merged_id = ids.find((id) => id !== item.id)!;
      const before = await world.state();
      const where = `item ${merged_id} is part of item ${item.id} now, which has version ${item.version}`;
      const refused = await refusalOf(world.actOn(merged_id, 'ignore'), 'an act by the merged id');
      assert.deepEqual([refused.code, refused.message.startsWith(where)], ['conflict', true], refused.message);
      const other = await refusalOf(world.actOn(merged_id, 'ignore', { version: item.version + 1 }), 'another version');
      assert.deepEqual([other.code, other.message.startsWith(where)], ['conflict', true], other.message);
      assertSameState(await world.state(), before, 'everything after the refusals');
      const row = { id: String(merged_id), version: String(item.version), decision: 'ignore', note: 'not ours' };
      const table = tableOf([row]);
      const checked = await decideByTable(world.ports(), world.call(), table, { dry_run: true });
      assert.deepEqual(
        [checked.errors[0]?.column, checked.errors[0]?.message.startsWith(where)],
        ['version', true],
        'a row',
      );
      const ignored = await world.actOn(merged_id, 'ignore', { version: item.version });
      assert.deepEqual([ignored.id, ignored.status], [item.id, 'ignored'], 'the act with the version of the item');
    },
  },
  {
    rule: 'what the state of an item does not permit is refused, and nothing is written',
    async check(open) {
      const world = await ActWorld.on(await open());
      const root_id = await world.authorize({ approval_code: 'A66666', net_reference_number: 'MCCBBBBBB0520' });
      const clearing_id = await world.clear({
        approval_code: 'A66666',
        net_reference_number: 'MCCBBBBBB0520',
        acquirer_reference_data: reference,
      });
      const line_id = await world.line({ reference });
      const lone_id = await world.line({ amount: 70 });
      const elsewhere_id = await world.line({ amount: 30, account: 1 });
      const other = await ActWorld.on(world.storage);
      const foreign_id = await other.clear();
      const foreign_root_id = await other.authorize();
      const { item } = await world.read(clearing(clearing_id));
      assert.deepEqual(item.status, 'matched', 'the purchase');
      const before = await world.state();
      const cases: readonly (readonly [string, () => Promise<unknown>, string, RegExp])[] = [
        [
          'ignore',
          () => world.act(clearing(clearing_id), 'ignore'),
          'conflict',
          /is matched, .* nothing of it is left/,
        ],
        ['accept', () => world.act(clearing(clearing_id), 'accept'), 'conflict', /only a break can be accepted/],
        ['confirm', () => world.act(clearing(clearing_id), 'confirm'), 'conflict', /only a proposed match/],
        [
          'reopen',
          () => world.act(clearing(clearing_id), 'reopen'),
          'conflict',
          /has no ignore, accept or confirm to undo/,
        ],
        [
          'match with a line of a matched item',
          () => world.act(line(lone_id), 'match', { with: { clearing_ids: [clearing_id] } }),
          'conflict',
          /clearing \d+ is matched in item \d+ already: unmatch it there first/,
        ],
        [
          'match with the same authorization',
          () => world.act(clearing(clearing_id), 'match', { with: { authorization_id: root_id } }),
          'conflict',
          /belongs to authorization \d+ already/,
        ],
        ['unmatch of nothing', () => world.act(line(lone_id), 'unmatch'), 'conflict', /no match that can be undone/],
        [
          'lines of two accounts',
          () =>
            world.act(line(lone_id), 'match', {
              with: { line_ids: [lone_id, elsewhere_id], clearing_ids: [clearing_id] },
            }),
          'validation_failed',
          /must be of one account/,
        ],
        [
          'a clearing of another company',
          () => world.act(line(lone_id), 'match', { with: { clearing_ids: [foreign_id] } }),
          'validation_failed',
          /there is no clearing/,
        ],
        [
          'an authorization of another company',
          () => world.act(clearing(clearing_id), 'match', { with: { authorization_id: foreign_root_id } }),
          'validation_failed',
          /there is none with the id/,
        ],
        ['an item of another company', () => world.act(clearing(foreign_id), 'ignore'), 'not_found', /no item/],
        ['no note', () => world.act(line(lone_id), 'ignore', { note: ' ' }), 'validation_failed', /note must be text/],
        [
          'a note that nobody can see',
          () => world.act(line(lone_id), 'ignore', { note: '\u200b\u202e ' }),
          'validation_failed',
          /note must be text of .*, at least one of them visible/,
        ],
        [
          'an older version',
          () => world.act(line(lone_id), 'ignore', { version: 77 }),
          'conflict',
          /has version 1 by now, not 77: it is break \(unexplained_line\) now/,
        ],
        [
          'both sides at once',
          () => world.act(line(lone_id), 'match', { with: { authorization_id: root_id, line_ids: [lone_id] } }),
          'validation_failed',
          /one side after the other/,
        ],
        [
          'a clearing with a line by its item, and nothing named',
          () => world.act(line(lone_id), 'match', { with: { line_ids: [lone_id] } }),
          'validation_failed',
          /must name clearings/,
        ],
      ];
      for (const [what, refuse, code, message] of cases) {
        const refusal = await refusalOf(refuse(), what);
        assert.deepEqual([what, refusal.code], [what, code], refusal.message);
        assert.deepEqual(message.test(refusal.message), true, `${what}: ${refusal.message}`);
      }
      assertSameState(await world.state(), before, 'everything after the refusals');
      assert.deepEqual((await world.read(line(line_id))).history, [], 'the history');
    },
  },
]);
