import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Ledger } from '@tallystick/cards';
import { look } from '@tallystick/harness';
import { machine_timers } from '@tallystick/kernel';
import { ledgerKeepingUp } from '../../src/event-index/ledger-keeping-up.ts';

it('an index that hangs does not delay the answer of a committed pass beyond its deadline', async () => {
  const state = {
    cards: [],
    authorizations: [],
    clearings: [],
    cut_card_ids: [],
    known_numbers: [],
    windows: [],
    now_ms: 0,
  };
  const no_ids = { authorization_ids: [], clearing_ids: [], event_ids: [] };
  const ledger: Ledger = {
    pass: async (_messages, fold) => fold({ ...state, ...no_ids }).result,
    passDue: async (_limit, fold) => fold({ ...state, ...no_ids }).result,
  };
  const hanging = { noteWritten: () => {}, keepUp: () => new Promise<void>(() => {}) };
  const keeping_up = ledgerKeepingUp(ledger, hanging, machine_timers);
  const { now_ms } = await keeping_up.pass([], look, { deadline: { leftMs: () => 20 } });
  assert.equal(now_ms, 0);
});
