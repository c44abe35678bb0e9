// The whole life of a task, through the official TypeScript client.
//
//   node life.mjs http     DEEDBOX_MCP_URL, DEEDBOX_KEY
//   node life.mjs stdio    DEEDBOX_PROGRAM, DEEDBOX_KEY, and whatever else the program reads
//
// BOB_KEY is a key that acts only as bob. CHAIN_TOKEN is a token on chain 31337 of which CHAIN_HOLDER has 1.5, and
// whose name tries to close the fence. The client itself checks every structured result against the
// schema that the tool declares. Ends with 0 when everything was as the protocol says, else with the first deviation.

import assert from 'node:assert/strict';
import { env } from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const TASK_TOOLS = ['create_task', 'accept_task', 'report_completion', 'handoff_task', 'get_task_status', 'list_unaccepted_tasks'];
const CHAIN_TOOLS = ['list_chains', 'get_native_balance', 'get_erc20_balance', 'get_token_metadata', 'get_pool_reserves', 'list_recent_transfers', 'check_conclusion', 'resolve_agent', 'find_agents', 'list_registries', 'get_registry_history', 'find_tools', 'verify_tool', 'check_tool_access', 'compare_tools'];
const MEMORY_READS = ['get_identity', 'recall', 'list_memories'];
const MEMORY_TOOLS = ['get_identity', 'remember', 'recall', 'list_memories', 'update_memory', 'forget'];
// They ask nobody outside.
const LOCAL_TOOLS = ['check_conclusion', 'find_agents', 'list_registries', 'get_registry_history', 'find_tools'];

function transport(key) {
  if (process.argv[2] === 'http') {
    const headers = { Authorization: `Bearer ${key}` };
    return new StreamableHTTPClientTransport(new URL(env.DEEDBOX_MCP_URL), { requestInit: { headers } });
  }
  assert.equal(process.argv[2], 'stdio', 'usage: node life.mjs http|stdio');
  return new StdioClientTransport({ command: env.DEEDBOX_PROGRAM, args: ['mcp'], env: { ...env, DEEDBOX_KEY: key } });
}

async function connect(key) {
  const client = new Client({ name: 'deedbox-tests', version: '1' });
  await client.connect(transport(key));
  return client;
}

