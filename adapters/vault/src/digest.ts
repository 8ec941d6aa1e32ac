import { createHmac, hash } from 'node:crypto';
import type { HmacSha256, Sha256 } from '@tallystick/kernel';

/** SHA-256 by the machine's cryptographic library. */
export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');

/** HMAC-SHA-256 by the machine's cryptographic library. */
export const hmacSha256: HmacSha256 = (secret, message) => createHmac('sha256', secret).update(message).digest();
