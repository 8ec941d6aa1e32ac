import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Temporal } from '@tallystick/kernel';
import type { Narrator } from './narrator.ts';
import { type PlainCard, purchaseMessage } from './network-messages.ts';
import type { Json, SandboxClient } from './sandbox-client.ts';

export type { Json };

export interface Scene {
  readonly sandbox: SandboxClient;
  readonly narrator: Narrator;
  /** Distinguishes this run from other runs on the same server. */
  readonly mark: string;
  decisions: number;
  /** The sandbox's time. */
  now: Temporal.Instant;
}

export function openScene(sandbox: SandboxClient, narrator: Narrator): Scene {
  return { sandbox, narrator, mark: randomBytes(3).toString('hex'), decisions: 0, now: Temporal.Now.instant() };
}

export interface IssuedCard extends PlainCard {
  readonly id: string;
}

export interface Purchased {
  readonly message: Json;
  readonly decision: Json;
}

export async function issue({ sandbox, narrator }: Scene, data: Json): Promise<IssuedCard> {
  const answer = await sandbox.post('client', '/v1/virtualcards', { data, show_card_number: true });
  const card = answer.data as Record<'id' | 'card_number' | 'cvc' | 'expiry' | 'last4' | 'status', string>;
  narrator.line(`Card ${card.id}, number ending in ${card.last4}, good until ${card.expiry}`, card.status);
  return { id: card.id, number: card.card_number, cvc: card.cvc, expiry: card.expiry };
}

/** Sends a purchase, and asserts its decision: the code of a decline reason, or V. */
export async function purchase(
  scene: Scene,
  card: IssuedCard,
  expected: string,
  what: string,
  amount: number,
  differing: Json = {},
): Promise<Purchased> {
  const message = purchaseMessage(card, { amount, currency: 'USD', at: scene.now }, differing);
  const decision = await send(scene, message);
  scene.decisions += 1;
  assert.equal(decision.decline_reason ?? 'V', expected, `${what}: the service answered ${decision.vcn_response}`);
  if (expected === 'V') scene.narrator.approved(what, `APPROVED, code ${decision.approval_code}`);
  else scene.narrator.declined(what, `DECLINED: ${decision.vcn_response} (${expected})`);
  return { message, decision };
}

export async function send({ sandbox }: Scene, message: Json): Promise<Json> {
  return (await sandbox.post('network', '/network/v1/authorizations', { data: message })).data as Json;
}

export async function expectBalance({ sandbox, narrator }: Scene, card: IssuedCard, cents: number): Promise<void> {
  const { available_balance } = (await sandbox.get(`/v1/virtualcards/${card.id}`)).data as Json;
  assert.equal(available_balance, cents, `card ${card.id} has another balance than the story expects`);
  narrator.line('Left on the card', dollars(cents));
}

/** Moves the clock of the sandbox and of the scene. All due work is done when it resolves. */
export async function moveClock(scene: Scene, move: Json): Promise<void> {
  const answer = await scene.sandbox.post('operator', '/sandbox/v1/clock', { data: move });
  scene.now = Temporal.Instant.from((answer.data as { now: string }).now);
}

export function dollars(cents: number): string {
  return `${(cents / 100).toFixed(2)} USD`;
}

export function showInstant(at: Temporal.Instant): string {
  return at.toString({ smallestUnit: 'second' });
}
