import {
  callAfterPass,
  createActivity,
  createConsultingNetwork,
  createNetwork,
  type DecidingNetwork,
  type Ledger,
} from '@tallystick/cards';
import { clearing_formats, csvFormat } from '@tallystick/clearing-files';
import { createFormats, type Formats, type ImportPorts } from '@tallystick/imports';
import { type Clock, callAfterCommit, type Timers } from '@tallystick/kernel';
import { type Metrics, measureLedger } from '@tallystick/koa';
import type { Persistence } from '@tallystick/mikro-orm';
import { statement_formats } from '@tallystick/statement-files';
import type { Vault } from '@tallystick/vault';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import { createOverloadLogger } from '../background/repeated-faults.ts';
import type { Settings } from './settings.ts';
import { tokens } from './tokens.ts';

export const network_module = new ContainerModule(({ bind }) => {
  // Within it, the database keeps up its index of events after a pass, and holds back other work.
  bind(tokens.ledger).toResolvedValue(
    ({ ledger }, metrics, committed) => measureLedger(callAfterPass(ledger, committed), metrics),
    [tokens.persistence, tokens.metrics, tokens.events_committed],
  );
  bind(tokens.activity)
    .toResolvedValue((clock, { unitOfWork }) => createActivity(clock, unitOfWork), [tokens.clock, tokens.persistence])
    .onDeactivation((activity) => activity.store());
  bind(tokens.network)
    .toResolvedValue(
      (decision_maker, clock, committed, settings, ledger, persistence, vault, timers, metrics, logger, activity) =>
        createConsultingNetwork({
          network: openNetwork(settings, ledger, persistence, vault, timers, metrics, logger),
          decision_maker,
          unitOfWork: callAfterCommit(persistence.unitOfWork, committed),
          clock,
          timers,
          decision_ms_max: settings.decision_ms_max,
          bounds: { asked_max: Math.ceil(settings.requests_max / 2) },
          onConcluded(outcome, ms, company_id) {
            metrics.consultation(outcome, ms);
            activity.asked(company_id, outcome);
          },
          onAnswered: activity.answered,
          onFault: (err) => logger.error({ err }, 'a company could not be asked about a request'),
        }),
      [
        tokens.decision_maker,
        tokens.clock,
        tokens.events_committed,
        tokens.settings,
        tokens.ledger,
        tokens.persistence,
        tokens.vault,
        tokens.timers,
        tokens.metrics,
        tokens.log,
        tokens.activity,
      ],
    )
    .onDeactivation((network) => network.drain());
  // Asks no company: it takes no requests.
  bind(tokens.offline_network)
    .toResolvedValue(
      (settings, persistence, ...parts) => openNetwork(settings, persistence.ledger, persistence, ...parts),
      [tokens.settings, tokens.persistence, tokens.vault, tokens.timers, tokens.metrics, tokens.log],
    )
    .onDeactivation((network) => network.drain());
});

function openNetwork(
  { network_wait_ms_max, decision_ms_max, consults_all }: Settings,
  ledger: Ledger,
  { unitOfWork }: Pick<Persistence, 'unitOfWork'>,
  { card_vault, random, sealer, sha256 }: Vault,
  timers: Timers,
  metrics: Metrics,
  logger: Logger,
): DecidingNetwork {
  metrics.watchQuarantine(() => unitOfWork.read((tx) => tx.quarantine.countOpen()));
  return createNetwork({
    ledger,
    consults_all,
    vault: card_vault,
    random,
    sealer,
    sha256,
    onFault: (err) => logger.error({ err }, 'messages of the network could not be recorded'),
    time_bounds: { ...timers, wait_ms_max: network_wait_ms_max, decision_ms_max },
    onOverload: createOverloadLogger(metrics, logger, timers.monotonicNow),
  });
}

export const imports_module = new ContainerModule(({ bind }) => {
  bind(tokens.formats).toResolvedValue(() => createFormats([...clearing_formats, ...statement_formats, csvFormat([])]));
  bind(tokens.imports).toResolvedValue(
    (settings, persistence, ledger, vault, clock, timers, formats) =>
      createImportPorts(settings, { ...persistence, ledger }, vault, clock, timers, formats),
    [tokens.settings, tokens.persistence, tokens.ledger, tokens.vault, tokens.clock, tokens.timers, tokens.formats],
  );
  bind(tokens.offline_imports).toResolvedValue(
    (...parts) => ({ ...createImportPorts(...parts), pass_kind: 'alone' }),
    [tokens.settings, tokens.persistence, tokens.vault, tokens.clock, tokens.timers, tokens.formats],
  );
});

/** The ports of imports on this database. Test files are accepted only in a sandbox. */
export function createImportPorts(
  { sandbox }: Pick<Settings, 'sandbox'>,
  { unitOfWork, ledger, rest, giveWay }: Pick<Persistence, 'unitOfWork' | 'ledger' | 'rest' | 'giveWay'>,
  { card_vault, random, sealer, sha256, createSha256 }: Vault,
  clock: Clock,
  timers: Timers,
  formats: Formats,
): ImportPorts {
  return {
    unitOfWork,
    ledger,
    formats,
    vault: card_vault,
    random,
    sealer,
    sha256,
    createSha256,
    clock,
    machine_clock: timers,
    pause: timers.pause,
    monotonicNow: timers.monotonicNow,
    rest,
    giveWay,
    pass_kind: ledger.blocks_process ? 'blocking' : 'beside',
    is_production: !sandbox,
  };
}
