import { startDynalite } from '#test/fakes/dynamodb-table.ts';
import { describeDynamoDb } from './dynamodb-suite.ts';

// dynalite compares strings as JavaScript does.
describeDynamoDb('DynamoDB (dynalite)', startDynalite, 'utf-16');
