/**
 * What AWS charges, in USD, by list price and without any free tier. Region us-east-1 (N. Virginia), looked up on
 * 21 November 2026 in copies of public pages; AWS's own price pages show their tables to browsers alone. Prices change:
 * change this file and its date then.
 *
 * - DynamoDB on-demand units: airbyte.com/data-engineering-resources/dynamodb-pricing (after the cut of November 2024).
 *   Storage: aws.amazon.com/dynamodb/pricing ("from $0.25 per GB-month"; its first 25 GB are free tier). Point-in-time
 *   recovery: not confirmed here.
 * - SQS: factualminds.com/blog/amazon-sqs-pricing-64kb-rule-fifo-vs-standard (June 2026), cloudburn.io/blog/amazon-sqs-pricing
 *   (March 2026): 0.40 and 0.50 USD for a million requests of 64 KB each.
 * - Lambda arm64: cloudchipr.com/blog/aws-lambda-pricing (first 7.5 billion GB-s of a month).
 * - EventBridge: cloudburn.io/blog/amazon-eventbridge-pricing (March 2026), Scheduler 1.00 USD for a million; rules on a
 *   schedule on the default bus, which is what `schedule` in infra/functions.yml makes, are not charged: not confirmed here.
 * - API Gateway's HTTP APIs (1.00 USD for a million requests of 512 KB each, the first 300 million of a month) and data out to
 *   the internet (0.09 USD a GB, the first 10 TB): aws.amazon.com/api-gateway/pricing and aws.amazon.com/ec2/pricing, not
 *   confirmed here.
 * - CloudWatch: factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards (June 2026) for logs and
 *   dashboards, signoz.io/guides/cloudwatch-pricing (February 2026) for metrics; an alarm of standard resolution: not
 *   confirmed here.
 * - KMS: aws.amazon.com/kms/pricing (1 USD a month for a key that is not rotated).
 * - Secrets Manager: hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms.
 */
export const PRICES = {
  date: '2026-11-21',
  region: 'us-east-1',
  sqsStandardPerMillion: 0.4,
  sqsFifoPerMillion: 0.5,
  readUnitsPerMillion: 0.125,
  writeUnitsPerMillion: 0.625,
  tableGbMonth: 0.25,
  recoveryGbMonth: 0.2,
  lambdaRequestsPerMillion: 0.2,
  lambdaGbSecond: 0.0000133334,
  httpRequestsPerMillion: 1,
  dataOutGb: 0.09,
  logGb: 0.5,
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  keyMonth: 1,
  secretMonth: 0.4,
  secretCallsPer10Thousand: 0.05,
} as const;

/** Hours of a month, as AWS's own calculator has it. */
export const MONTH_HOURS = 730;
