/** A receiver of webhooks in a browser or a worker: it has no types of Node. */
import { verifyDelivery } from '@tallystick/webhook-signature';

export const verify: typeof verifyDelivery = verifyDelivery;
