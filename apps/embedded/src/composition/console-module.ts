import { openTokens } from '@tallystick/access';
import type { ConsolePorts } from '@tallystick/console';
import { createOperations, endpoints, forgetting, readRequestId, takesKey } from '@tallystick/koa';
import { createCalls } from '@tallystick/operations';
import { ContainerModule } from 'inversify';
import { console_path, type Door } from './create-console.ts';
import { publicUrl } from './public-url.ts';
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
        once: { ...ports, machine_clock: ports.timers, takesKey },
      }),
    [tokens.http_ports],
  );
  bind(tokens.createConsole).toResolvedValue(
    (calls, clock, timers, lifecycle, log, { sandbox }, formats, { random, sha256 }, { unitOfWork }, subscriber) =>
      async ({ opens_portal, ...door }: Door) => {
        // Only processes that serve it load it.
        const { createConsole, portalDoor } = await import('@tallystick/console');
        const portal = opens_portal ? portalDoor({ unitOfWork, random, sha256, clock, machine: timers }) : undefined;
        // In a host the interface may be at another address, or nowhere.
        const endpointOf = (id: string) => (door.log_in === undefined ? null : (endpoints[id]?.at ?? null));
        const news: ConsolePorts['news'] = (listener) => subscriber.on(['all'], listener);
        const openSessions: ConsolePorts['openSessions'] = (tokens) =>
          unitOfWork.read((tx) => openTokens(tx, { sha256 }, tokens, timers.nowMs()));
        const trial = sandbox ? { formats, endpointOf } : undefined;
        return createConsole({
          calls,
          clock,
          timers,
          random,
          stop: lifecycle.signal,
          log,
          sandbox,
          trial,
          portal,
          news,
          openSessions,
          ...door,
        });
      },
    [
      tokens.calls,
      tokens.clock,
      tokens.timers,
      tokens.lifecycle,
      tokens.log,
      tokens.settings,
      tokens.formats,
      tokens.vault,
      tokens.persistence,
      tokens.subscriber,
    ],
  );
  bind(tokens.person_log_in)
    .toResolvedValue(
      async (settings, { unitOfWork }, vault, clock, machine, listening) => {
        if (!settings.console || settings.role === 'worker') return null;
        const { personLogIn } = await import('@tallystick/console');
        const { sandbox, console_provider: provider } = settings;
        return personLogIn({
          ...vault,
          unitOfWork,
          clock,
          machine,
          secret: vault.cookie_keys[0]!,
          sandbox,
          provider,
          publicUrl: () => publicUrl(settings, listening.url),
        });
      },
      [tokens.settings, tokens.persistence, tokens.vault, tokens.clock, tokens.timers, tokens.listening],
    )
    .onDeactivation((log_in) => log_in?.writeFailedLogIns());
  bind(tokens.console).toResolvedValue(
    async (log_in, createConsole) => {
      if (log_in === null) return null;
      const { handle } = await createConsole({ log_in, identify: log_in.identify, opens_portal: true });
      return { path: console_path, handle };
    },
    [tokens.person_log_in, tokens.createConsole],
  );
});
