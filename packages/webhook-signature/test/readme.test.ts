/** Runs the servers of the README exactly as they are written there. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { signDelivery } from '../src/index.ts';

const secret = 'FNAqNywCi0hmo845Ni43p06mx3l4ub7C';
const callback_url = 'https://hooks.example.com/tallystick';
const body = '{"data":{"type":"virtualcard.created"}}';
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('the servers of the README', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-readme-'));
  after(() => rmSync(folder, { recursive: true }));

  /**
   * Returns the module made of the code block with this text and of `around`, the code that a
   * program has around it.
   */
  async function example<Module>(text: string, around = ''): Promise<Module & { readonly taken: unknown[] }> {
    const block = [...readme.matchAll(/```ts\n(.*?)```/gs)]
      .map(([, code]) => code!)
      .find((code) => code.includes(text));
    assert.ok(block !== undefined, `the README has no block with ${text}`);
    const path = join(folder, `${text.replace(/\W/g, '')}.mts`);
    writeFileSync(
      path,
      `import { verifyDelivery } from '${new URL('../src/index.ts', import.meta.url)}';
       const [secrets, callback_url] = ${JSON.stringify([secret, callback_url])};
       export const taken = [];
       const take = async (event) => taken.push(event);
       ${around}\n${block}`,
    );
    return await import(path);
  }

  /** Returns deliveries signed now: one with the signed body and one with another body. */
  async function deliveries() {
    const delivery = { id: '1', timestamp: Math.floor(Date.now() / 1_000), url: callback_url, body };
    const headers = await signDelivery({ current: secret, previous: null }, delivery);
    return { headers, bodies: [body, `${body} `] };
  }

  it('on Request and Response: 200 for a delivery that verifies, 401 with the reason for others', async () => {
    const { POST, taken } = await example<{ POST: (request: Request) => Promise<Response> }>('function POST');
    const { headers, bodies } = await deliveries();
    const answers: unknown[] = [];
    for (const sent of bodies) {
      const response = await POST(new Request('http://127.0.0.1/hook', { method: 'POST', headers, body: sent }));
      answers.push([response.status, await response.text()]);
    }
    assert.deepEqual(answers, [
      [200, ''],
      [401, 'signature_mismatch'],
    ]);
    assert.deepEqual(taken, [JSON.parse(body)]);
  });

  it('on Express, over the raw bytes of the body', async () => {
    const { handlers, taken } = await example<{ handlers: ((request: object, response: object) => Promise<void>)[] }>(
      'app.post',
      `export const handlers = [];
       const express = { raw: () => 'the parser that keeps bytes' };
       const app = { post: (path, parser, handler) => handlers.push(handler) };`,
    );
    const { headers, bodies } = await deliveries();
    const answers: unknown[] = [];
    const response = {
      status: (status: number) => ({ send: (text: string) => answers.push([status, text]) }),
      sendStatus: (status: number) => answers.push([status]),
    };
    for (const sent of bodies) await handlers[0]!({ headers, body: Buffer.from(sent) }, response);
    assert.deepEqual(answers, [[200], [401, 'signature_mismatch']]);
    assert.deepEqual(taken, [JSON.parse(body)]);
  });

  it('on Koa, over the text of the request', async () => {
    const { handlers, taken } = await example<{ handlers: ((ctx: object) => Promise<void>)[] }>(
      'app.use',
      `export const handlers = [];
       const app = { use: (handler) => handlers.push(handler) };`,
    );
    const { headers, bodies } = await deliveries();
    const statuses: number[] = [];
    for (const sent of bodies) {
      const ctx = { headers, req: Readable.from([Buffer.from(sent)]), status: 404 };
      await handlers[0]!(ctx);
      statuses.push(ctx.status);
    }
    assert.deepEqual(statuses, [200, 401]);
    assert.deepEqual(taken, [JSON.parse(body)]);
  });
});
