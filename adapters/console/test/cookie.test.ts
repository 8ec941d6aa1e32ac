import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cookie, readCookie } from '../src/log-in/cookie.ts';
import { readNotice, withNotice } from '../src/notice.ts';
import type { Identity, RequestFacts } from '../src/ports.ts';

const identity = { actor: 'person:anna', name: 'Anna', grants: [], secret: 'secret' } satisfies Identity;

it('a cookie goes back to the console below any path, and over https only to its own host', () => {
  const at = (base: string, is_https: boolean) => ({ base, is_https }) as RequestFacts;
  for (const [facts, expected] of [
    [at('/ops', false), 'tallystick_x=v; Path=/ops;'],
    [at('', false), 'tallystick_x=v; Path=/;'],
    [at('/ops;v=1', false), 'tallystick_x=v; Path=/;'],
    [at('/ops', true), '__Host-tallystick_x=v; Path=/;'],
  ] as const) {
    assert.ok(cookie(facts, 'x', 'v', 60).startsWith(expected), facts.base);
  }
});

it('a notice is shown once, and only to the visitor to whom it was given', () => {
  for (const is_https of [false, true]) {
    const facts = { base: '/ops', is_https } as RequestFacts;
    const visit = (sent: string, who: Identity = identity) => ({
      facts,
      identity: who,
      request: new Request('http://localhost/', { headers: { cookie: sent } }),
    });
    const answer = withNotice(visit(''), new Response(), 'Card 7 is frozen: “ü”.');
    const [sent] = answer.headers.getSetCookie()[0]!.split(';');
    const found = readNotice(visit(sent!));
    assert.equal(found.notice, 'Card 7 is frozen: “ü”.');
    assert.match(found.forget!, /Max-Age=0/);
    assert.equal(readNotice(visit(sent!, { ...identity, secret: 'another' })).notice, null);
    assert.equal(readNotice(visit(`${sent}AAAA`)).notice, null);
    assert.equal(readCookie(visit(`x${sent}`).request, facts, 'notice'), null);
  }
});
