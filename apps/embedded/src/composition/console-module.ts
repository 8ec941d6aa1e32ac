import { createOperations, endpoints, forgetting, readRequestId } from '@tallystick/koa';
import { createCalls } from '@tallystick/operations';
import { ContainerModule } from 'inversify';
import { console_path, type Door } from './create-console.ts';
import { tokens } from './tokens.ts';

/** The operations as calls within the process, and the console, which makes such calls. */
export const console_module = new ContainerModule(({ bind }) => {
  bind(tokens.calls).toResolvedValue(
    (ports) =>
      createCalls(createOperations({ ...ports, ...forgetting(ports.authenticator) }), {
        unitOfWork: ports.unitOfWork,
        clock: ports.clock,
        refreshClock: ports.sandbox?.refreshClock,
        requestIdOf: (asked) => readRequestId(asked, ports.random),
      }),
    [tokens.http_ports],
  );
  bind(tokens.createConsole).toResolvedValue(
    (calls, clock, timers, lifecycle, log, { sandbox }, formats, random) =>
      async (door: Door) => {
        // Only processes that serve it load it.
        const { createConsole } = await import('@tallystick/console');
        // In a host the interface may be at another address, or nowhere.
        const endpointOf = (id: string) => (door.log_in === undefined ? null : (endpoints[id]?.at ?? null));
        const trial = sandbox ? { formats, random, endpointOf } : undefined;
        return createConsole({ calls, clock, timers, stop: lifecycle.signal, log, sandbox, trial, ...door });
      },
    [
      tokens.calls,
      tokens.clock,
      tokens.timers,
      tokens.lifecycle,
      tokens.log,
      tokens.settings,
      tokens.formats,
      tokens.random,
    ],
  );
  bind(tokens.console).toResolvedValue(
    async ({ console, sandbox }, createConsole, random) => {
      if (!console || !sandbox) return null;
      const { sandboxLogIn } = await import('@tallystick/console');
      const log_in = sandboxLogIn(random);
      const { handle } = await createConsole({ log_in, identify: log_in.identify });
      return { path: console_path, handle };
    },
    [tokens.settings, tokens.createConsole, tokens.random],
  );
});
