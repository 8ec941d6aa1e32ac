/**
 * `npm run purchase -- <card> <amount>`: buys something with a virtual card of a running sandbox.
 */
import { amount_max } from '@tallystick/kernel';
import { default_interface_url, httpAddress, parseOptions, runCommand } from '../parse-options.ts';
import { formatMoney, formatPlain } from './event-summary.ts';
import { AnswerError, createSandboxClient, type Json, type SandboxClient } from './sandbox-client.ts';

const usage = `Usage: npm run purchase -- <card> <amount> [options]

Buys something with a virtual card of a running sandbox, as a card network
would report it.
<card> is the id of the card; <amount> is in minor units: 1250 is 12.50.

  --merchant <name>  where; default Corner Grocer
  --merchant-id <id> its id; default one made of its name
  --country <code>   its country, such as DEU; default not known
  --card-present <yes|no>
                     whether the card is present; default not known
  --mcc <code>       its merchant category; default 5411, groceries
  --currency <code>  the merchant's currency; default that of the card
  --clear            also clear the purchase
  --refund           also clear and refund it
  --reverse          also reverse it
  --url <address>    the sandbox; default ${default_interface_url}
  --json             the answers in JSON
  --help             show this text`;

type Options = Exclude<ReturnType<typeof readOptions>, string>;

process.exitCode = await runCommand(usage, readOptions, run, problem);

async function run(options: Options): Promise<void> {
  const { url, json } = options;
  const answers: Json[] = [];
  const show = (answer: Json, line: string): void => {
    answers.push(answer);
    if (!json) console.log(formatPlain(line));
  };
  try {
    await buy(createSandboxClient(url), options, show);
  } finally {
    if (json) console.log(JSON.stringify(answers, null, 2));
  }
}

async function buy(
  sandbox: SandboxClient,
  { purchase, steps }: Options,
  show: (answer: Json, line: string) => void,
): Promise<void> {
  const path = `/v1/virtualcards/${purchase.vcn_id}`;
  const bought = (await sandbox.post('client', '/sandbox/v1/purchases', { data: purchase })).data as Json;
  const { id, merchant_name, merchant_amount, merchant_currency, decline_reason, vcn_response } = bought;
  const what = `${formatMoney(merchant_amount, merchant_currency)} at ${merchant_name}`;
  if (decline_reason !== null) {
    show(bought, `Declined: ${what}. ${decline_reason}: ${vcn_response}`);
    return;
  }
  show(bought, `Approved: ${what}. Authorization ${id}, approval code ${bought.approval_code}`);
  for (const step of steps) {
    const answer = await sandbox.post('client', `/sandbox/v1/authorizations/${id}/${step}`, { data: {} });
    const followed = answer.data as Json;
    const amount = formatMoney(followed.billing_amount, followed.billing_currency);
    if (step === 'reverse') show(followed, `Reversed: authorization ${id}, ${amount}`);
    else
      show(
        followed,
        `${step === 'clear' ? 'Cleared' : 'Refunded'}: ${amount}. Clearing ${followed.id}, class ${followed.class}`,
      );
  }
  const card = (await sandbox.get(path)).data as Json;
  show(card, `Card ${card.id}: ${formatMoney(card.available_balance, bought.billing_currency)} available`);
}

function problem(error: unknown, { url }: Options): string | null {
  if (error instanceof AnswerError && error.status === 401) {
    return `The server at ${url} refuses the sandbox's keys: only a sandbox accepts purchases. ${error.message}`;
  }
  if (error instanceof AnswerError && error.status === 404 && error.message.includes('nothing at this path')) {
    return `The server at ${url} is not a sandbox: only a sandbox accepts purchases.`;
  }
  if (error instanceof AnswerError && error.status === 503) {
    return `The service at ${url} cannot decide now (503): the purchase was not approved. Try again.`;
  }
  return null;
}

function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseOptions({
    options: {
      merchant: text,
      'merchant-id': text,
      country: text,
      'card-present': text,
      mcc: text,
      currency: text,
      clear: flag,
      refund: flag,
      reverse: flag,
      url: { type: 'string', default: default_interface_url },
      json: flag,
      help: { ...flag, short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return usage;
  const [card, amount, ...rest] = positionals;
  if (card === undefined || amount === undefined) throw new Error('<card> and <amount> are required');
  if (rest.length > 0) throw new Error(`"${rest[0]}" is an unexpected word`);
  if (!/^[1-9]\d{0,14}$/.test(card)) throw new Error(`"${card}" is not the id of a card, such as 1`);
  if (!/^[1-9]\d{0,14}$/.test(amount) || Number(amount) > amount_max) {
    throw new Error(
      `"${amount}" is not an amount: a whole number of minor units from 1 to ${amount_max}, such as 1250 for 12.50`,
    );
  }
  if (values.reverse && (values.clear || values.refund)) throw new Error('--reverse excludes --clear and --refund');
  const { merchant: merchant_name, 'merchant-id': merchant_id, country: merchant_country, mcc, currency } = values;
  const present = values['card-present'];
  if (present !== undefined && present !== 'yes' && present !== 'no') {
    throw new Error(`--card-present is yes or no, not "${present}"`);
  }
  const card_present = present === undefined ? undefined : present === 'yes';
  const sent = { merchant_name, merchant_id, merchant_country, card_present, mcc, currency };
  const named = Object.entries(sent).filter(([, value]) => value !== undefined);
  return {
    purchase: { vcn_id: Number(card), amount: Number(amount), ...Object.fromEntries(named) },
    // What follows the purchase: paths of the sandbox.
    steps: [
      ...(values.clear || values.refund ? (['clear'] as const) : []),
      ...(values.refund ? (['refund'] as const) : []),
      ...(values.reverse ? (['reverse'] as const) : []),
    ],
    url: httpAddress('--url', values.url),
    json: values.json,
  };
}
