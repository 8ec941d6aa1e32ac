import { setTimeout as delay } from 'node:timers/promises';
import { callAfterPass, createNetwork } from '@tallystick/cards';
import { clearing_formats, csvFormat } from '@tallystick/clearing-files';
import { createFormats } from '@tallystick/imports';
import { measureLedger } from '@tallystick/koa';
import { statement_formats } from '@tallystick/statement-files';
import { ContainerModule } from 'inversify';
import { createOverloadLogger } from '../background/overload.ts';
import { createImportPorts } from './import-ports.ts';
import { tokens } from './tokens.ts';

/** A pause does not keep a process alive that has nothing else to do. */
const timers = {
  monotonicNow: () => performance.now(),
  pause: (ms: number) => delay(ms, undefined, { ref: false }),
};

/** The decisions about the messages of the card network. */
export const network_module = new ContainerModule(({ bind }) => {
  bind(tokens.network)
    .toResolvedValue(
      (settings, { ledger, unitOfWork }, { card_vault, random, sealer, sha256 }, metrics, committed, logger) => {
        metrics.watchQuarantine(() => unitOfWork.read((tx) => tx.quarantine.countOpen()));
        return createNetwork({
          ledger: measureLedger(callAfterPass(ledger, committed), metrics),
          vault: card_vault,
          random,
          sealer,
          sha256,
          onFault: (err) => logger.error({ err }, 'messages of the network could not be recorded'),
          time_bounds: {
            ...timers,
            wait_ms_max: settings.network_wait_ms_max,
            decision_ms_max: settings.decision_ms_max,
          },
          onOverload: createOverloadLogger(metrics, logger),
        });
      },
      [tokens.settings, tokens.persistence, tokens.vault, tokens.metrics, tokens.events_committed, tokens.logger],
    )
    .onDeactivation((network) => network.drain());
});

/** Clearing files and bank statements. */
export const imports_module = new ContainerModule(({ bind }) => {
  bind(tokens.formats).toResolvedValue(() => createFormats([...clearing_formats, ...statement_formats, csvFormat([])]));
  bind(tokens.imports).toResolvedValue(
    (settings, persistence, vault, clock, formats, metrics, committed) => {
      const ledger = measureLedger(callAfterPass(persistence.ledger, committed), metrics);
      return createImportPorts(settings, { ...persistence, ledger }, vault, clock, formats);
    },
    [
      tokens.settings,
      tokens.persistence,
      tokens.vault,
      tokens.clock,
      tokens.formats,
      tokens.metrics,
      tokens.events_committed,
    ],
  );
  bind(tokens.offline_imports).toResolvedValue(createImportPorts, [
    tokens.settings,
    tokens.persistence,
    tokens.vault,
    tokens.clock,
    tokens.formats,
  ]);
});
