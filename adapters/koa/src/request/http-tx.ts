import type { AccessTx } from '@tallystick/access';
import type { BankTx } from '@tallystick/accounts';
import type { CardsTx, MailTx, QuarantineTx } from '@tallystick/cards';
import type { ConsentsTx } from '@tallystick/consents';
import type { WebhooksTx } from '@tallystick/events';
import type { ImportTx } from '@tallystick/imports';
import type { BridgeTx, ReconciliationTx } from '@tallystick/reconciliation';
import type { TemplatesTx } from '@tallystick/templates';

/**
 * The stores that the HTTP interface needs of a transaction: those of every use case that it calls.
 */
export type HttpTx = CardsTx &
  TemplatesTx &
  AccessTx &
  BankTx &
  ConsentsTx &
  WebhooksTx &
  MailTx &
  QuarantineTx &
  ImportTx &
  ReconciliationTx &
  BridgeTx;
