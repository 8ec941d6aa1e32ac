// First, so that an older Node gets one sentence and loads nothing else.
import './supported-node.ts';
import type { TallystickOptions } from './options.ts';
import type { Tallystick } from './tallystick.ts';

export type { BankData } from '@tallystick/accounts';
export type {
  CardVault,
  ConsultationContent,
  Mailer,
  OnAuthorization,
  StandInRule,
  WrittenAnswer,
} from '@tallystick/cards';
export type { UserLogin } from '@tallystick/consents';
export type {
  DeliveryQueue,
  SubscribeOptions,
  SubscriptionReading,
  SubscriptionTx,
  WebhookSender,
} from '@tallystick/events';
export type { ClearingFormat } from '@tallystick/imports';
export { type Clock, type HostTransaction, type RowArchive, UnusableTransaction } from '@tallystick/kernel';
export type { FetchHandler, MountOptions, NodeHandler } from '@tallystick/koa';
export type { ConsoleMountOptions, HostPerson } from './composition/host-console.ts';
export * from './operations/index.ts';
export type {
  KeptDays,
  PgPoolHandle,
  SqliteHandle,
  TallystickLogger,
  TallystickOptions,
  TallystickPorts,
} from './options.ts';
export type { Tallystick } from './tallystick.ts';
export { UnusableDatabase, UnusableOptions } from './unusable.ts';

/**
 * Opens an instance inside this process. Several may be open at the same time; they share nothing.
 * Rejects with `UnusableOptions` for options that cannot be used or contradict each other, and with
 * `UnusableDatabase` for a database of a newer version or of other keys. Nothing stays open then.
 *
 * The tables are created by `migrate`; until then the use cases throw `UnusableDatabase`.
 */
export async function createTallystick(options: TallystickOptions): Promise<Tallystick> {
  const { openTallystick } = await import('./tallystick.ts');
  return await openTallystick(options);
}

/** Makes new keys at random, as the text for the option `keys`. Make them once and keep them secret. */
export async function createKeys(): Promise<string> {
  const { createKeyRingText } = await import('@tallystick/vault');
  return createKeyRingText();
}
