import { sandbox_keys } from '@tallystick/access';
import { sandbox_password, sandbox_third_parties, sandbox_user_ids } from 'tallystick/inversify';
import type { Config } from './configuration/config.ts';
import { wrapText } from './terminal-text.ts';

/** Programs that start the server wait for the first line. */
export function greeting(config: Config, url: string, network_url: string | null = null): string {
  const lines = [
    `Tallystick listens on ${url}`,
    ...(config.console && config.role !== 'worker' ? [`The console, for a browser: ${url}/console`] : []),
    ...(network_url === null ? [] : [`Messages of the card network: ${network_url}`]),
    ...config.notices.map((notice) => wrapText(notice)),
  ];
  if (config.role === 'worker') {
    lines.push('This process is a worker: it sends deliveries and mails.', 'It serves only health and metrics.');
  } else if (config.open_banking && !config.sandbox) {
    lines.push(
      wrapText(`Open Banking is on. Its issuer is ${config.public_url}, and users see the name ${config.bank_name}.`),
    );
  } else if (config.sandbox) {
    lines.push(
      '',
      'This is the sandbox. Its keys are public:',
      ...Object.entries(sandbox_keys).map(([role, key]) => `  ${role.padEnd(9)} ${key}`),
      '',
      'Issue a first virtual card:',
      `  curl -s ${url}/v1/virtualcards \\`,
      `    -H 'Authorization: Bearer ${sandbox_keys.client}' \\`,
      `    -H 'Content-Type: application/json' -d '{"data":{"total_card_amount":50000}}'`,
      '',
      'Buy something with it, for 12.50:',
      `  npm run purchase -- 1 1250 --url ${url}`,
      '',
      'Show events as they are delivered, and make an event:',
      `  npm run listen -- --url ${url}`,
      `  npm run trigger -- virtualcard.clearings --url ${url}`,
      '',
      ...(config.open_banking ? openBanking(url) : []),
      `Documentation: ${url}/docs`,
      `Demos: npm run demo -- --url ${url}`,
      ...(config.open_banking ? [`       npm run demo:open-banking -- --url ${url}`] : []),
      'Stop: Ctrl-C',
    );
  }
  return lines.join('\n');
}

function openBanking(url: string): readonly string[] {
  return [
    'Open Banking:',
    `  third parties  ${sandbox_third_parties.map(({ client_id }) => client_id).join(' ')}`,
    '  their secrets  <name>-secret',
    `  users          ${Object.values(sandbox_user_ids).join(', ')}, password ${sandbox_password}`,
    `  curl -s ${url}/.well-known/openid-configuration`,
    '',
  ];
}
