/**
 * `npm run listen`: prints events as they are delivered, and can forward them to a developer's
 * local program. Registers a webhook in the sandbox while it runs.
 */
import { event_types, isWebhookSecret, toCanonicalTypeId, webhook_secret_expected } from '@tallystick/events';
import { default_interface_url, httpAddress, parseOptions, runCommand } from '../parse-options.ts';
import { onStopSignal } from '../stop-signal.ts';
import { wrapText } from '../terminal-text.ts';
import { openDeciding, type WayToDecide, ways_to_decide } from './decide.ts';
import { createListener } from './listener.ts';
import {
  findTakenTypes,
  LoopbackUnreachable,
  openLoopbackWebhook,
  type RegisteredWebhook,
} from './loopback-webhook.ts';
import { AnswerError, createSandboxClient, type SandboxClient } from './sandbox-client.ts';

const usage = `Usage: npm run listen -- [options]

Prints events as they are delivered, their signatures verified, until Ctrl-C.

  --url <address>      the sandbox; default ${default_interface_url}
  --forward <address>  a local program that receives each delivery with its
                       signature headers; its answer is the answer to the
                       delivery, so a 500 is retried by the schedule
  --types <list>       event types, by id or name, separated by commas; default
                       all
  --key <key>          a client's API key; default the sandbox's own
  --port <port>        the port of the receiver; default any free port
  --secret <text>      the webhook's secret, 16 to 256 characters; default a new
                       one
  --decide <how>       be the decision endpoint of the company instead, and
                       answer each request so: approve, decline, slow (just in
                       time), late, twice or garbage
  --json               one JSON object per delivery
  --help               show this text`;

type Options = Exclude<ReturnType<typeof readOptions>, string>;

process.exitCode = await runCommand(
  usage,
  readOptions,
  (options) => (options.way === null ? listen(options, stopped()) : decide(options, options.way, stopped())),
  problem,
);

/** Resolves with the reason for the end of the command: a signal, or nobody reads its output. */
function stopped(): Promise<string> {
  return new Promise((stop) => {
    onStopSignal(stop);
    process.stdout.on('error', () => stop('standard output is closed'));
  });
}

async function listen(options: Options, stopped: Promise<string>): Promise<void> {
  const { url, event_type_ids, json, forward_url } = options;
  // With --json, standard output is only for the deliveries.
  const say = (text: string): void => void (json ? process.stderr : process.stdout).write(`${text}\n`);
  const client = createSandboxClient(url, options.key === undefined ? {} : { client: options.key });
  await refuseTaken(client, url, event_type_ids, say);
  const listener = createListener({ stream: process.stdout, json, forward_url });
  const { received, unverified } = listener;
  const { port, secret } = options;
  const webhook = await openLoopbackWebhook({
    client,
    event_type_ids,
    purpose: 'listen',
    received,
    unverified,
    port,
    secret,
  });
  say(wrapText(`Listening for ${formatTypes(event_type_ids)} of ${url}`));
  say(`  webhook ${webhook.id}, callback URL ${webhook.callback_url}`);
  if (forward_url !== null) say(`  secret ${webhook.secret}\n  forwarding to ${forward_url}`);
  say(`Make an event: npm run trigger -- virtualcard.clearings --url ${url}\nStop: Ctrl-C\n`);

  const signal = await stopped;
  listener.stop();
  const count = listener.count();
  try {
    await webhook.close();
  } catch (error) {
    throw new Error(`${signal}: webhook ${webhook.id} could not be deleted: ${(error as Error).message}`);
  }
  const received_count = `${count} ${count === 1 ? 'event' : 'events'} received`;
  say(wrapText(`\n${signal}: webhook ${webhook.id} is deleted. ${received_count}.`));
}

/** Is the decision endpoint of the company until the end. */
async function decide(options: Options, way: WayToDecide, stopped: Promise<string>): Promise<void> {
  const { url, key, port, secret } = options;
  const client = createSandboxClient(url, key === undefined ? {} : { client: key });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const deciding = await openDeciding({ client, way, port, secret, say });
  say(wrapText(`Deciding on the purchases of ${url}: ${way}`));
  say(`  decision endpoint ${deciding.url}`);
  say(`What came of each: GET ${url}/v1/decision-endpoint/consultations`);
  say(`Make a purchase: npm run purchase -- <card> 1250 --url ${url}\nStop: Ctrl-C\n`);
  const signal = await stopped;
  const restored = await deciding.close();
  const count = deciding.count();
  say(wrapText(`\n${signal}: ${restored}. ${count} ${count === 1 ? 'request' : 'requests'} received.`));
}

