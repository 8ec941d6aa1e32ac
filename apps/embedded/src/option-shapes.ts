import type { TallystickLogger, TallystickOptions, TallystickPorts } from './options.ts';

type Problem = (message: string) => void;

/** The type of an option, or the methods that are called on it. `read`: it is checked where it is read. */
type Shape = 'text' | 'boolean' | 'list' | 'read' | readonly string[];

export const option_shapes: Readonly<Record<keyof TallystickOptions, Shape>> = {
  database: 'read',
  schema: 'text',
  database_connections_max: 'read',
  keys: 'text',
  sandbox: 'boolean',
  clock: ['nowMs'],
  ports: [],
  logger: ['debug', 'info', 'warn', 'error'] satisfies readonly (keyof TallystickLogger)[],
  public_url: 'text',
  mail: [],
  webhooks: 'boolean',
  webhook_networks: 'read',
  trusted_proxies: 'read',
  bank_name: 'text',
  accepts_newer_schema: 'boolean',
  network_wait_ms_max: 'read',
  decision_ms_max: 'read',
  template_completion_delay_ms: 'read',
  rate_limit_per_minute: 'read',
  requests_max: 'read',
  bodies_bytes_max: 'read',
  statement_key: 'read',
  kept_days: [],
  onAuthorization: 'read',
  authorization_timeout_ms: 'read',
  authorization_stand_in: 'read',
};

export const port_shapes: Readonly<Record<keyof TallystickPorts, Shape>> = {
  numbers: ['seal', 'open', 'index', 'cvc', 'cvcMatches'],
  mailer: ['send', 'close'],
  sender: ['send', 'close'],
  delivery_queue: ['offer', 'consume', 'depth', 'close'],
  bank: [],
  user_login: [],
  formats: 'list',
  archive: [],
};

/** Reports each option of the wrong type, by its name and never with its value. */
export function refuseWrongShapes(options: TallystickOptions, problem: Problem): void {
  refuseOthers(options, option_shapes, '', problem);
  const { mail, ports } = options;
  if (mail !== undefined && isObject(mail)) {
    for (const name of ['smtp_url', 'from'] as const) {
      if (typeof mail[name] !== 'string') problem(`mail.${name} must be a text`);
    }
  }
  for (const name of ['webhook_networks', 'trusted_proxies'] as const) {
    const networks = options[name];
    if (networks !== undefined && !isTexts(networks)) {
      problem(`${name} must be a list of networks, such as ["10.0.0.0/8"]`);
    }
  }
  if (ports === undefined || !isObject(ports)) return;
  // Without a mailer, mails wait.
  refuseOthers({ ...ports, mailer: ports.mailer ?? undefined }, port_shapes, 'ports.', problem);
}

function refuseOthers(values: object, shapes: Readonly<Record<string, Shape>>, prefix: string, problem: Problem): void {
  for (const [name, shape] of Object.entries(shapes)) {
    const value: unknown = Reflect.get(values, name);
    const path = prefix + name;
    if (value === undefined || shape === 'read') continue;
    if (shape === 'text' && typeof value !== 'string') problem(`${path} must be a text`);
    if (shape === 'boolean' && typeof value !== 'boolean') problem(`${path} must be true or false`);
    if (shape === 'list' && !Array.isArray(value)) problem(`${path} must be a list of ${name}`);
    if (typeof shape !== 'string') refuseWithout(shape, path, value, problem);
  }
}

function refuseWithout(methods: readonly string[], name: string, value: unknown, problem: Problem): void {
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
