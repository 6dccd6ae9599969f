'use strict';

const { readFile } = require('node:fs/promises');
const { resolve } = require('node:path');
const { parse } = require('yaml');

// Checks the file of settings, and makes the values that serverless.yml needs: region, address for alarms, whether there is an
// HTTP API, what is notified, the quota of WECs, what the table can serve at once, the writer's environment and network, and its permissions: to read exactly the kubeconfigs of
// the WDSes and of Fleet's management clusters and, in a VPC, what Lambda needs to put it there.

const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;
const ADDRESS = /^[^\s@,;:<>(){}$"\\]+@[^\s@,;:<>(){}$"\\]+\.[^\s@,;:<>(){}$"\\.]+$/;
const SSM = /^ssm:(\/?[\w./-]+)$/;
const SECRET =
  /^secretsmanager:(arn:aws[\w-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-\w{6})$/;
const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const FIELDS = [
  ...['region', 'wdses', 'alarmEmail', 'fleet', 'objectsPerWec', 'api', 'vpc'],
  ...['workloadMetrics', 'notifications', 'warmThroughput'],
];
/** The value of shared/state/quota.ts. */
const OBJECTS_PER_WEC = 100_000;
/** The limits of Lambda: a pattern of the IDs, and their maximum number (Lambda API Reference, VpcConfig). */
const VPC_FIELDS = {
  subnetIds: { pattern: /^subnet-[0-9a-f]{8,17}$/, most: 16, example: 'subnet-0a1b2c3d4e5f67890' },
  securityGroupIds: { pattern: /^sg-[0-9a-f]{8,17}$/, most: 5, example: 'sg-0a1b2c3d4e5f67890' },
};
const FLEET_FIELDS = ['mode', 'upstreams'];
const MODES = ['write', 'compare'];
const DEFAULT_MODE = 'compare';
/** Who may decide which statuses may be read by the HTTP API. The first is the default. */
const READERS = ['iam', 'wds'];
const WRITE =
  'write region, wdses and, if somebody is to be told of alarms, alarmEmail there, as docs/operations.md says';

/** The names of clusters in messages, and their paths in the file. */
const WDSES = { field: 'wdses', title: 'WDS', example: 'wds1' };
const UPSTREAMS = { field: 'fleet.upstreams', title: 'management cluster', example: 'rancher' };

/** What a kubeconfig may be allowed, as in shared/adapters/kubernetes/kube-config-allowance.ts. */
const FLAGS = ['plainHttp', 'unverifiedTls', 'loopback', 'linkLocal'];
const ALLOWANCES = [...FLAGS, 'proxy'];
const PLACE_FIELDS = ['kubeconfig', 'allow'];

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isMapping(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isProxy(value) {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && /^(https?|socks[45]?[ah]?):$/.test(url.protocol) && url.password === '';
}

/** The error in what a kubeconfig is allowed, or `undefined` if there is none. */
function faultOfAllowance(field, allow) {
  if (!isMapping(allow)) return `${field}: name what is allowed below it, as in "plainHttp: true"`;
  const unknown = Object.keys(allow).find((name) => !ALLOWANCES.includes(name));
  if (unknown !== undefined)
    return `${field}.${unknown}: nothing of that name can be allowed: there are ${ALLOWANCES.join(', ')}`;
  const flag = FLAGS.find((name) => name in allow && typeof allow[name] !== 'boolean');
  if (flag !== undefined) return `${field}.${flag}: write true, or leave it out`;
  return 'proxy' in allow && !isProxy(allow.proxy)
    ? `${field}.proxy: write the proxy's URL without user and password, as in "http://proxy.example:3128"`
    : undefined;
}

/** The place of a kubeconfig. What the kubeconfig is allowed may be beside it. */
function placeOf(given) {
  return isMapping(given) && 'kubeconfig' in given ? given.kubeconfig : given;
}

/** The error in the place of a kubeconfig, or `undefined` if there is none. */
function faultOfPlace({ field, title }, name, given) {
  if (!NAME.test(name))
    return `${field}.${name}: a ${title}'s name has 1 to 63 lower-case letters, digits, "-" and "."`;
  const place = placeOf(given);
  if (typeof place !== 'string' || !(SSM.test(place) || SECRET.test(place)))
    return `${field}.${name}: ${JSON.stringify(place)} is no place of a kubeconfig: write ssm:<name of the parameter>, or secretsmanager:<ARN of the secret, with its last six characters>`;
  if (place === given) return undefined;
  const unknown = Object.keys(given).find((member) => !PLACE_FIELDS.includes(member));
  if (unknown !== undefined)
    return `${field}.${name}.${unknown}: there is no such setting: below a ${title} are ${PLACE_FIELDS.join(', ')}`;
  return 'allow' in given ? faultOfAllowance(`${field}.${name}.allow`, given.allow) : undefined;
}

function faultOfPlaces(sort, places) {
  if (!isMapping(places) || Object.keys(places).length === 0)
    return `${sort.field}: name at least one ${sort.title} and the place of its kubeconfig, as in "${sort.example}: ssm:/starfold/${sort.example}/kubeconfig"`;
  return Object.entries(places)
    .map(([name, place]) => faultOfPlace(sort, name, place))
    .find((fault) => fault !== undefined);
}

function faultOfFleet(fleet) {
  if (!isMapping(fleet))
    return `fleet: ${JSON.stringify(fleet)} says nothing of Fleet: write ${FLEET_FIELDS.join(' and ')} below it, or leave it out`;
  const unknown = Object.keys(fleet).find((field) => !FLEET_FIELDS.includes(field));
  if (unknown !== undefined)
    return `fleet.${unknown}: there is no such setting: below fleet are ${FLEET_FIELDS.join(', ')}`;
  const { mode = DEFAULT_MODE, upstreams } = fleet;
  if (!MODES.includes(mode))
    return `fleet.mode: ${JSON.stringify(mode)} is no mode: the modes are ${MODES.join(' and ')}`;
  return faultOfPlaces(UPSTREAMS, upstreams);
}

/** Whether a setting is empty. An empty setting counts as missing. */
function isLeftOut(value) {
  return (
    value === undefined || value === null || (isMapping(value) && Object.keys(value).length === 0)
  );
}

/** If there is only Fleet, no WDS is needed. */
function faultOfClusters({ wdses, fleet }) {
  if (isLeftOut(fleet)) return faultOfPlaces(WDSES, wdses);
  const fault = isLeftOut(wdses) ? undefined : faultOfPlaces(WDSES, wdses);
  return fault ?? faultOfFleet(fleet);
}

/** The error in a list of IDs below `vpc`, or `undefined` if there is none. */
function faultOfIds(field, ids) {
  const { pattern, most, example } = VPC_FIELDS[field];
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > most)
    return `vpc.${field}: ${JSON.stringify(ids) ?? 'missing'}: list 1 to ${most} of the VPC, such as [${example}]`;
  const wrong = ids.find((id) => typeof id !== 'string' || !pattern.test(id));
  if (wrong !== undefined)
    return `vpc.${field}: ${JSON.stringify(wrong)} is none: write IDs such as ${example}`;
  return undefined;
}

function faultOfVpc(vpc) {
  if (vpc === undefined || vpc === null) return undefined;
  const fields = Object.keys(VPC_FIELDS);
  if (!isMapping(vpc))
    return `vpc: ${JSON.stringify(vpc)} says nothing of a VPC: write ${fields.join(' and ')} below it, or leave it out`;
  const unknown = Object.keys(vpc).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    return `vpc.${unknown}: there is no such setting: below vpc are ${fields.join(', ')}`;
  return fields.map((field) => faultOfIds(field, vpc[field])).find((fault) => fault !== undefined);
}

function faultOfApi(api, wdses) {
  if (typeof (api ?? false) === 'boolean') return undefined;
  if (!isMapping(api))
    return `api: ${JSON.stringify(api)}: write true for an HTTP API, or false for none`;
  const unknown = Object.keys(api).find((field) => field !== 'readers');
  if (unknown !== undefined)
    return `api.${unknown}: there is no such setting: below api is readers`;
  if (api.readers === 'wds' && isLeftOut(wdses))
    return 'api.readers: wds: there is no WDS that could decide: write iam, or wdses';
  return READERS.includes(api.readers)
    ? undefined
    : `api.readers: ${JSON.stringify(api.readers) ?? 'missing'}: write iam or wds: who decides which statuses may be read`;
}

function faultOfObjects(objects = OBJECTS_PER_WEC) {
  return Number.isSafeInteger(objects) && objects > 0
    ? undefined
    : `objectsPerWec: ${JSON.stringify(objects)}: write how many objects of a WEC are kept, such as ${OBJECTS_PER_WEC}`;
}

const NOTIFICATIONS_FIELDS = ['document', 'eventBus'];
const EVENT_BUS = /^arn:(aws[\w-]*):events:([a-z0-9-]+):\d{12}:event-bus\/[\w./-]{1,256}$/;
/** The partition of a region begins so. Other regions are of `aws`, or of a partition that is not checked. */
const PARTITIONS = [
  { regions: /^cn-/, name: 'aws-cn' },
  { regions: /^us-gov-/, name: 'aws-us-gov' },
  { regions: /^eusc-/, name: 'aws-eusc' },
  { regions: /^(?!.*-iso)/, name: 'aws' },
];

/** PutEvents of a region takes no bus of another one, whatever the ARN says (EventBridge User Guide, "Sending events between Regions"). */
function faultOfBus(eventBus, region) {
  const found = typeof eventBus === 'string' ? EVENT_BUS.exec(eventBus) : null;
  if (found === null)
    return `notifications.eventBus: ${JSON.stringify(eventBus)} is no event bus: write its whole ARN, such as arn:PARTITION:events:us-east-1:111122223333:event-bus/starfold`;
  const [, partition, own] = found;
  if (own !== region)
    return `notifications.eventBus: ${eventBus} is not in the region of the deployment, ${region}, and events can only be put on a bus there: name one, with a rule on it whose target is the other bus`;
  const expected = PARTITIONS.find(({ regions }) => regions.test(region))?.name ?? partition;
  return partition === expected
    ? undefined
    : `notifications.eventBus: ${eventBus}: the ARNs of ${region} begin with arn:${expected}:`;
}

function faultOfNotifications(notifications, region) {
  if (notifications === undefined || notifications === null) return undefined;
  if (!isMapping(notifications))
    return 'notifications: write document below it, with the place of the document that says who is notified of what, or leave it out';
  const unknown = Object.keys(notifications).find((field) => !NOTIFICATIONS_FIELDS.includes(field));
  if (unknown !== undefined)
    return `notifications.${unknown}: there is no such setting: below notifications are ${NOTIFICATIONS_FIELDS.join(', ')}`;
  const { document, eventBus } = notifications;
  // Not quoted, because it might be a document with secrets.
  if (typeof document !== 'string' || !(SSM.test(document) || SECRET.test(document)))
    return 'notifications.document: it is no place of a document: write ssm:<name of the parameter>, or secretsmanager:<ARN of the secret, with its last six characters>';
  return isLeftOut(eventBus) ? undefined : faultOfBus(eventBus, region);
}

function faultOfWorkloadMetrics(workloadMetrics) {
  return typeof (workloadMetrics ?? false) === 'boolean'
    ? undefined
    : `workloadMetrics: ${JSON.stringify(workloadMetrics)}: write true for metrics of workload objects, or false for none`;
}

/** What a new on-demand table can serve at once (DynamoDB Developer Guide, "Understanding DynamoDB warm throughput"). */
const NEW_TABLE = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 };

function faultOfWarmThroughput(warmThroughput) {
  if (isLeftOut(warmThroughput)) return undefined;
  const fields = Object.keys(NEW_TABLE);
  if (!isMapping(warmThroughput))
    return `warmThroughput: ${JSON.stringify(warmThroughput)}: write ${fields.join(' and ')} below it, or leave it out`;
  const unknown = Object.keys(warmThroughput).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    return `warmThroughput.${unknown}: there is no such setting: below warmThroughput are ${fields.join(', ')}`;
  const wrong = Object.entries(warmThroughput).find(
    ([field, units]) => !(Number.isSafeInteger(units) && units >= NEW_TABLE[field]),
  );
  if (wrong === undefined) return undefined;
  const [field, units] = wrong;
  const written = typeof units === 'number' ? units : JSON.stringify(units);
  return `warmThroughput.${field}: ${written}: write a whole number from ${NEW_TABLE[field]} on, which is what a new table has`;
}

function faultsOfOthers(settings) {
  const { region, objectsPerWec, api, vpc, wdses, workloadMetrics, notifications } = settings;
  return [
    faultOfObjects(objectsPerWec ?? undefined),
    faultOfWarmThroughput(settings.warmThroughput),
    faultOfApi(api, wdses),
    faultOfVpc(vpc),
    faultOfWorkloadMetrics(workloadMetrics),
    faultOfNotifications(notifications, region),
  ];
}

/** The error in the settings, with the field and the remedy, or `undefined` if there is none. */
function faultOf(settings) {
  if (!isMapping(settings)) return `there are no settings in it: ${WRITE}`;
  const unknown = Object.keys(settings).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    return `${unknown}: there is no such setting: the settings are ${FIELDS.join(', ')}`;
  const { region, alarmEmail } = settings;
  if (typeof region !== 'string' || !REGION.test(region))
    return `region: ${JSON.stringify(region) ?? 'missing'}: name the region of AWS, such as us-east-1`;
  if ((alarmEmail ?? '') !== '' && !(typeof alarmEmail === 'string' && ADDRESS.test(alarmEmail)))
    return `alarmEmail: ${JSON.stringify(alarmEmail)} is not an address: write one such as operators@example.com, or nothing`;
  return [faultOfClusters(settings), ...faultsOfOthers(settings)].find(
    (fault) => fault !== undefined,
  );
}

/** An error without a stack, because the framework would show the stack to the user. */
function refusal(file, fault, cause) {
  const error = new Error(`${file}: ${fault}`, { cause });
  error.stack = error.message;
  return error;
}

/** The permission to read one kubeconfig. */
function statementOf(place) {
  const [, parameter] = SSM.exec(place) ?? [];
  if (parameter === undefined) {
    const [, secret] = SECRET.exec(place) ?? [];
    return { Effect: 'Allow', Action: ['secretsmanager:GetSecretValue'], Resource: secret };
  }
  const path = parameter.replace(/^\//, '');
  return {
    Effect: 'Allow',
    Action: ['ssm:GetParameter'],
    Resource: {
      'Fn::Sub': `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/${path}`,
    },
  };
}

/** Lambda puts a function into a VPC in the name of its role (Lambda Developer Guide, "Attaching Lambda functions to a VPC"). */
const NETWORK = [
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * The permissions to put a function into a VPC. The function's own code must not have them. Their resources are not known
 * beforehand.
 */
function networkStatements(name) {
  return [
    { Effect: 'Allow', Action: NETWORK, Resource: '*' },
    {
      Effect: 'Deny',
      Action: NETWORK,
      Resource: '*',
      Condition: {
        ArnEquals: {
          'lambda:SourceFunctionArn': {
            'Fn::Sub': `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:\${self:service}-\${sls:stage}-${name}`,
          },
        },
      },
    },
  ];
}

/** The permissions to read kubeconfigs, each action on a place only once, and to run where the clusters are reached. */
function statementsOf(name, clusters, vpc) {
  const places = new Set(clusters.flatMap((some) => Object.values(some)).map(placeOf));
  return [...[...places].map(statementOf), ...(vpc === undefined ? [] : networkStatements(name))];
}

/** The values for the HTTP API. Only if the WDS decides, serve-api runs where the WDSes are reached. */
function apiOf(api, wdses, vpc) {
  const readers = api?.readers ?? READERS[0];
  return {
    apiFile: api ? 'api.yml' : 'no-api.yml',
    statuses: {
      readers,
      statements: statementsOf('serve-api', [wdses], vpc),
      vpc: (readers === 'wds' && vpc) || false,
    },
  };
}

/** The values for the metrics of workload objects. A WDS's name has no comma. */
function workloadsOf(workloadMetrics, wdses) {
  const isOn = workloadMetrics === true;
  return {
    workloadsFile: isOn ? 'workloads.yml' : 'no-workloads.yml',
    countedWdses: isOn ? Object.keys(wdses).join(',') : '',
  };
}

/** The values for notifications: the place of their document, the event bus, and the permissions to use exactly these. */
function notificationsOf(notifications) {
  if (notifications === undefined)
    return {
      notificationsFile: 'no-notifications.yml',
      notified: { document: '', bus: '', statements: [] },
    };
  const { document, eventBus } = notifications;
  const toBus = { Effect: 'Allow', Action: ['events:PutEvents'], Resource: eventBus };
  return {
    notificationsFile: 'notifications.yml',
    notified: {
      document,
      bus: eventBus ?? '',
      statements: [statementOf(document), ...(isLeftOut(eventBus) ? [] : [toBus])],
    },
  };
}

/** What is merged into the resources: of the table, the warm throughput. */
function tableOf(warmThroughput) {
  if (isLeftOut(warmThroughput)) return {};
  const { readUnitsPerSecond: reads, writeUnitsPerSecond: writes } = warmThroughput;
  // What is left out stays as it is: a table that has grown cannot be lowered to the value of a new one.
  const units = {
    ...(reads === undefined ? {} : { ReadUnitsPerSecond: reads }),
    ...(writes === undefined ? {} : { WriteUnitsPerSecond: writes }),
  };
  return { Resources: { Table: { Properties: { WarmThroughput: units } } } };
}

function faultOfReading({ code }) {
  return code === 'ENOENT'
    ? `there is no such file: ${WRITE}, or name another one (--param settings=PATH)`
    : `it cannot be read (${code}): name a file that can (--param settings=PATH)`;
}

/** Reads the file. @throws Error with the reason if it cannot be read. */
async function read(file) {
  const text = await readFile(resolve(__dirname, '..', file), 'utf8').catch((error) => {
    throw refusal(file, faultOfReading(error), error);
  });
  try {
    return parse(text);
  } catch (error) {
    // After the first line, the parser shows the place in the text.
    throw refusal(file, `it is not YAML: ${error.message.split(':\n')[0]}`, error);
  }
}

/**
 * The values for the variables of serverless.yml. `custom.settingsFile` is the path of the file.
 *
 * `apiFile`, `workloadsFile` and `notificationsFile` are the files below `infra` with the HTTP API, with the metrics of workload
 * objects and with notifications, or with empty replacements. `table` is merged into the resources. `statuses` is what serve-api needs to ask
 * the WDSes, which it only does if the readers are those of the WDSes.
 *
 * @param {{ resolveConfigurationProperty: (path: readonly string[]) => Promise<string> }} serverless
 * @returns {Promise<{
 *   region: string,
 *   alarmEmail: string,
 *   wdses: Readonly<Record<string, string | { kubeconfig: string, allow?: object }>>,
 *   apiFile: string,
 *   workloadsFile: string,
 *   countedWdses: string,
 *   notificationsFile: string,
 *   notified: { document: string, bus: string, statements: readonly object[] },
 *   objectsPerWec: string,
 *   table: object,
 *   statuses: {
 *     readers: string,
 *     statements: readonly object[],
 *     vpc: { subnetIds: readonly string[], securityGroupIds: readonly string[] } | false,
 *   },
 *   writer: {
 *     environment: string,
 *     fleetEnvironment: string,
 *     fleetMode: string,
 *     statements: readonly object[],
 *     vpc: { subnetIds: readonly string[], securityGroupIds: readonly string[] } | false,
 *   },
 * }>}
 * @throws Error that names file, field and remedy.
 */
module.exports = async function settings({ resolveConfigurationProperty }) {
  const file = await resolveConfigurationProperty(['custom', 'settingsFile']);
  const given = await read(file);
  const fault = faultOf(given);
  if (fault !== undefined) throw refusal(file, fault);
  const { region, alarmEmail } = given;
  const wdses = given.wdses ?? {};
  const vpc = given.vpc ?? undefined;
  const { mode = DEFAULT_MODE, upstreams = {} } = given.fleet ?? {};
  return {
    region,
    alarmEmail: alarmEmail ?? '',
    wdses,
    ...apiOf(given.api, wdses, vpc),
    ...workloadsOf(given.workloadMetrics, wdses),
    ...notificationsOf(given.notifications ?? undefined),
    // The values in the environment of a function are texts.
    objectsPerWec: String(given.objectsPerWec ?? OBJECTS_PER_WEC),
    table: tableOf(given.warmThroughput),
    writer: {
      environment: JSON.stringify(wdses),
      fleetEnvironment: JSON.stringify(upstreams),
      fleetMode: mode,
      statements: statementsOf('write-results', [wdses, upstreams], vpc),
      vpc: vpc ?? false,
    },
  };
};
