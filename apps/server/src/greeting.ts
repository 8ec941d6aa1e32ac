import { sandbox_keys } from '@tallystick/access';
import type { Config } from './configuration/config.ts';

/** What the server says when it has started. Its first line is what programs that start it wait for. */
export function greeting(config: Config, url: string): string {
  const lines = [`Tallystick listens on ${url}`, ...config.notices];
  if (config.role === 'worker') {
    lines.push('This process is a worker: it sends deliveries. Health and metrics are all it serves.');
  } else if (config.sandbox) {
    lines.push(
      '',
      'This is the sandbox. Its keys, which everyone knows:',
      ...Object.entries(sandbox_keys).map(([role, key]) => `  ${role.padEnd(9)} ${key}`),
      '',
      'Issue a first virtual card:',
      `  curl -s ${url}/v1/virtualcards -H 'Authorization: Bearer ${sandbox_keys.client}' \\`,
      `    -H 'Content-Type: application/json' -d '{"data":{"total_card_amount":50000}}'`,
      '',
      'See events as they are delivered, and make some:',
      `  npm run listen -- --url ${url}`,
      `  npm run trigger -- virtualcard.clearings --url ${url}`,
      '',
      `All routes: ${url}/docs   A story: npm run demo -- --url ${url}   Stop: Ctrl-C`,
    );
  }
  return lines.join('\n');
}
