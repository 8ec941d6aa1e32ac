import { account_number_scheme, type BankAccount } from '@tallystick/accounts';
import { toInstantText } from '@tallystick/kernel';
import { maskedText, present, showDay } from './amount.ts';
import { showIdentification } from './identification.ts';

/** OBAccount6. `Account` and `Servicer` are detail-only. */
export function showAccount(account: BankAccount, { detail }: { readonly detail: boolean }): object {
  const { profile } = account;
  return present({
    AccountId: account.number,
    Status: profile?.status ?? 'Enabled',
    StatusUpdateDateTime: toInstantText(profile?.status_updated_at_ms ?? account.created_at_ms),
    Currency: account.currency,
    AccountType: profile?.account_type ?? 'Business',
    AccountSubType: account.kind === 'card' ? 'ChargeCard' : (profile?.deposit_sub_type ?? 'CurrentAccount'),
    Description: maskedText(profile?.description ?? null, 35),
    Nickname: maskedText(profile?.nickname ?? account.name, 70),
    OpeningDate: profile?.opened_on == null ? undefined : showDay(profile.opened_on),
    ...(detail ? showDetail(account) : {}),
  });
}

function showDetail({ number, profile }: BankAccount): object {
  const {
    scheme_name = null,
    identification = null,
    holder_name = null,
    secondary_identification = null,
  } = profile ?? {};
  const named =
    scheme_name === null || identification === null
      ? { scheme_name: account_number_scheme, identification: number }
      : { scheme_name, identification };
  const { servicer_scheme_name = null, servicer_identification = null } = profile ?? {};
  const servicer =
    servicer_scheme_name === null || servicer_identification === null
      ? {}
      : { Servicer: { SchemeName: servicer_scheme_name, Identification: servicer_identification } };
  return { Account: [showIdentification({ ...named, name: holder_name, secondary_identification })], ...servicer };
}
