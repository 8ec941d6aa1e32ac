import type { BankStore } from '@tallystick/accounts';
import type { UserLogin } from '@tallystick/consents';
import type { UnitOfWork } from '@tallystick/kernel';

/** The password of every user of the sandbox. It is public. */
export const sandbox_password = 'sandbox';

/** The login of the sandbox: the name is the id of a user of the bank. */
export function sandboxUserLogin(
  unitOfWork: Pick<UnitOfWork<{ readonly bank: Pick<BankStore, 'findUser'> }>, 'read'>,
): UserLogin {
  return {
    async authenticate({ user_name, password }) {
      if (password !== sandbox_password) return null;
      return (await unitOfWork.read((tx) => tx.bank.findUser(user_name)))?.user_id ?? null;
    },
  };
}