/**
 * Reports which webhook already has a type, and how to proceed: only one callback URL may be set
 * for an event type.
 */
async function refuseTaken(
  client: SandboxClient,
  url: string,
  event_type_ids: readonly number[],
  say: (text: string) => void,
): Promise<void> {
  const taken = await findTakenTypes(client, ({ id }) =>
    say(`Webhook ${id} of an earlier listener was left behind; it is deleted.`),
  );
  const clashes = new Map<RegisteredWebhook, number[]>();
  for (const type_id of event_type_ids) {
    const webhook = taken.get(toCanonicalTypeId(type_id));
    if (webhook !== undefined) clashes.set(webhook, [...(clashes.get(webhook) ?? []), type_id]);
  }
  if (clashes.size === 0) return;
  const clash_lines = [...clashes].map(
    ([webhook, ids]) => `Webhook ${webhook.id} (${webhook.callback_url}) already has ${formatTypes(ids)}.`,
  );
  const free = event_types.map(({ id }) => id).filter((id) => toCanonicalTypeId(id) === id && !taken.has(id));
  throw new Error(
    [
      ...clash_lines,
      'Only one callback URL may be set for an event type: stop the listener of this webhook, or delete the webhook (DELETE /v1/webhooks/<id>).',
      ...(free.length === 0
        ? []
        : ['Or listen to free types:', `  npm run listen -- --types ${free.join(',')} --url ${url}`]),
    ].join('\n'),
  );
}

function problem(error: unknown, { url, key, port }: Options): string | null {
  if (error instanceof LoopbackUnreachable) {
    return [
      `The server at ${url} does not reach this machine's loopback: ${error.message}.`,
      'Only a sandbox calls loopback, and only on its own machine: run listen there, without WEBHOOK_NETWORKS or with 127.0.0.0/8 among its networks.',
    ].join('\n');
  }
  if (error instanceof AnswerError && error.status === 401) {
    const which = key === undefined ? "the sandbox's own client key" : 'the key of --key';
    return `The server at ${url} refuses ${which}. Outside a sandbox, pass a client's key with --key.`;
  }
  if (error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) {
    return `listen cannot use port ${port} (${error.code}): choose another with --port.`;
  }
  return null;
}

function formatTypes(ids: readonly number[]): string {
  const names = ids.map((id) => `${id} (${event_types.find((type) => type.id === id)?.name})`);
  return `${ids.length === 1 ? 'type' : 'types'} ${names.join(', ')}`;
}

function readOptions() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseOptions({
    options: {
      url: { ...text, default: default_interface_url },
      forward: text,
      types: { ...text, default: 'all' },
      key: text,
      port: text,
      secret: text,
      decide: text,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help) return usage;
  const { port, secret, decide: decide_as } = values;
  const way = ways_to_decide.find((one) => one === decide_as) ?? null;
  if (decide_as !== undefined && way === null) throw new Error(`--decide must be one of ${ways_to_decide.join(', ')}`);
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    throw new Error(`--port ${port} is not a port: it must be an integer from 0 to 65535`);
  if (secret !== undefined && !isWebhookSecret(secret)) throw new Error(`--secret must be ${webhook_secret_expected}`);
  return {
    url: httpAddress('--url', values.url).replace(/\/$/, ''),
    forward_url: values.forward === undefined ? null : httpAddress('--forward', values.forward),
    event_type_ids: [...new Set(values.types.split(',').map(typeId))],
    key: values.key,
    port: port === undefined ? undefined : Number(port),
    secret,
    json: values.json,
    way,
  };
}

function typeId(text: string): number {
  const word = text.trim();
  const type = event_types.find(({ id, name }) => String(id) === word || name === word);
  if (type !== undefined) return type.id;
  const known = event_types.map(({ id, name }) => `${id} ${name}`).join(', ');
  throw new Error(`--types has "${word}", which is not an event type; the types are ${known}`);
}