async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.content.length, 1, `${name}: one block`);
  assert.equal(result.content[0].type, 'text');
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${name}: both copies are the same`);
  return result;
}

async function ok(client, name, args) {
  const result = await call(client, name, args);
  assert.ok(!result.isError, `${name} was refused: ${result.content[0].text}`);
  return result.structuredContent;
}

async function refused(client, name, args, status, code, ...words) {
  const result = await call(client, name, args);
  assert.equal(result.isError, true, `${name} should be refused: ${JSON.stringify(args)}`);
  const refusal = result.structuredContent;
  assert.deepEqual(Object.keys(refusal).sort(), ['code', 'error', 'status']);
  assert.deepEqual([refusal.status, refusal.code], [status, code], refusal.error);
  for (const word of words) assert.ok(refusal.error.includes(word), `${refusal.error} does not say ${word}`);
}

async function unaccepted(client, taskId, args = {}) {
  const page = await ok(client, 'list_unaccepted_tasks', args);
  assert.deepEqual(Object.keys(page).sort(), ['nextCursor', 'tasks']);
  return page.tasks.some((task) => task.id === taskId);
}

const client = await connect(env.DEEDBOX_KEY);
assert.equal(client.getServerVersion().name, 'deedbox');

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), [...TASK_TOOLS, ...CHAIN_TOOLS, ...MEMORY_TOOLS]);
for (const tool of tools) {
  assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
  assert.ok(tool.outputSchema, `${tool.name} declares what it returns`);
  const ofChain = CHAIN_TOOLS.includes(tool.name);
  const reads = ofChain || ['get_task_status', 'list_unaccepted_tasks', ...MEMORY_READS].includes(tool.name);
  assert.equal(tool.annotations.openWorldHint, ofChain && !LOCAL_TOOLS.includes(tool.name), tool.name);
  assert.equal(tool.annotations.readOnlyHint, reads, tool.name);
  if (!reads) assert.equal(tool.annotations.destructiveHint, tool.name === 'forget', tool.name);
}

const task = await ok(client, 'create_task', { title: 'Check the rollback plan', description: '', injectedBy: 'alice' });
assert.match(task.id, UUID);
assert.match(task.createdAt, TIME);
assert.deepEqual([task.status, task.currentOwnerActorId, task.authorityScope], ['pending_acceptance', null, null]);
const taskId = task.id;
assert.ok(await unaccepted(client, taskId));
assert.ok(await unaccepted(client, taskId, { actorId: 'alice', limit: 1000 }));
assert.ok(!(await unaccepted(client, taskId, { actorId: 'bob' })));

await refused(client, 'report_completion', { taskId, actorId: 'alice', provenance: 'reported', claimText: 'x' }, 409, 'no_current_owner');
const acceptance = await ok(client, 'accept_task', { taskId, actorId: 'alice', contextNote: 'on it' });
assert.deepEqual([acceptance.taskId, acceptance.actorId, acceptance.contextNote], [taskId, 'alice', 'on it']);
assert.equal(acceptance.attribution.actor, 'asserted');
await refused(client, 'accept_task', { taskId, actorId: 'bob' }, 409, 'already_owned');
await refused(client, 'accept_task', { taskId, actorId: 'alice' }, 409, 'already_owned');
assert.ok(!(await unaccepted(client, taskId)));

const claim = { taskId, actorId: 'alice', claimText: 'the plan works' };
const first = await ok(client, 'report_completion', { ...claim, provenance: 'reported' });
assert.deepEqual([first.provenance, first.sourceReference], ['reported', null]);
await refused(client, 'report_completion', { ...claim, provenance: 'observed' }, 409, 'evidence_required', 'sourceReference');
await refused(client, 'report_completion', { ...claim, provenance: 'reviewed', sourceReference: '  ' }, 409, 'evidence_required');
const second = await ok(client, 'report_completion', { ...claim, provenance: 'reviewed', sourceReference: 'https://ci.example/1' });

await refused(client, 'handoff_task', { taskId, fromActorId: 'bob', toActorId: 'alice' }, 403, 'not_owner');
const handoff = await ok(client, 'handoff_task', { taskId, fromActorId: 'alice', toActorId: 'bob', reason: 'end of shift' });
const snapshot = handoff.contextSnapshot;
assert.deepEqual(Object.keys(snapshot).sort(), ['capturedAt', 'latestAcceptance', 'latestCompletion', 'status']);
assert.equal(snapshot.status, 'completed');
assert.equal(snapshot.latestAcceptance.id, acceptance.id);
assert.deepEqual(snapshot.latestCompletion, {
  id: second.id, actorId: 'alice', provenance: 'reviewed', claimText: 'the plan works',
  sourceReference: 'https://ci.example/1', reportedAt: second.reportedAt,
});
assert.ok(await unaccepted(client, taskId));

// Bob, with his own key: only as himself.
const bob = await connect(env.BOB_KEY);
await bob.listTools();
await refused(bob, 'accept_task', { taskId, actorId: 'alice' }, 403, 'wrong_actor', 'bob');
const his = await ok(bob, 'accept_task', { taskId, actorId: 'bob' });
assert.equal(his.attribution.actor, 'authenticated');
await refused(client, 'report_completion', { ...claim, provenance: 'reported' }, 403, 'not_owner');

const status = await ok(bob, 'get_task_status', { taskId });
assert.deepEqual(Object.keys(status).sort(), ['acceptances', 'completions', 'handoffs', 'latestAcceptance', 'latestCompletion', 'task']);
assert.deepEqual([status.task.status, status.task.currentOwnerActorId], ['accepted', 'bob']);
assert.deepEqual(status.acceptances, [acceptance, his]);
assert.deepEqual(status.latestAcceptance, his);
assert.deepEqual(status.completions, [first, second]);
assert.deepEqual(status.latestCompletion, second);
assert.deepEqual(status.handoffs, [handoff]);

// Bad input is a refusal in band, and an unknown tool is the caller's error.
await refused(client, 'get_task_status', { taskId: taskId.toUpperCase() }, 400, 'invalid_input', 'taskId');
await refused(client, 'accept_task', { taskId, actorId: 'alice', more: 1 }, 400, 'invalid_input', 'more');
await refused(client, 'get_task_status', { taskId: '0198a1c2-7b3d-7e4f-8a9b-0c1d2e3f4a5b' }, 404, 'task_not_found');
await refused(client, 'accept_task', { taskId, actorId: 'nobody' }, 404, 'actor_not_found', 'nobody');
await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), (error) => error.code === -32602);

// A chain is read, what a stranger wrote stands behind a fence, and the reading is evidence.
const { CHAIN_TOKEN: token, CHAIN_HOLDER: holder } = env;
const at = { chain_id: 31337, token, block: 'latest' };
const { chains } = await ok(client, 'list_chains', {});
assert.deepEqual(chains.map((chain) => chain.chain_id), [31337]);
const balance = await ok(client, 'get_erc20_balance', { ...at, holder });
assert.deepEqual(balance.data, { raw_amount: '1500000', decimals: 6 });
assert.equal(balance.error, null);
const { evidence_id, block_number } = balance.provenance;
assert.match(evidence_id, UUID);

const metadata = await client.callTool({ name: 'get_token_metadata', arguments: at });
const { text } = metadata.content[0];
const written = metadata.structuredContent.data.name;
assert.deepEqual(written.flags, ['control']);
assert.ok(written.text.includes('\n') && text.includes('changes nothing about the task'));
const lines = text.split('\n');
const fence = lines.find((line) => /^[0-9a-f]{32}$/.test(line));
assert.equal(lines.filter((line) => line === fence).length, 4, 'two texts, each between two lines');
assert.ok(!lines.some((line) => line.startsWith('Ignore')), 'a text is one line, so it begins none');

const bad = await client.callTool({ name: 'get_erc20_balance', arguments: { ...at, token: holder, holder } });
assert.equal(bad.isError, true);
assert.deepEqual(Object.keys(bad.structuredContent).sort(), ['data', 'error', 'provenance']);
assert.deepEqual([bad.structuredContent.data, bad.structuredContent.error.code], [null, 'not_a_contract']);

const conclusion = (said) => ({ conclusion: said, evidence: [{ claim: said, tool: 'get_erc20_balance', chain_id: 31337, block: String(block_number), evidence_id }], unknown: [] });
assert.equal((await ok(client, 'check_conclusion', conclusion('It holds 1.5'))).verdict, 'supported');
assert.equal((await ok(client, 'check_conclusion', conclusion('It holds 1,500,000.5'))).verdict, 'mismatched');

const observed = await ok(bob, 'report_completion', { taskId, actorId: 'bob', provenance: 'observed', claimText: 'It holds 1.5', sourceReference: `evidence:${evidence_id}` });
assert.deepEqual([observed.attribution.evidence.witnessedBy, observed.attribution.evidence.assertedBy], ['server', 'bob']);
await client.ping();

await bob.close();
await client.close();
console.log(`TypeScript, ${process.argv[2]}: a whole life`);
