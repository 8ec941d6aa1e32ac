/**
 * `npm run trigger -- <event type>`: makes a realistic event through the routes of the sandbox.
 */
import { default_interface_url, httpAddress, parseOptions, runCommand } from '../parse-options.ts';
import { wrapText } from '../terminal-text.ts';
import { summarizeEvent } from './event-summary.ts';
import { AnswerError, createSandboxClient } from './sandbox-client.ts';
import { type Made, triggers } from './trigger-events.ts';

const usage = `Usage: npm run trigger -- <event type> [options]
       npm run trigger -- --list

Makes a realistic event through the sandbox's own routes, and prints its id.

  --url <address>  the sandbox; default ${default_interface_url}
  --list           the event types, by id and name, and how each is made
  --json           the events in JSON
  --help           show this text`;

type Options = Exclude<ReturnType<typeof readOptions>, string>;

process.exitCode = await runCommand(usage, readOptions, run, problem);

async function run({ chosen, url, json }: Options): Promise<void> {
  const made = await chosen.run(createSandboxClient(url));
  console.log(json ? JSON.stringify(made, null, 2) : made.map((one) => wrapText(format(one), '', '    ')).join('\n'));
}

function format({ event_type, event_id, payload }: Made): string {
  if (event_type !== 'webhooks.test') return `${event_type}: event ${event_id}  ${summarizeEvent(event_type, payload)}`;
  const { status, error } = payload.answer as { status: number; error?: string };
  const answer = status === 0 ? `no answer: ${error}` : `answered ${status}`;
  return `${event_type}: event 0  webhook ${payload.id} (${payload.callback_url}) ${answer}`;
}

function problem(error: unknown, { url }: Options): string | null {
  if (error instanceof AnswerError && error.status === 401) {
    return `The server at ${url} refuses the sandbox's keys: only a sandbox can make events. ${error.message}`;
  }
  if (error instanceof AnswerError && error.status === 404 && error.message.includes('/network/v1')) {
    return `The server at ${url} does not take messages of the card network: start it without NETWORK_PORT.`;
  }
  return null;
}

function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseOptions({
    options: {
      url: { type: 'string', default: default_interface_url },
      list: flag,
      json: flag,
      help: { ...flag, short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return usage;
  if (values.list) return list();
  const [word, ...rest] = positionals;
  if (word === undefined) throw new Error(`<event type> is missing; one of:\n${list()}`);
  if (rest.length > 0) throw new Error(`"${rest[0]}" is an unexpected word`);
  const chosen = triggers.find(({ id, name }) => name === word || String(id) === word);
  if (chosen === undefined) throw new Error(`"${word}" is not an event type; choose one of:\n${list()}`);
  return { chosen, url: httpAddress('--url', values.url), json: values.json };
}

function list(): string {
  const width = Math.max(...triggers.map(({ name }) => name.length));
  return triggers
    .map(({ id, name, about }) =>
      wrapText(about, `${String(id ?? '').padStart(4)}  ${name.padEnd(width)}  `, ' '.repeat(8)),
    )
    .join('\n');
}
