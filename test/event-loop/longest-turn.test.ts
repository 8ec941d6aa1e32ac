/**
 * No request holds the event loop (ADR 0054): the longest turn over every operation, with the largest
 * inputs that it takes.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { database_names } from '@tallystick/test-support';
import { type Found, type Part, turn_ms_max } from './turns.ts';

describe(`no turn of the event loop takes over ${turn_ms_max} ms`, () => {
  it('whatever an operation is sent', () => check('operations'));
  it('whatever an endpoint of Open Banking is sent', () => check('open banking'));
  it('whatever the authorisation server and its pages are sent', () => check('authorisation'));
  for (const name of database_names) {
    it(`however large a file is, and however much has arrived, on ${name}`, () => check(`bulk on ${name}`));
  }
});

async function check(part: Part): Promise<void> {
  const longest_first = (await measured(part)).toSorted((a, b) => b.turn_ms - a.turn_ms);
  const textOf = ({ what, turn_ms }: Found) => `${turn_ms.toFixed(1)} ms, ${what}`;
  console.log(`${longest_first.length} inputs; longest turn: ${textOf(longest_first[0]!)}`);
  const too_long = longest_first.filter(({ turn_ms }) => turn_ms > turn_ms_max);
  assert.deepEqual(too_long.map(textOf), []);
}

async function measured(part: Part): Promise<readonly Found[]> {
  const child = fork(new URL('measuring-process.ts', import.meta.url), [part], { execArgv: ['--conditions=source'] });
  let found: readonly Found[] = [];
  child.once('message', (sent) => {
    found = sent as readonly Found[];
  });
  const [status] = await once(child, 'close');
  assert.equal(status, 0, `the process that measures ${part} fails`);
  return found;
}
