import type { CompanyOperations, OperationGroups } from './operation-groups.ts';

/**
 * Which operation of the HTTP interface a method is. Its positional arguments are the parameters of
 * the path in their order, then the resource or the file of an operation that takes one, then the
 * options.
 */
export interface Method {
  /** The id of the operation: `virtualCards.create`. */
  readonly operation_id: string;
  /** Options that are members of the body, beside the resource. The others are the query. */
  readonly options_of_body?: readonly string[];
  /** Takes `respond_async`: the result may come before the work has ended. */
  readonly may_answer_early?: boolean;
  /** The resource may be left out: it is empty then. */
  readonly may_be_empty?: boolean;
  /** Why the method takes no `tx`: its operation cannot join a transaction of the host. */
  readonly runs_alone?: string;
}

interface JoiningMethod extends Method {
  readonly runs_alone?: never;
}

interface LoneMethod extends Method {
  readonly runs_alone: string;
}

type Given = (...given: never) => unknown;

/** The names of the options of a method, and of its other arguments that are objects. */
type NamesIn<Argument> = Argument extends object ? keyof Argument : never;

type MethodOf<Typed extends Given> = 'tx' extends NamesIn<Parameters<Typed>[number]> ? JoiningMethod : LoneMethod;

/**
 * A method for every method of a group, and a table for every group within it. A method whose type
 * has no `tx` has to say why.
 */
export type MethodTable<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Given ? MethodOf<Group[Name]> : MethodTable<Group[Name]>;
};

const shares_pass = 'it shares a pass with the messages of the network';
const own_transactions = 'its work is many transactions';
const catches_up = 'it takes in first what has arrived, in transactions of its own';
const reads_nothing = 'it reads no database';

function method(operation_id: string, more: Pick<Method, 'options_of_body'> = {}): JoiningMethod {
  return { operation_id, ...more };
}

/** A method that cannot join a transaction of the host, and why. */
function alone(
  operation_id: string,
  runs_alone: string,
  more: Pick<Method, 'may_be_empty' | 'may_answer_early'> = {},
): LoneMethod {
  return { operation_id, runs_alone, ...more };
}

const shows_number = { options_of_body: ['show_card_number'] };

/** The methods of `company(id)`. */
export const company_methods: MethodTable<CompanyOperations> = {
  cards: {
    issue: method('virtualCards.create', shows_number),
    list: method('virtualCards.list'),
    read: method('virtualCards.read'),
    update: method('virtualCards.update', shows_number),
    cancel: method('virtualCards.cancel'),
    email: method('virtualCards.email'),
    authorizations: method('virtualCards.authorizations.list'),
    clearings: method('virtualCards.clearings.list'),
    releaseHold: alone('virtualCards.authorizations.release', shares_pass),
  },
  realCards: {
    list: method('realCards.list'),
    read: method('realCards.read'),
  },
  templates: {
    request: method('purchaseTemplates.request'),
    list: method('purchaseTemplates.list'),
  },
  events: {
    list: method('events.list'),
    read: method('events.read'),
    types: alone('events.types.list', reads_nothing),
  },
  webhooks: {
    create: method('webhooks.create'),
    list: method('webhooks.list'),
    read: method('webhooks.read'),
    update: method('webhooks.update'),
    delete: method('webhooks.delete'),
    rotateSecret: method('webhooks.rotateSecret'),
    test: alone('webhooks.test', 'it waits for the answer of the callback URL'),
    deliveries: {
      list: method('webhooks.deliveries.list'),
      read: method('webhooks.deliveries.read'),
      retry: method('webhooks.deliveries.retry'),
      recover: method('webhooks.deliveries.recover'),
    },
  },
  reconciliation: {
    items: {
      list: alone('reconciliation.items.list', catches_up),
      read: alone('reconciliation.items.read', catches_up),
      export: alone('reconciliation.items.export', own_transactions),
      match: alone('reconciliation.items.match', shares_pass),
      unmatch: alone('reconciliation.items.unmatch', shares_pass),
      ignore: alone('reconciliation.items.ignore', own_transactions),
      accept: alone('reconciliation.items.accept', own_transactions),
      confirm: alone('reconciliation.items.confirm', own_transactions),
      reopen: alone('reconciliation.items.reopen', own_transactions),
    },
    decisions: {
      submit: alone('reconciliation.decisions.create', own_transactions),
    },
    periods: {
      close: alone('reconciliation.periods.close', own_transactions),
      list: method('reconciliation.periods.list'),
      reopen: alone('reconciliation.periods.reopen', own_transactions),
    },
    summary: alone('reconciliation.summary', catches_up),
    rules: alone('reconciliation.rules', catches_up),
    bridge: alone('reconciliation.bridge', catches_up),
  },
  sandbox: {
    buy: alone('sandbox.purchases.create', shares_pass),
    clear: alone('sandbox.authorizations.clear', shares_pass, { may_be_empty: true }),
    reverse: alone('sandbox.authorizations.reverse', shares_pass, { may_be_empty: true }),
    refund: alone('sandbox.authorizations.refund', shares_pass, { may_be_empty: true }),
  },
};

