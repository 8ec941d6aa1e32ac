/** `npm start`: the server, configured by its environment (docs/operations-reference.md). */
import { version as server_version } from 'tallystick/inversify';
import { ConfigError, readConfig } from './configuration/config.ts';
import { greeting } from './greeting.ts';
import { parseOptions } from './parse-options.ts';
import { createServer } from './server.ts';
import { describeStartProblem } from './start-problem.ts';
import { onStopSignal } from './stop-signal.ts';
import { wrapText } from './terminal-text.ts';

const usage = 'Usage: npm start -- [--role api|worker|all] [--help] [--version]';

await main();

async function main(): Promise<void> {
  const config = configOrExit();
  const server = createServer(config);
  let stopping = false;
  onStopSignal((cause) => {
    stopping = true;
    void stop(cause);
  });

  try {
    const { url, network_url } = await server.start();
    if (!stopping) console.log(greeting(config, url, network_url));
  } catch (error) {
    console.error(wrapText(describeStartProblem(error, config)));
    process.exitCode = 1;
    await server.stop().catch(() => undefined);
    process.exit();
  }

  async function stop(cause: string): Promise<void> {
    console.log(wrapText(`${cause}: finishing requests in flight; a second signal ends the process immediately`));
    try {
      await server.stop();
      process.exit(0);
    } catch (error) {
      console.error((error as Error).message);
      process.exit(1);
    }
  }
}

/**
 * Returns the variables that the options set: `--role api|worker|all` sets ROLE. `--help` and
 * `--version` print to standard output and end the process with code 0, options that are wrong with
 * code 2.
 */
function commandLine(): Record<string, string> {
  try {
    const { role, help, version } = parseOptions({
      options: { role: { type: 'string' }, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    }).values;
    if (help || version) {
      console.log(
        help ? `${usage}\ndocs/operations-reference.md describes the environment variables.` : server_version,
      );
      process.exit(0);
    }
    return role === undefined ? {} : { ROLE: role };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

function configOrExit() {
  try {
    return readConfig({ ...process.env, ...commandLine() });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`${error.message}\ndocs/operations-reference.md describes each variable.`);
    process.exit(2);
  }
}
