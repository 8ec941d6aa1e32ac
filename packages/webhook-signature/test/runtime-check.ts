/**
 * The rules that must hold on every runtime. They are plain JavaScript once the types are stripped:
 * `dist.test.ts` runs them on the built package, on Node 20 and in a browser.
 */

import type * as Library from '../src/index.ts';
import type { Vector } from './vectors.ts';

export interface RuntimeReport {
  /** The number of checks. */
  readonly checked: number;
  /** The names of the checks that failed. */
  readonly failed: readonly string[];
}

/** Signs and verifies the vectors, and checks that changed deliveries do not verify. */
export async function checkRuntime(library: typeof Library, vectors: readonly Vector[]): Promise<RuntimeReport> {
  const { signDelivery, verifyDelivery, verifyStandardWebhook } = library;
  const failed: string[] = [];
  let checked = 0;
  const check = (name: string, holds: boolean): void => {
    checked += 1;
    if (!holds) failed.push(name);
  };
  for (const { name, secrets, delivery, headers } of vectors) {
    const { body, url: callback_url, timestamp } = delivery;
    const signed = await signDelivery(secrets, delivery);
    check(`${name}: signs`, JSON.stringify(signed) === JSON.stringify(headers));
    const bytes = new TextEncoder().encode(body);
    for (const secret of [secrets.current, ...(secrets.previous === null ? [] : [secrets.previous])]) {
      const options = { secrets: ['another secret of 16', secret], callback_url, now_s: timestamp };
      for (const received of [
        { headers, body },
        { headers: new Headers(headers), body: bytes },
      ]) {
        const by_url = await verifyDelivery(received, options);
        check(`${name}: verifies`, by_url.verified && by_url.secret_index === 1 && by_url.timestamp === timestamp);
        check(`${name}: verifies by Standard Webhooks`, (await verifyStandardWebhook(received, options)).verified);
      }
      const changed = { headers, body: `${body} ` };
      const refused = await verifyDelivery(changed, options);
      check(`${name}: refuses a changed body`, !refused.verified && refused.reason === 'signature_mismatch');
      const refused_too = await verifyStandardWebhook(changed, options);
      check(`${name}: and by Standard Webhooks`, !refused_too.verified && refused_too.reason === 'signature_mismatch');
    }
    const today = await verifyDelivery({ headers, body }, { secrets: secrets.current, callback_url });
    check(`${name}: is too old today`, !today.verified && today.reason === 'timestamp_too_old');
  }
  return { checked, failed };
}
