// What is wrong with the source and the principal of `starfold register` and `starfold unregister`.

/** A user gives a source in another form. */
export const NOT_A_SOURCE =
  "Write wec/NAME, wds/NAME or fleet/NAME, with the name that the forwarder uses: 1 to 253 letters, digits and . _ : @ -; or 'wec/*' for the forwarder of an ITS, which reports every WEC";

/** The value of `--role` is not an ARN. */
export function notAnArn(given: string): string {
  return `--role: ${given} is not the ARN of a role or user, such as arn:PARTITION:iam::111122223333:role/forwarder (PARTITION: aws, aws-cn or aws-us-gov); a unique identifier goes with --principal`;
}

/** The value of `--principal` is not a unique identifier. */
export function notAnId(given: string): string {
  return `--principal: ${given} is not a unique identifier, such as AROAEXAMPLE1234567890; an ARN goes with --role`;
}

/** A role or user, as its ARN names it. */
interface NamedByArn {
  readonly account: string;
  readonly type: 'role' | 'user';
  readonly name: string;
}

/** IAM does not find a role or user. */
export function notInAccount(arn: string, { account, type, name }: NamedByArn): string {
  const query = type === 'role' ? 'get-role --role-name' : 'get-user --user-name';
  const field = type === 'role' ? 'Role.RoleId' : 'User.UserId';
  return `the account of these credentials has no ${arn}: if account ${account} is a different one, find out the unique identifier there (aws iam ${query} ${name} --query ${field}) and give it with --principal`;
}

/** A user gives both options that name a principal. */
export const TWO_PRINCIPALS = 'give --role or --principal, not both';

/** A user registers a source, and gives neither of these options. */
export const NO_PRINCIPAL =
  'the principal that may report it is missing: give --role ARN or --principal ID';

/** SQS shows a principal for one session of a role. `whole` is the role. */
export function isSession(principal: string, whole: string): string {
  return `--principal: ${principal} is one session, but a registration is for the whole role: give --principal ${whole} if every session of it may report`;
}

/** SQS shows a principal for several users. */
export function isAccount(principal: string, account: string): string {
  return `--principal: ${principal} is every federated user of account ${account}, and its root user: let the forwarder send as a role or user of its own, and give that`;
}
