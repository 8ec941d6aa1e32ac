import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SimulationOptions, simulate } from '../run.ts';
import { planted_bugs } from './bugs.ts';

/** A run that finds a bug, beginning with this seed, and what finds it: an invariant, or the log. */
interface Finding {
  readonly by: string;
  readonly seed: number;
  readonly days: number;
  readonly activities_max: number;
}

/** The use of a consent takes days. */
const consents = { seed: 1, days: 20, activities_max: 200 };

const short = { seed: 1, days: 3, activities_max: 150 };

const findings: Readonly<Record<string, Finding>> = {
  'a hold voided twice': { ...short, by: 'counters are sums' },
  'a refund applied twice': { ...short, seed: 2, by: 'money is conserved' },
  'a drift that nets to zero': { ...short, by: 'counters are sums' },
  'a clearing matched twice': { ...short, by: 'money is conserved' },
  'a dropped release': { ...short, by: 'holds are of open authorizations' },
  'a window that begins by a local clock': { ...short, by: 'windows tile time' },
  'a hold that ends a second late after a change of the clocks': { ...short, seed: 4, by: 'holds end on their day' },
  'a limit checked outside the lock': { ...short, seed: 3, by: 'limits hold online' },
  'a limit that is reached too early': { ...short, by: 'reference model' },
  'a canceled card that approves': { ...short, seed: 3, by: 'limits hold online' },
  'uses that are not limited': { ...short, seed: 6, by: 'limits hold online' },
  'a lost update of counters beside a pass': { ...short, by: 'counters are sums' },
  'an answer before it is durable': { ...short, by: 'answers are stored' },
  'a pass that is not idempotent': { ...short, by: 'answers are stored' },
  'a missing duplicate check': { ...short, by: 'one effect per message' },
  'an event numbered out of order': { ...short, by: 'events are in order' },
  'a decision without its event': { ...short, by: 'every change has its event' },
  'a sweep that releases nothing': { ...short, seed: 2, days: 20, by: 'log' },
  'a row committed whose job never got queued': { ...short, seed: 7, by: 'every event is delivered' },
  'a sequence with a gap': { ...short, seed: 5, by: 'sequences have no gap' },
  'a delivery to an inactive webhook': { ...short, seed: 11, by: 'every event is delivered' },
  'a lease taken over while its holder writes': { ...short, seed: 5, by: 'a lease excludes others' },
  'a retry at the wrong minute': { ...short, seed: 5, by: 'retries follow the schedule' },
  'a signature of another body': { ...short, seed: 5, by: 'receivers get what was committed' },
  'a failure taken for a success': { ...short, seed: 7, by: 'attempts were made' },
  'an effect of a handler without its position': { ...short, by: 'subscriptions have one effect' },
  'an event passed over by a subscription': { ...short, by: 'subscriptions have one effect' },
  'a template completed with no change': { ...short, by: 'every change has its event' },
  'a token that outlives its consent': { ...consents, seed: 3, by: 'no token outlives its consent' },
  'a read without its permission': { ...consents, seed: 2, by: 'reads are permitted' },
  'a mail sent again after it was recorded': { ...short, by: 'mails are sent once' },
  'a card that was notified without a mail': { ...short, by: 'mails are sent once' },
  'a record matched twice': { ...short, by: 'each record is in one item' },
  'an item counted twice in the summary': { ...short, by: 'summaries count items' },
  'an item that leaves out a clearing': { ...short, by: 'the bridge closes' },
  'an audit entry dropped from the chain': { ...short, by: 'the audit chain verifies' },
  'retention that removes what is young': { ...short, by: 'only old rows are removed' },
  'a statement line left out': { ...short, by: 'statements tie out' },
  'a statement line booked twice': { ...short, by: 'statements tie out' },
  'a cut file that counts as completed': { ...short, by: 'truncated files apply nothing' },
  'a refused record of a file that nobody keeps': { ...short, seed: 50, by: 'files are applied whole' },
  'a match counted twice for its rule': { ...short, by: 'rebuild' },
};

/** Few faults, so that a bug shows early: those that some of the bugs need. */
const around: Pick<SimulationOptions, 'nodes' | 'faults' | 'draws_faults'> = {
  nodes: 2,
  faults: ['bad_receivers', 'repeated_messages', 'repeated_offers'],
  draws_faults: false,
};

/** Within how many seeds a bug must be found. */
const seeds_max = 8;

describe('the simulation', () => {
  for (const [name, { by, ...options }] of Object.entries(findings)) {
    test(`finds ${name}`, async () => {
      const bug = planted_bugs.find((one) => one.name === name);
      assert.ok(bug !== undefined, 'there is no such bug');
      const found_by = new Set<string>();
      // New activities change what happens in a seed.
      for (let seed = options.seed; seed < options.seed + seeds_max && !found_by.has(by); seed += 1) {
        const { violations } = await simulate({ ...around, ...options, seed, bug, ends_with: by });
        for (const violation of violations) found_by.add(violation.by);
      }
      assert.ok(found_by.has(by), `found by: ${[...found_by].join(', ') || 'nothing'}`);
    });
  }

  test('shows what happened to the card of a violation', async () => {
    const bug = planted_bugs.find(({ name }) => name === 'a dropped release');
    assert.ok(bug !== undefined, 'there is no such bug');
    const { violations, story } = await simulate({ ...around, ...short, bug });
    const id = /^authorization (\d+) /.exec(violations[0]?.problem ?? '')?.[1];
    assert.ok(id !== undefined, 'no violation names an authorization');
    const text = story.join('\n');
    assert.match(text, /^the story of card \d+:$/m);
    assert.match(text, / r\d+ createCard \{.*\} -> done /);
    assert.match(text, new RegExp(` r\\d+ authorize .*"message_type_indicator":"0100".* -> done \\{"id":${id},`));
    assert.match(text, new RegExp(` event \\d+ virtualcard.realtime.auths .*"id":${id},`));
    assert.match(text, / >>> holds are of open authorizations: /);
    assert.doesNotMatch(text, /\d{16}/);
    assert.ok(story.length <= 42, `${story.length} lines`);
  });

  test('finds nothing in the same runs without a bug', async () => {
    assert.deepEqual((await simulate({ ...around, ...short })).violations, []);
  });

  test('has a run for every bug that can be planted', () => {
    assert.deepEqual(
      planted_bugs.map(({ name }) => name).filter((name) => !(name in findings)),
      [],
    );
  });
});