/** The methods of the groups that belong to no company. */
export const service_methods: MethodTable<Omit<OperationGroups, 'company'>> = {
  network: {
    authorize: alone('network.authorizations.decide', shares_pass),
    clear: alone('network.clearings.record', shares_pass),
  },
  bank: {
    accounts: {
      create: method('bank.accounts.create'),
      list: method('bank.accounts.list'),
      read: method('bank.accounts.read'),
      profile: {
        read: method('bank.accounts.profile.read'),
        put: method('bank.accounts.profile.put'),
      },
      balance: {
        read: method('bank.accounts.balance.read'),
        put: method('bank.accounts.balance.put'),
      },
      transactions: method('bank.accounts.transactions.list'),
      directDebits: method('bank.accounts.directDebits.list'),
      standingOrders: method('bank.accounts.standingOrders.list'),
      scheduledPayments: method('bank.accounts.scheduledPayments.list'),
    },
    users: {
      list: method('bank.users.list'),
      read: method('bank.users.read'),
      put: method('bank.users.put'),
      consents: method('bank.users.consents.list'),
    },
    openBanking: {
      read: method('bank.companies.openBanking.read'),
      put: method('bank.companies.openBanking.put'),
    },
    records: {
      report: alone('bank.records.report', own_transactions),
    },
    consents: {
      read: method('bank.consents.read'),
      withdraw: method('bank.consents.withdraw'),
    },
  },
  operator: {
    companies: {
      create: method('operator.companies.create'),
      list: method('operator.companies.list'),
      read: method('operator.companies.read'),
      update: method('operator.companies.update'),
    },
    realCards: {
      create: method('operator.realCards.create'),
      list: method('operator.realCards.list'),
    },
    keys: {
      create: method('operator.keys.create'),
      list: method('operator.keys.list'),
      read: method('operator.keys.read'),
      revoke: method('operator.keys.revoke'),
    },
    templates: {
      complete: method('operator.templates.complete'),
    },
    events: {
      record: method('operator.events.record'),
    },
    cards: {
      resetCodeFailures: method('operator.virtualCards.codeFailures.reset'),
    },
    webhooks: {
      list: method('operator.webhooks.list'),
    },
    deliveries: {
      list: method('operator.deliveries.list'),
    },
    audit: {
      list: method('operator.audit.list'),
    },
    mails: {
      list: method('operator.mails.list'),
      read: method('operator.mails.read'),
      retry: method('operator.mails.retry'),
    },
    quarantine: {
      list: method('operator.quarantine.list'),
      read: method('operator.quarantine.read'),
      replay: alone('operator.quarantine.replay', shares_pass),
    },
    imports: {
      create: alone('operator.imports.create', own_transactions, { may_answer_early: true }),
      list: method('operator.imports.list'),
      read: method('operator.imports.read'),
      quarantine: method('operator.imports.quarantine'),
      replay: alone('operator.imports.replay', own_transactions),
      release: alone('operator.imports.release', own_transactions),
    },
    thirdParties: {
      create: method('operator.thirdParties.create'),
      list: method('operator.thirdParties.list'),
      read: method('operator.thirdParties.read'),
      update: method('operator.thirdParties.update'),
      suspend: method('operator.thirdParties.suspend'),
      activate: method('operator.thirdParties.activate'),
    },
  },
  sandbox: {
    clock: {
      move: alone('sandbox.clock.move', 'the due work has transactions of its own'),
    },
    consents: {
      decide: method('sandbox.consents.decide'),
    },
    mailbox: {
      list: method('sandbox.mailbox.list'),
      read: method('sandbox.mailbox.read'),
    },
  },
};
