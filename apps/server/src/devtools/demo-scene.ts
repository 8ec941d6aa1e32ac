import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Narrator } from './narrator.ts';
import { type PlainCard, purchaseMessage } from './network-messages.ts';
import type { Json, SandboxClient } from './sandbox-client.ts';

/**
 * The state that the chapters of the demo share: the client, the narrator, and the progress of the
 * story.
 */
export interface Scene {
  readonly sandbox: SandboxClient;
  readonly narrator: Narrator;
  /** Distinguishes this run from others on the same server. */
  readonly mark: string;
  /** Authorization messages that were decided. */
  decisions: number;
  /** The sandbox's time. */
  now: Temporal.Instant;
}

export function openScene(sandbox: SandboxClient, narrator: Narrator): Scene {
  return { sandbox, narrator, mark: randomBytes(3).toString('hex'), decisions: 0, now: Temporal.Now.instant() };
}

/** A card that the story issued. */
export interface IssuedCard extends PlainCard {
  readonly id: string;
  readonly last4: string;
}

export async function issue({ sandbox, narrator }: Scene, data: Json): Promise<IssuedCard> {
  const answer = await sandbox.post('client', '/v1/virtualcards', { data, show_card_number: true });
  const card = answer.data as Record<'id' | 'card_number' | 'cvc' | 'expiry' | 'last4' | 'status', string>;
  assert.equal(card.status, 'Approved');
  assert.match(card.card_number, /^\d{16}$/);
  narrator.line(`Card ${card.id}, number ending in ${card.last4}, good until ${card.expiry}`, card.status);
  return { id: card.id, number: card.card_number, cvc: card.cvc, expiry: card.expiry, last4: card.last4 };
}

/** Sends a purchase, and asserts that the answer is the expected one. */
export async function purchase(
  scene: Scene,
  card: IssuedCard,
  expected: string,
  what: string,
  amount: number,
  differing: Json = {},
) {
  const message = purchaseMessage(card, { amount, currency: 'USD', at: scene.now }, differing);
  const { decision } = await send(scene, message);
  scene.decisions += 1;
  const response = String(decision.vcn_response);
  assert.equal(response, vcn_responses[expected], `${what}: the service answered "${response}"`);
  if (expected === 'V') {
    assert.equal(decision.response_code, '00');
    scene.narrator.approved(what, `APPROVED, code ${decision.approval_code}`);
  } else {
    assert.equal(decision.approval_code, null);
    scene.narrator.declined(what, `DECLINED: ${response} (${expected})`);
  }
  return { message, decision };
}

/** The text of each reason in the service's table (V: none applied). */
const vcn_responses: Readonly<Record<string, string>> = {
  V: 'Valid',
  K: 'Database status bad',
  A: 'Expiry date mismatch',
  C: 'CVC2 mismatch',
  J: 'MCC limit',
  E: 'Transaction amount limit',
  G: 'Transaction number usage',
  F: 'Cumulative amount limit',
};

export async function send({ sandbox }: Scene, message: Json): Promise<{ decision: Json }> {
  const answer = await sandbox.post('network', '/network/v1/authorizations', { data: message });
  return { decision: answer.data as Json };
}

export async function expectBalance({ sandbox, narrator }: Scene, card: IssuedCard, cents: number): Promise<void> {
  const answer = await sandbox.get(`/v1/virtualcards/${card.id}`);
  const { available_balance } = answer.data as { available_balance: number };
  assert.equal(
    available_balance,
    cents,
    `card ${card.id} has ${available_balance} cents left, the story expects ${cents}`,
  );
  narrator.line('Left on the card', dollars(available_balance));
}

/** Moves the clock of the sandbox and of the scene. All due work is done when it resolves. */
export async function moveClock(scene: Scene, move: Json): Promise<Temporal.Instant> {
  const answer = await scene.sandbox.post('operator', '/sandbox/v1/clock', { data: move });
  scene.now = Temporal.Instant.from((answer.data as { now: string }).now);
  return scene.now;
}

export function dollars(cents: number): string {
  return `${(cents / 100).toFixed(2)} USD`;
}

export function showInstant(at: Temporal.Instant | string): string {
  return Temporal.Instant.from(at.toString()).toString({ smallestUnit: 'second' });
}
