/** What a function reads when it is imported. Nothing is asked at these addresses. */
const QUEUES = [
  'EVENTS_QUEUE',
  'EVENTS_DLQ',
  'DIRTY_QUEUE',
  'DIRTY_DLQ',
  'HINTS_QUEUE',
  'HINTS_DLQ',
  'NOTIFICATIONS_QUEUE',
  'NOTIFICATIONS_DLQ',
];
export const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  STAGE: 'test',
  TABLE_NAME: 'starfold',
  TABLE_ARN: 'arn:aws:dynamodb:eu-central-1:111122223333:table/starfold',
  REDRIVER_PRINCIPAL: 'AROAEXAMPLE',
  OBJECTS_PER_WEC: '1000',
  WDS_KUBECONFIGS: '{"wds1":"ssm:/starfold/wds1"}',
  FLEET_KUBECONFIGS: '{}',
  NOTIFICATIONS: 'ssm:/starfold/notifications',
  EVENT_BUS: 'arn:aws:events:eu-central-1:111122223333:event-bus/starfold',
  ...Object.fromEntries(QUEUES.map((name) => [`${name}_URL`, `https://sqs.example/${name}`])),
};
