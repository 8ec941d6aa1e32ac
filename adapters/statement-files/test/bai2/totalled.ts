/**
 * A file of these records. A trailer stands as `49,<sum>`, `98` or `99` and gets what it lacks: its
 * counts, and the sums of groups and of the file.
 */
export function totalled(records: readonly string[], options: { readonly end?: string } = {}): Buffer {
  const count = { account: 0, group: 0, file: 0, accounts: 0, groups: 0 };
  const sum = { group: 0n, file: 0n };
  const lines = records
    .flatMap((text) => text.split('\n'))
    .map((record) => {
      const code = record.slice(0, 2);
      if (code === '01') count.file = 0;
      if (code === '02') [count.group, count.accounts, sum.group] = [0, 0, 0n];
      if (code === '03') [count.account, count.accounts] = [0, count.accounts + 1];
      if (/^\d\d/.test(record)) {
        count.account += 1;
        count.group += 1;
        count.file += 1;
      }
      if (code === '49') {
        sum.group += BigInt(record.slice(3));
        return `${record},${count.account}/`;
      }
      if (code === '98') {
        sum.file += sum.group;
        count.groups += 1;
        return `98,${sum.group},${count.accounts},${count.group}/`;
      }
      if (code !== '99') return record;
      const trailer = `99,${sum.file},${count.groups},${count.file}/`;
      [count.groups, sum.file] = [0, 0n];
      return trailer;
    });
  return Buffer.from(`${lines.join(options.end ?? '\n')}${options.end ?? '\n'}`);
}

export const header = '01,BANK,CUST,260302,0600,7,,,2/';
export const group = '02,CUST,BANK,1,260301,2359,USD,2/';
