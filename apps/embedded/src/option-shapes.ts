import type { TallystickLogger, TallystickOptions, TallystickPorts } from './options.ts';

type Problem = (message: string) => void;

/** The methods that are called on what a host passes in. */
const port_methods: Readonly<Record<Exclude<keyof TallystickPorts, 'formats'>, readonly string[]>> = {
  numbers: ['seal', 'open', 'index', 'cvc', 'cvcMatches'],
  mailer: ['send', 'close'],
  sender: ['send', 'close'],
  delivery_queue: ['offer', 'consume', 'depth', 'close'],
  bank: [],
  user_login: [],
  archive: [],
};
const logger_methods: readonly (keyof TallystickLogger)[] = ['debug', 'info', 'warn', 'error'];

const texts = ['schema', 'keys', 'public_url', 'bank_name'] as const;
const booleans = ['sandbox', 'webhooks', 'accepts_newer_schema'] as const;

/** Reports each option of the wrong type, by its name and never with its value. */
export function refuseWrongShapes(options: TallystickOptions, problem: Problem): void {
  for (const name of texts) refuseOtherThan('string', 'a text', name, options[name], problem);
  for (const name of booleans) refuseOtherThan('boolean', 'true or false', name, options[name], problem);
  const { clock, logger, mail, kept_days, webhook_networks, ports } = options;
  refuseWithout(['nowMs'], 'clock', clock, problem);
  refuseWithout(logger_methods, 'logger', logger, problem);
  refuseWithout([], 'mail', mail, problem);
  refuseWithout([], 'kept_days', kept_days, problem);
  if (mail !== undefined && isObject(mail)) {
    for (const name of ['smtp_url', 'from'] as const) {
      if (typeof mail[name] !== 'string') problem(`mail.${name} must be a text`);
    }
  }
  if (webhook_networks !== undefined && !isTexts(webhook_networks)) {
    problem('webhook_networks must be a list of networks, such as ["10.0.0.0/8"]');
  }
  refuseWithout([], 'ports', ports, problem);
  if (ports !== undefined && isObject(ports)) refuseWrongPorts(ports, problem);
}

function refuseWrongPorts(ports: TallystickPorts, problem: Problem): void {
  for (const [name, methods] of Object.entries(port_methods)) {
    const port: unknown = ports[name as keyof TallystickPorts];
    // Without a mailer, mails wait.
    if (name === 'mailer' && port === null) continue;
    refuseWithout(methods, `ports.${name}`, port, problem);
  }
  if (ports.formats !== undefined && !Array.isArray(ports.formats)) problem('ports.formats must be a list of formats');
}

function refuseOtherThan(type: string, what: string, name: string, value: unknown, problem: Problem): void {
  if (value !== undefined && typeof value !== type) problem(`${name} must be ${what}`);
}

function refuseWithout(methods: readonly string[], name: string, value: unknown, problem: Problem): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    problem(`${name} must be an object`);
    return;
  }
  const missing = methods.filter((method) => typeof Reflect.get(value, method) !== 'function');
  if (missing.length > 0) problem(`${name} has no ${missing.map((method) => `${method}()`).join(', ')}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
