import type {
  CreateQueueRequest,
  DeleteQueueRequest,
  GetQueueAttributesRequest,
  GetQueueUrlRequest,
  ListQueuesRequest,
  ListQueueTagsRequest,
  PurgeQueueRequest,
  SetQueueAttributesRequest,
  TagQueueRequest,
} from '@aws-sdk/client-sqs';
import type { Queues } from './queues.ts';

const ACCOUNT = '000000000000';

/** The operations on queues, by their names in the API. */
export function createQueueOperations(queues: Queues, serverUrl: () => string) {
  const urlOf = (name: string): string => `${serverUrl()}/${ACCOUNT}/${name}`;
  return {
    CreateQueue: ({ QueueName = '', Attributes = {} }: CreateQueueRequest) => ({
      QueueUrl: urlOf(queues.create(QueueName, Attributes).name),
    }),
    GetQueueUrl: ({ QueueName = '' }: GetQueueUrlRequest) => ({
      QueueUrl: urlOf(queues.byName(QueueName).name),
    }),
    ListQueues: ({ QueueNamePrefix = '' }: ListQueuesRequest) => ({
      QueueUrls: queues
        .names()
        .filter((name) => name.startsWith(QueueNamePrefix))
        .map(urlOf),
    }),
    GetQueueAttributes: async ({ QueueUrl, AttributeNames = [] }: GetQueueAttributesRequest) => {
      const all = await queues.describe(queues.byUrl(QueueUrl));
      const names: readonly string[] = AttributeNames;
      const wanted = Object.entries(all).filter(
        ([name]) => names.includes('All') || names.includes(name),
      );
      return { Attributes: Object.fromEntries(wanted) };
    },
    SetQueueAttributes: ({ QueueUrl, Attributes = {} }: SetQueueAttributesRequest) => {
      queues.change(queues.byUrl(QueueUrl), Attributes);
    },
    ListQueueTags: ({ QueueUrl }: ListQueueTagsRequest) => {
      const { tags } = queues.byUrl(QueueUrl);
      return Object.keys(tags).length === 0 ? {} : { Tags: tags };
    },
    TagQueue: ({ QueueUrl, Tags = {} }: TagQueueRequest) => {
      const queue = queues.byUrl(QueueUrl);
      queue.tags = { ...queue.tags, ...Tags };
    },
    PurgeQueue: ({ QueueUrl }: PurgeQueueRequest) => {
      queues.byUrl(QueueUrl).messages.purge();
    },
    DeleteQueue: ({ QueueUrl }: DeleteQueueRequest) => {
      queues.delete(queues.byUrl(QueueUrl));
    },
  };
}
